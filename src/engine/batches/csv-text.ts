import Papa from 'papaparse';

/** A list as CSV for spreadsheet programs: UTF-8 with mark, CRLF, formulas guarded; see {@link withoutGuard}. */
export function csvText(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headers, ...rows].map((row) => headers.map((_header, index) => row[index] ?? ''));
  return `\uFEFF${Papa.unparse(lines, { newline: '\r\n', escapeFormulae: FORMULA })}\r\n`;
}

/** A cell as it was before it got an apostrophe in front for spreadsheet programs. Pure. */
export const withoutGuard = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;

/** A text with an apostrophe in front where a spreadsheet program would run it as a formula. Pure. */
export const guarded = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell);

/**
 * Text that a spreadsheet program runs as a formula: `=`, `+`, `-` or `@`, also the wide forms of East Asian systems,
 * with or without space in front, unless it is a number. Apostrophes in front count as well, so that the one we add can
 * be removed again.
 */
const FORMULA = /^'*\s*[=+\-@＝＋－＠](?!\d{1,15}(?:[.,]\d{1,15})?$)/;

/**
 * Lines of a report for spreadsheet programs, each ended by CRLF. A text that would run as a formula gets an apostrophe
 * in front. Removing one apostrophe from a cell that begins with apostrophes and then such a sign gives the text back.
 */
export function reportLines(lines: readonly (readonly (string | number)[])[]): string {
  return `${Papa.unparse(
    lines.map((line) => [...line]),
    { newline: '\r\n', escapeFormulae: FORMULA },
  )}\r\n`;
}
