import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkFits, writeBatchFile } from '../../../src/engine/files/batch-file.ts';
import { underAttack } from '../../support/attacked.ts';
import { isNightly } from '../../support/chance.ts';
import { errorSaying } from '../../support/saying.ts';
import { batchOf, seedFolder, specOf } from '../../support/seed-folder.ts';
import { scratchFolder } from '../../support/scratch.ts';

let folder: string;
beforeEach(() => {
  folder = scratchFolder('dailies-large-');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MB = 1000 ** 2;

/** A file of a project of a stranger that begins and ends as it should and repeats a piece for so many bytes between. */
function writeLarge(file: string, [begin, piece, end]: readonly [string, string, string], bytes: number): void {
  mkdirSync(dirname(file), { recursive: true });
  const handle = openSync(file, 'w');
  writeSync(handle, begin);
  const block = Buffer.from(piece.repeat(Math.ceil(MB / piece.length)));
  for (let written = 0; written < bytes; written += block.length) writeSync(handle, block);
  writeSync(handle, end);
  closeSync(handle);
}

async function strange(name: string): Promise<string> {
  const project = join(folder, name);
  mkdirSync(project);
  await seedFolder(project, 2);
  const file = join(project, '.dailies', 'project.json');
  const text = readFileSync(file, 'utf8').replace('"id":"project"', `"id":"${name}"`);
  writeSync(openSync(file, 'w'), text);
  return project;
}

const own = (project: string, ...path: string[]): string => join(project, '.dailies', ...path);

/** A recipe of a project, up to what it came from. */
const recipeOf = (project: string): string =>
  `${readFileSync(own(project, 'takes', 'take-000000.json'), 'utf8')
    .trimEnd()
    .slice(0, -1)},"from":[{}`;

/** What is said of the files of a project, without where it lies. */
const reasons = (said: readonly string[]): string[] => [
  ...new Set(said.map((text) => text.replace(/^.*\.dailies\/([a-z]+)[^:]*: /, '$1: '))),
];

const draftFacts = {
  ...{ format: 1, name: 'a', source: 'a', listFolder: null, createdAt: 1, encoding: null, delimiter: null },
  ...{ sheet: null, sheets: [], revision: 0, kind: null, mapping: {}, defects: [], headers: ['prompt'] },
};
/** Pieces of a draft: what comes first, one more row, the end. */
const draftOf = (id: string, row: string): [string, string, string] => [
  `${JSON.stringify({ ...draftFacts, id }).slice(0, -1)},"rows":[\n${row}`,
  `,\n${row}`,
  '\n]}\n',
];

describe('files of a project that are far larger than Dailies writes them', () => {
  it('are set aside with their reason, and everything else goes on @night', async () => {
    const batches = await strange('batches');
    const batch = own(batches, 'batches', 'batch-1.json');
    const head = readFileSync(batch, 'utf8').split('"shots"')[0] ?? '';
    writeLarge(batch, [`${head}"shots": [0`, ',0', ']}'], 100 * MB);

    const takes = await strange('takes');
    for (let number = 0; number < 20; number += 1)
      writeLarge(
        own(takes, 'takes', `large-${number}.json`),
        [recipeOf(takes), ',{}', ']}'],
        (number < 10 ? 16 : 7) * MB,
      );

    const drafts = await strange('drafts');
    writeLarge(own(drafts, 'drafts', 'a.json'), draftOf('a', '["a"]'), MB);
    writeLarge(own(drafts, 'drafts', 'b.json'), draftOf('b', '["a"]'), 90 * MB);
    writeLarge(own(drafts, 'drafts', 'c.json'), draftOf('c', '[0]'), MB);
    writeLarge(own(drafts, 'drafts', 'd.json'), draftOf('d', '["a"]'), MB);
    writeLarge(own(drafts, 'drafts', 'd.edits'), ['', '{"undo":true}\n', ''], 200 * MB);
    for (let number = 100; number < 130; number += 1) {
      const facts = { format: 1, id: `c${number}`, title: '', url: '', askedFor: '', at: 1, text: '' };
      const begin = `${JSON.stringify(facts).slice(0, -1)},"images":[0`;
      writeLarge(own(drafts, 'clippings', `${facts.id}.json`), [begin, ',0', ']}'], 3 * MB);
    }

    const { met, saved } = await underAttack({ projects: [batches, takes, drafts] });
    const [ofBatches, ofTakes, ofDrafts] = met;
    expect(reasons(ofBatches?.said ?? [])).toEqual(['batches: It is far larger than such a file can be.']);
    expect(reasons(ofTakes?.said ?? [])).toEqual([
      'takes: It is far larger than such a file can be.',
      'takes: It cannot be read: This JSON has more than 250,000 values.',
    ]);
    expect(ofDrafts).toEqual({ said: [], drafts: 1, clippings: 0 });
    // The takes of the three strange projects have the same ids.
    expect(saved).toBe(2 + 2);
  });

  it.runIf(isNightly)('are read up to their bounds, in bounded memory', async () => {
    const batches = await strange('batches');
    const shots = Array.from({ length: 250_000 }, (_, index) => ({ ...specOf(index), notes: '雨'.repeat(15) }));
    await writeBatchFile(batches, { ...batchOf(shots), rows: shots.map((_, index) => index + 2) });
    await expectRead(batches, 0);

    const drafts = await strange('drafts');
    const row = `["${'雨 '.repeat(100)}"]`;
    for (const id of ['a', 'b']) writeLarge(own(drafts, 'drafts', `${id}.json`), draftOf(id, row), 48 * MB);
    await expectRead(drafts, 2);

    const takes = await strange('takes');
    const [begin = '', end = ''] = readFileSync(own(takes, 'takes', 'take-000000.json'), 'utf8').split('"body": {');
    for (let number = 0; number < 50; number += 1) {
      const pieces = [`${begin.replace('take-000000', `large-${number}`)}"body": {"x":"`, '雨', `",${end}`] as const;
      writeLarge(own(takes, 'takes', `large-${number}.json`), pieces, 6 * MB);
    }
    await expectRead(takes, 0);
  });
});

async function expectRead(project: string, drafts: number): Promise<void> {
  const { met } = await underAttack({ projects: [project] });
  expect(met).toEqual([{ said: [], drafts, clippings: 0 }]);
}

it('a batch is refused before it is stored where its file could not be read again', async () => {
  const long = { ...specOf(0), prompt: 'x'.repeat(200_000) };
  await checkFits(Array.from({ length: 480 }, () => long));
  const refused = checkFits(Array.from({ length: 510 }, () => long));
  await expect(refused).rejects.toThrow(errorSaying('The limit for a batch is 250,000 shots and 100 MB.'));
});
