import Papa from 'papaparse';

/** A list as CSV for a spreadsheet program: UTF-8 with its mark, CRLF, every cell as it is. */
export function csvText(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headers, ...rows].map((row) => headers.map((_header, index) => row[index] ?? ''));
  return `\uFEFF${Papa.unparse(lines, { newline: '\r\n' })}\r\n`;
}

/**
 * Text that a spreadsheet program runs as a formula: `=`, `+`, `-` or `@`, also the wide forms of East Asian systems,
 * with or without space in front. Apostrophes in front count as well, so that the one we add can be removed again.
 */
const FORMULA = /^'*\s*[=+\-@＝＋－＠]/;

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
