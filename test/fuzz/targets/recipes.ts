import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../src/engine/db/open.ts';
import { takeInFolder } from '../../../src/engine/projects/project-claims.ts';
import { openStores } from '../../../src/engine/db/stores.ts';
import { seedFolder } from '../../support/seed-folder.ts';
import type { Clock } from '../../../src/engine/base/ports.ts';
import type { Target } from '../target.ts';

const own = (project: string, ...path: string[]): string => join(project, '.dailies', ...path);
const [batch, recipe] = [['batches', 'batch-1.json'] as const, ['takes', 'take-000000.json'] as const];

export function targetIn(folder: string): Target {
  const seed = join(folder, 'seed');
  const stores = openStores(openDatabase(join(folder, 'data')), () => undefined);
  return {
    isJson: true,
    samples: async () => {
      mkdirSync(seed);
      await seedFolder(seed, 2);
      const written = JSON.parse(readFileSync(own(seed, ...recipe), 'utf8')) as object;
      const failure = { code: 'x', message: { key: 'failure.noKey' }, remedy: 'r', cost: 'maybe', at: 1 };
      const more = {
        ...{ failure, from: [{ takeId: 'a', how: 'again' }], assets: [{ parameter: 'image', assetId: 'a' }], round: 1 },
        ...{
          extras: { buttons: [{ customId: 'a', label: 'b', emoji: '' }], prompts: [] },
          otherTaskIds: ['a'],
          savedAt: 3,
        },
        ...{ verdict: { rating: 3, flag: 'pick', note: 'n', tags: ['a'] }, trash: 'trashed', sentAt: 2 },
      };
      const states = ['polling', 'rejected', 'cancelled', 'result_lost', 'remote_failed', 'submitting'];
      const recipes = [written, { ...written, ...more }, ...states.map((state) => ({ ...written, ...more, state }))];
      const batches = [JSON.parse(readFileSync(own(seed, ...batch), 'utf8')) as object];
      return [...recipes, ...batches].map((json) => Buffer.from(JSON.stringify(json)));
    },
    async read(input, run) {
      const project = join(folder, `project${run}`);
      for (const name of ['takes', 'batches']) mkdirSync(own(project, name), { recursive: true });
      // Each input is a project of its own, with ids of its own.
      const renamed = (text: string): string =>
        text.replaceAll(/(take|attempt|task)([-_])0/g, `$1${run}$20`).replaceAll('batch-1', `batch${run}`);
      const [isBatch, text] = [input.includes('"shots"'), renamed(input.toString('utf8'))];
      const put = (place: readonly [string, string], content: string): void =>
        writeFileSync(own(project, place[0], renamed(place[1])), content);
      put(batch, isBatch ? text : renamed(readFileSync(own(seed, ...batch), 'utf8')));
      put(recipe, isBatch ? renamed(readFileSync(own(seed, ...recipe), 'utf8')) : text);
      const known = { id: `project${run}`, path: project, name: 'Film' };
      const options = {
        known: new Set<string>(),
        isOpened: true,
        isUnderWay: () => false,
        clock: { now: () => 1_000_000 } as Clock,
      };
      await takeInFolder(stores, known, options);
      // What was taken over can be shown, and written again.
      stores.queries.list({ projectId: known.id });
      for (const { id } of stores.batches.list(known.id)) stores.batches.currentShots(id);
      rmSync(project, { recursive: true });
    },
  };
}
