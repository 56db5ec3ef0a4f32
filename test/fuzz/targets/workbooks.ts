import { unzipSync, zipSync } from 'fflate';
import writeWorkbook from 'write-excel-file/node';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { damaged } from '../mutate.ts';
import type { Target } from '../target.ts';

const row = ['010', 'video', 'vgen-2.0-cl-fast', 'A lighthouse', 5].map((value) => ({ value }));

const parts = unzipSync(
  await writeWorkbook([
    ['shot', 'kind', 'model', 'prompt', 'duration'].map((value) => ({ value })),
    row,
    row,
  ]).toBuffer(),
);
const names = Object.keys(parts).filter((name) => /sheet1|sharedStrings|styles|workbook\.xml$/.test(name));

export const targetIn = (): Target => ({
  samples: () => Promise.resolve([Buffer.from(zipSync(parts)), Buffer.from(zipSync(parts, { level: 0 }))]),
  async read(input, run) {
    // What is damaged in the archive itself is mostly refused at once, so every other time one of its parts is.
    const bytes = run > 0 && run % 2 === 0 ? withDamagedPart(seededRandom(run)) : input;
    await readTable({ bytes, name: 'list.xlsx' });
  },
});

function withDamagedPart(random: () => number): Uint8Array {
  const name = names[Math.floor(random() * names.length)] ?? '';
  return zipSync({ ...parts, [name]: damaged([Buffer.from(parts[name] ?? [])], random, false) }, { level: 1 });
}
