import Papa from 'papaparse';

/** A list as CSV for a spreadsheet program: UTF-8 with its mark, CRLF, every cell as it is. */
export function csvText(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headers, ...rows].map((row) => headers.map((_header, index) => row[index] ?? ''));
  return `\uFEFF${Papa.unparse(lines, { newline: '\r\n' })}\r\n`;
}

/** A text that a spreadsheet program would run as a formula, kept from it by the apostrophe such programs know. */
export function inert(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
