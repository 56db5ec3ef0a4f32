import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Kind } from '../../../src/contract/kinds/kind.ts';
import { allKinds } from '../../../src/contract/kinds/all.ts';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import { checkList } from '../../../src/engine/batches/validate.ts';
import { listing } from './support.ts';

const path = fileURLToPath(new URL('../../../resources/samples/sample-shots.csv', import.meta.url));

it('the sample list asks for 24 takes of five kinds, without a defect', async () => {
  const table = await readTable({ bytes: await readFile(path) });
  const accountModels = listing(
    'vgen-2.0-cl-fast',
    'vgen-2.0-nt',
    'image-demo',
    'music-demo',
    'chat-demo',
    'speech-demo',
  );
  const { shots, defects } = await checkList(table, { listFolder: dirname(path), accountModels });
  expect(defects).toEqual([]);
  const takes = Map.groupBy(shots, ({ kind }) => kind);
  const count = (kind: Kind) => (takes.get(kind) ?? []).reduce((sum, shot) => sum + shot.takes, 0);
  expect(Kind.options.map(count)).toEqual([10, 7, 5, 1, 1, 0]);
  expect(
    shots.map(({ params }) => params.duration ?? 4).every((seconds) => Number(seconds) >= 4 && Number(seconds) <= 6),
  ).toBe(true);
});

it('the picture that the sample edits is small', async () => {
  expect((await stat(join(dirname(path), 'references', 'lighthouse-sketch.png'))).size).toBeLessThan(50_000);
});

/** What names an asset of one account, or a button of one picture, which a list that comes with the product cannot know. */
const OF_ONE_ACCOUNT = ['video avatar_asset_ids', 'image operation action', 'image action_task', 'image button'];

it('the list of every kind has a row for each column of each kind, and for each choice of those that are closed', async () => {
  const file = join(dirname(path), 'every-kind.csv');
  const { shots, defects } = await checkList(await readTable({ bytes: await readFile(file) }), {
    listFolder: dirname(file),
  });
  expect(defects.filter(({ severity }) => severity === 'error')).toEqual([]);
  const missing = allKinds.flatMap(({ kind, parameters }) =>
    parameters.flatMap((parameter) => {
      const { name } = parameter;
      const used = new Set(shots.flatMap((shot) => (shot.kind === kind ? (shot.params[name] ?? []) : [])));
      // What is not said takes the first choice.
      const choices = parameter.type === 'choice' && !parameter.open ? parameter.choices.slice(1) : [];
      const unused = choices.filter((choice) => !used.has(choice)).map((choice) => `${kind} ${name} ${choice}`);
      return used.size === 0 ? [`${kind} ${name}`] : unused;
    }),
  );
  expect(missing.filter((each) => !OF_ONE_ACCOUNT.includes(each))).toEqual([]);
});
