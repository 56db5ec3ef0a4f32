import Papa from 'papaparse';

/** A list as CSV for a spreadsheet program: UTF-8 with its mark, CRLF, every cell as it is. */
export function csvText(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headers, ...rows].map((row) => headers.map((_header, index) => row[index] ?? ''));
  return `\uFEFF${Papa.unparse(lines, { newline: '\r\n' })}\r\n`;
}

/**
 * What a spreadsheet program runs as a formula: `=`, `+`, `-` or `@`, wide ones of East Asian systems too, and space
 * before it. Apostrophes in front count as well, so that the one that is added can be taken away again.
 */
const FORMULA = /^'*\s*[=+\-@＝＋－＠]/;

/**
 * Lines of a report that is made to be opened in a spreadsheet program, CRLF behind each. A text that would run as a
 * formula gets an apostrophe in front; taking away one apostrophe from a cell that begins with apostrophes and then
 * such a sign gives it back.
 */
export function reportLines(lines: readonly (readonly (string | number)[])[]): string {
  return `${Papa.unparse(
    lines.map((line) => [...line]),
    { newline: '\r\n', escapeFormulae: FORMULA },
  )}\r\n`;
}
