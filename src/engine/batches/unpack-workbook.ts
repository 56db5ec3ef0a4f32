import { strFromU8, unzipSync, zipSync, type Unzipped } from 'fflate';

/** Bytes of a workbook once it is unpacked: a hundred thousand rows. Each takes some twenty bytes of memory to read. */
export const MAX_UNPACKED = 64 * 1000 ** 2;
const MAX_PARTS = 10_000;

export type Unpacked =
  | { readonly is: 'workbook'; readonly sheets: readonly string[]; readonly archive: Uint8Array }
  /** A list of LibreOffice or OpenOffice. */
  | { readonly is: 'open_document' }
  | { readonly is: 'too_large' }
  /** A row or a column that no spreadsheet has; reading it would fill the memory up to there. */
  | { readonly is: 'too_many'; readonly of: 'rows' | 'columns' }
  | { readonly is: 'damaged' };

/** Unpacks the texts of a workbook, and nothing else, within bounds whatever it claims: 16 MB can become many GB. */
export function unpackWorkbook(bytes: Uint8Array): Unpacked {
  let isOpenDocument = false;
  let parts = 0;
  let unpacked = 0;
  let files: Unzipped;
  try {
    files = unzipSync(bytes, {
      // Each part gets as much memory as the archive claims for it; a larger one is cut there.
      filter: ({ name, size, originalSize, compression }) => {
        isOpenDocument ||= name === 'content.xml' || name === 'META-INF/manifest.xml';
        parts += 1;
        if (parts > MAX_PARTS) throw new TooLargeError();
        if (!/\.(?:xml|rels)$/i.test(name) || isOpenDocument) return false;
        unpacked += compression === 0 ? size : originalSize;
        if (unpacked > MAX_UNPACKED) throw new TooLargeError();
        return true;
      },
    });
  } catch (error) {
    return { is: error instanceof TooLargeError ? 'too_large' : 'damaged' };
  }
  if (isOpenDocument) return { is: 'open_document' };
  const workbook = files['xl/workbook.xml'];
  if (workbook === undefined) return { is: 'damaged' };
  for (const [name, sheet] of Object.entries(files)) {
    const of = name.startsWith('xl/worksheets/') ? beyondAnySheet(strFromU8(sheet)) : null;
    if (of !== null) return { is: 'too_many', of };
  }
  return { is: 'workbook', sheets: sheetNames(strFromU8(workbook)), archive: zipSync(files, { level: 0 }) };
}

class TooLargeError extends Error {}

const LAST_ROW = 1_048_576;
/** XFD, the last of 16,384 columns. */
const LAST_COLUMN = 'XFD';
const ROW_OR_CELL = /<(?:\w+:)?(row|c)\s(?:[^<>]*?\s)?r\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')/g;

/** What a sheet has too many of, by the numbers it gives its rows and cells. A place that is no place counts as one. */
function beyondAnySheet(sheet: string): 'rows' | 'columns' | null {
  for (const [, tag, double, single] of sheet.matchAll(ROW_OR_CELL)) {
    const [whole, column = '', row] = /^([A-Z]*)(\d{1,7})$/.exec(double ?? single ?? '') ?? [];
    if (whole === undefined || Number(row) > LAST_ROW) return 'rows';
    const isPastLast = column.length > LAST_COLUMN.length || (column.length === 3 && column > LAST_COLUMN);
    if (tag === 'c' && isPastLast) return 'columns';
  }
  return null;
}

const SHEET = /<(?:\w+:)?sheet\s[^<>]*>/g;
const NAME = /\sname=(?:"([^"]*)"|'([^']*)')/;

function sheetNames(workbook: string): string[] {
  return Array.from(workbook.matchAll(SHEET), ([tag]) => {
    const [, double, single] = NAME.exec(tag) ?? [];
    return plain(double ?? single ?? '');
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function plain(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
