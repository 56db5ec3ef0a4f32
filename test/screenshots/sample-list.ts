import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const LIST = join(import.meta.dirname, '../../resources/samples/sample-shots.csv');

/** The sample film, without the row whose picture lies beside the list: a browser brings the list alone. */
export const sampleList = {
  name: 'keeper.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    readFileSync(LIST, 'utf8')
      .split(/(?<=\n)/)
      .filter((row) => !row.includes('references/'))
      .join(''),
  ),
  takes: 23,
};
