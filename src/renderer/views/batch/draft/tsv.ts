/**
 * A block of cells as spreadsheet programs put it on the clipboard: tabs between cells, line breaks between rows, and
 * quotes around what holds either.
 */
export function writeTsv(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => row.map(quoted).join('\t'));
  // Several rows end with a line break each, as they do from Excel: else an empty last row would be lost.
  return lines.length === 1 ? lines.join('') : lines.map((line) => `${line}\n`).join('');
}

const quoted = (cell: string): string => (/["\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** The block a clipboard text holds, every row as wide as the widest. A line break at its very end starts no row. */
export function readTsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const endRow = (): void => {
    rows.push(row);
    row = [];
  };
  while (at < text.length) {
    const cell = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at);
    row.push(cell.value);
    at = cell.end;
    const next = text[at];
    if (next === undefined) break;
    const isBreak = next !== '\t';
    at += text.startsWith('\r\n', at) ? 2 : 1;
    if (isBreak) endRow();
    else if (at === text.length) row.push('');
  }
  if (row.length > 0 || rows.length === 0) endRow();
  const width = Math.max(1, ...rows.map((each) => each.length));
  return rows.map((each) => [...each, ...Array<string>(width - each.length).fill('')]);
}

interface Cell {
  readonly value: string;
  /** Place of the separator after it. */
  readonly end: number;
}

function readPlain(text: string, start: number): Cell {
  let end = start;
  while (end < text.length && !isSeparator(text[end])) end += 1;
  return { value: text.slice(start, end), end };
}

/** A quoted cell; a text that only begins with a quote, as `"Stop," she said` does, stays as it is. */
function readQuoted(text: string, start: number): Cell {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] !== '"') continue;
    if (text[at + 1] === '"') {
      at += 1;
      continue;
    }
    const end = at + 1;
    if (end < text.length && !isSeparator(text[end])) break;
    return { value: text.slice(start + 1, at).replaceAll('""', '"'), end };
  }
  return readPlain(text, start);
}

const isSeparator = (character: string | undefined): boolean =>
  character === '\t' || character === '\n' || character === '\r';
