import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chosenChanges, readReview } from '../../src/contract/reel-review.ts';
import { noVerdict, withChange } from '../../src/contract/verdict.ts';
import { openDatabase } from '../../src/engine/db/open.ts';
import { openStores } from '../../src/engine/db/stores.ts';
import { planReview } from '../../src/engine/review/merge-review.ts';
import { limitOf } from '../finding.ts';
import { spreadOf } from '../measure.ts';
import type { MeasureRow } from '../row.ts';
import { PROJECT, seedSavedTakes, takeId } from '../window/seed-project.ts';
import { makeStills } from '../window/stills.ts';

const TAKES = 5000;

/** A review of 5,000 takes, from the text of its file to verdicts in the database: read, planned, and committed. */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const dataFolder = join(folder, 'data');
  const projectPath = join(folder, 'film');
  mkdirSync(projectPath);
  seedSavedTakes({ dataFolder, projectPath, takes: TAKES, stills: await makeStills(join(folder, 'stills')) });
  const db = openDatabase(dataFolder);
  const stores = openStores(db, () => undefined);
  const ids = Array.from({ length: TAKES }, (_none, index) => takeId(index));
  const review = (round: number): string =>
    JSON.stringify({
      ...{ type: 'dailies-review', version: 1, reelId: 'reel', reel: 'Film', projectId: PROJECT, reviewer: 'Anna' },
      takes: ids.map((id) => {
        const { sha256 = '' } = stores.outputs.outputs(id)[0] ?? {};
        return { takeId: id, output: 1, sha256, rating: (round % 5) + 1, note: 'Hold longer', notes: [] };
      }),
    });
  const times: number[] = [];
  const merged: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const text = review(round);
    const start = performance.now();
    const read = readReview(text);
    if (!read.ok) throw new Error(read.problem.key);
    const each = chosenChanges(await planReview(stores, PROJECT, read.review), () => true);
    stores.batches.inOneCommit(() => {
      for (const { takeId: id, verdict } of each) {
        stores.review.saveVerdict(id, withChange(stores.review.verdict(id) ?? noVerdict, verdict), false);
      }
    });
    if (round === 0) continue;
    times.push(performance.now() - start);
    merged.push(each.length);
  }
  db.close();
  return [
    limitOf('Merge of a review of 5,000 takes', { name: 'ms', digits: 0 }, spreadOf(times), { atMost: 5000 }),
    limitOf('… takes left out', { name: '', digits: 0 }, spreadOf(merged.map((count) => TAKES - count)), { atMost: 0 }),
  ];
};
