import Papa from 'papaparse';
import { foldHeader } from '../../contract/kinds/index.ts';
import { isKnownHeader } from './columns.ts';

export const delimiters = [',', '\t', ';', '|'] as const;

/** Records of the sample that are compared. */
const COMPARED_RECORDS = 20;

/**
 * Tells what separates the cells: what makes most headers known, then what cuts all records into the same number of
 * cells. Prompts are full of commas and list cells of semicolons, so counting characters would be misled.
 *
 * @param sample the beginning of the text, with `\n` line breaks
 */
export function sniffDelimiter(sample: string): string {
  const scores = delimiters.map((delimiter) => ({ delimiter, ...score(sample, delimiter) }));
  scores.sort((a, b) => b.known - a.known || b.even - a.even || b.cells - a.cells);
  return scores[0]?.delimiter ?? ',';
}

function score(sample: string, delimiter: string): { known: number; even: number; cells: number } {
  const { data } = Papa.parse<string[]>(sample, { delimiter, newline: '\n', preview: COMPARED_RECORDS });
  const records = data.filter((record) => record.some((cell) => cell.trim() !== ''));
  const header = records[0] ?? [];
  const known = new Set(header.filter(isKnownHeader).map(foldHeader)).size;
  const even = header.length > 1 ? records.filter((record) => record.length === header.length).length : 0;
  return { known, even, cells: header.length > 1 ? header.length : 0 };
}
