import { MAX_PATH } from '../../contract/units.ts';

export interface Checksum {
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  /** Relative to the folder of the list, with forward slashes. */
  readonly file: string;
}

export const CHECKSUMS = 'checksums.sha256';

/** Characters in a line. No system allows longer paths, even with each character escaped. */
const MAX_LINE = 70_000;

/** A name with a line break or a backslash is escaped, and its line starts with a backslash. Pure. */
export function checksumLine({ sha256, file }: Checksum): string {
  const escaped = file
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`);
  return `${escaped === file ? '' : '\\'}${sha256}  ${escaped}\n`;
}

const LINE = /^(\\?)([0-9a-f]{64}) [ *]/i;

/** Null if the line has another form, or names a path that no system has. Pure. */
export function parseChecksumLine(line: string): Checksum | null {
  const [start, escape, sha256] = LINE.exec(line) ?? [];
  if (start === undefined || sha256 === undefined) return null;
  const written = line.slice(start.length);
  const file = escape === '' ? written : unescaped(written);
  return file === null || file === '' || file.length > MAX_PATH ? null : { sha256: sha256.toLowerCase(), file };
}

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\', n: '\n', r: '\r' };

function unescaped(text: string): string | null {
  let isWhole = true;
  const plain = text.replace(/\\(.?)/gs, (_, letter: string) => {
    const meant = ESCAPED[letter];
    isWhole &&= meant !== undefined;
    return meant ?? '';
  });
  return isWhole ? plain : null;
}

/** Splits text in pieces at line feeds only: names may contain other breaks. A far too long line is left out. */
export async function* splitLines(text: AsyncIterable<unknown>): AsyncGenerator<string> {
  let rest = '';
  let isTooLong = false;
  for await (const piece of text) {
    const lines = (rest + String(piece)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!isTooLong && line.length <= MAX_LINE) yield line;
      isTooLong = false;
    }
    isTooLong ||= rest.length > MAX_LINE;
    if (isTooLong) rest = '';
  }
  if (rest !== '' && !isTooLong) yield rest;
}
