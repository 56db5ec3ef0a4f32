import iconv from 'iconv-lite';
import { guarded } from './csv-text.ts';

/** Cells to write, by row as a spreadsheet numbers it and by place from 0. Null empties one. */
export type CellEdits = ReadonlyMap<number, ReadonlyMap<number, string | number | null>>;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Excel's own first line, which names the delimiter and counts as no row. */
const ANNOUNCED = /^\uFEFF?(?:sep=.(?:\r\n|\r|\n))?/i;

/**
 * The same text with these cells, in its encoding, with its delimiter, marks, breaks and quotes. Null where its bytes are
 * not those that its encoding writes, so that they could not stay.
 */
export function csvWithCells(
  bytes: Uint8Array,
  { encoding, delimiter }: { readonly encoding: string; readonly delimiter: string },
  edits: CellEdits,
): Uint8Array | null {
  // As it was read; see `decodeInPieces`.
  const name = encoding === 'gbk' ? 'gb18030' : encoding;
  const text = iconv.decode(Buffer.from(bytes), name, { stripBOM: false });
  if (!iconv.encode(text, name).equals(bytes)) return null;
  const pieces: string[] = [];
  let done = 0;
  let row = 0;
  for (const record of recordsIn(text, delimiter, ANNOUNCED.exec(text)?.[0].length ?? 0)) {
    row += 1;
    const cells = edits.get(row);
    if (!cells) continue;
    const behind = record.at(-1)?.end ?? done;
    let width = record.length;
    for (const [index, value] of [...cells].toSorted(([one], [other]) => one - other)) {
      const { start, end } = record[index] ?? { start: behind, end: behind };
      // Those between the last cell and this one are empty.
      const between = delimiter.repeat(Math.max(0, index - width + 1));
      pieces.push(text.slice(done, start), between, cellText(value, delimiter));
      width = Math.max(width, index + 1);
      done = end;
    }
  }
  pieces.push(text.slice(done));
  return iconv.encode(pieces.join(''), name);
}

function cellText(value: string | number | null, delimiter: string): string {
  const text = typeof value === 'string' ? guarded(value) : String(value ?? '');
  return text.includes(delimiter) || /["\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The cells of each record, blank ones too, as the reader of lists cuts them. */
function* recordsIn(text: string, delimiter: string, from: number): Generator<readonly Span[]> {
  const escaped = delimiter.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const stop = new RegExp(String.raw`${escaped}|\r\n|\r|\n`, 'g');
  for (let at = from; at < text.length;) {
    const cells: Span[] = [];
    for (let isOpen = true; isOpen;) {
      const start = at;
      stop.lastIndex = text.startsWith('"', at) ? behindQuote(text, at) : at;
      const found = stop.exec(text);
      cells.push({ start, end: found?.index ?? text.length });
      at = found ? stop.lastIndex : text.length;
      isOpen = found?.[0] === delimiter;
    }
    yield cells;
  }
}

/** Behind the quote that closes the one at a place; a double one stands for itself. */
function behindQuote(text: string, open: number): number {
  for (let at = open + 1; ;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    if (text[quote + 1] !== '"') return quote + 1;
    at = quote + 2;
  }
}
