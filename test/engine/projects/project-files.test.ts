import { plainText } from '../../../src/cli/output/text.ts';
import { sayText } from '../../../src/contract/messages/words.ts';
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBatchFiles, writeBatchFile } from '../../../src/engine/files/batch-file.ts';
import type { BatchFile } from '../../../src/engine/files/batch-file.ts';
import { placeIn } from '../../../src/engine/files/place.ts';
import { replaceFile } from '../../../src/engine/files/project-files.ts';
import { freeBytes } from '../../../src/engine/files/existing-paths.ts';
import { openProjectFolder } from '../../../src/engine/files/project-folder.ts';
import { readRecipes, recipePlace, writeRecipe } from '../../../src/engine/projects/recipe-file.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../downloads/support.ts';
import { gathered, recipe, shot } from './support.ts';

const clock = new FakeClock();

/** A message within a message, many times. */
const nested = (depth: number): object => ({
  key: 'failure.refused',
  values: { reason: depth === 0 ? 'x' : nested(depth - 1) },
});

describe('a project folder', () => {
  it('is made of a folder that is not one yet, and is the same one ever after', async () => {
    const path = join(temporaryFolder(), 'films', 'Harbour');
    const made = await openProjectFolder(path, clock);
    expect(made).toMatchObject({ path, name: 'Harbour', createdAt: clock.now() });
    expect(made.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(readdirSync(join(path, '.dailies')).sort()).toEqual(['batches', 'parts', 'project.json', 'takes']);
    expect(await openProjectFolder(path, new FakeClock(0))).toEqual(made);
  });

  it('keeps its identity when it is moved', async () => {
    const root = temporaryFolder();
    const made = await openProjectFolder(join(root, 'a'), clock);
    renameSync(join(root, 'a'), join(root, 'b'));
    expect(await openProjectFolder(join(root, 'b'), clock)).toMatchObject({ id: made.id, name: 'a' });
  });

  it('of a newer version is left alone', async () => {
    const path = temporaryFolder();
    await openProjectFolder(path, clock);
    const file = join(path, '.dailies', 'project.json');
    writeFileSync(file, '{"format":2,"anything":"else"}');
    await expect(openProjectFolder(path, clock)).rejects.toMatchObject({ code: 'project_newer' });
    expect(readFileSync(file, 'utf8')).toBe('{"format":2,"anything":"else"}');
  });

  it.each(['', '{', '[]', '{"format":1}', 'null'])('whose project file is damaged (%j) is left alone', async (text) => {
    const path = temporaryFolder();
    await openProjectFolder(path, clock);
    writeFileSync(join(path, '.dailies', 'project.json'), text);
    await expect(openProjectFolder(path, clock)).rejects.toMatchObject({ code: 'project_unreadable' });
    expect(readFileSync(join(path, '.dailies', 'project.json'), 'utf8')).toBe(text);
  });

  it.each(['.dailies', '.dailies/parts', '.dailies/takes'])('with a link in place of %s is refused', async (name) => {
    const path = temporaryFolder();
    const elsewhere = temporaryFolder();
    if (name !== '.dailies') mkdirSync(join(path, '.dailies'));
    symlinkSync(elsewhere, join(path, name));
    await expect(openProjectFolder(path, clock)).rejects.toMatchObject({ code: 'project_link' });
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('that is a file is no folder', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, 'x');
    await expect(openProjectFolder(path, clock)).rejects.toMatchObject({ code: 'project_not_a_folder' });
  });

  it('is cleared of what a killed write left behind, once it is old', async () => {
    const path = temporaryFolder();
    await openProjectFolder(path, clock);
    const takesFolder = join(path, '.dailies', 'takes');
    const old = join(takesFolder, '.t.json.0123456789ab.tmp');
    const young = join(takesFolder, '.t.json.ba9876543210.tmp');
    const foreign = join(takesFolder, '.notes.tmp');
    for (const file of [old, young, foreign]) writeFileSync(file, '{');
    const [longAgo, justNow] = [new Date(clock.now() - 7_200_000), new Date(clock.now())];
    utimesSync(old, longAgo, longAgo);
    utimesSync(foreign, longAgo, longAgo);
    utimesSync(young, justNow, justNow);
    await openProjectFolder(path, clock);
    expect([old, young, foreign].map((file) => existsSync(file))).toEqual([false, true, true]);
  });
});

describe('recipe files', () => {
  it('come back as they were written, the last writing of each', async () => {
    const { path } = await openProjectFolder(temporaryFolder(), clock);
    await writeRecipe(path, recipe('a', { state: 'polling', outputs: [] }));
    await writeRecipe(path, recipe('a'));
    await writeRecipe(path, recipe('b'), { syncName: false });
    expect(await gathered(readRecipes(path))).toEqual({ values: [recipe('a'), recipe('b')], problems: [] });
  });

  it.each<[what: string, message: unknown, said: string | RegExp]>([
    ['of an earlier version', 'Its file is {gone}.', 'Its file is {gone}.'],
    ['of a newer version', { key: 'failure.ofTheFuture', values: { a: 1 } }, /needs a newer version.*ofTheFuture/],
    ['that names a property of every object', { key: '__proto__' }, /needs a newer version/],
    ['without the facts that its text names', { key: 'failure.refused' }, /needs a newer version/],
    ['whose facts are of wrong types', { key: 'failure.refused', values: { reason: { a: [1] } } }, /newer version/],
    [
      'whose facts are named like what every object has',
      { key: 'failure.refused', values: 7 },
      /needs a newer version/,
    ],
    ['that is 5 MB long', 'x'.repeat(5_000_000), /^x+$/],
    ['whose fact is 5 MB long', { key: 'failure.refused', values: { reason: '{'.repeat(5_000_000) } }, /: \{+$/],
    ['that holds itself many times', nested(25), /newer version/],
  ])('with a message %s are read', async (_what, message, said) => {
    const { path } = await openProjectFolder(temporaryFolder(), clock);
    const failure = { code: 'x', message, remedy: 'Wait.', cost: 'maybe', at: 1 };
    const text = JSON.stringify({ ...recipe('a'), failure }).replace(
      '"values":7',
      '"values":{"__proto__":{"key":"x"}}',
    );
    writeFileSync(join(path, '.dailies', 'takes', 'a.json'), text);
    const { values, problems } = await gathered(readRecipes(path));
    expect(problems).toEqual([]);
    const found = values[0]?.failure?.message ?? '';
    expect(sayText(found)).toMatch(said);
    expect(plainText(found)).toMatch(said);
    expect(({} as { key?: string }).key).toBeUndefined();
  });

  it('that are broken or newer are named, skipped and kept', async () => {
    const { path } = await openProjectFolder(temporaryFolder(), clock);
    const takesFolder = join(path, '.dailies', 'takes');
    await writeRecipe(path, recipe('good'));
    writeFileSync(join(takesFolder, 'cut.json'), '{"format":1,"takeId"');
    writeFileSync(join(takesFolder, 'new.json'), JSON.stringify({ ...recipe('new'), format: 2 }));
    writeFileSync(join(takesFolder, 'odd.json'), JSON.stringify({ ...recipe('odd'), take: 'first' }));
    writeFileSync(join(takesFolder, 'notes.txt'), 'mine');
    const { values: recipes, problems } = await gathered(readRecipes(path));
    expect(recipes.map(({ takeId }) => takeId)).toEqual(['good']);
    expect(problems.map(({ file }) => file)).toEqual(
      ['cut', 'new', 'odd'].map((name) => join(takesFolder, `${name}.json`)),
    );
    expect(problems[1]?.message).saying('It was written by a newer version of Dailies.');
    expect(readdirSync(takesFolder)).toHaveLength(5);
  });

  it('cannot be made to lie elsewhere', async () => {
    const { path } = await openProjectFolder(temporaryFolder(), clock);
    expect(() => recipePlace(path, '../../escape')).toThrow('cannot be the name of a file');
    await expect(writeRecipe(path, recipe('a/b'))).rejects.toThrow('cannot be the name of a file');
  });

  it('of a project without any are none', async () => {
    expect(await gathered(readRecipes(temporaryFolder()))).toEqual({ values: [], problems: [] });
  });
});

describe('batch files', () => {
  const batch = (shots: number): BatchFile => ({
    format: 1,
    id: 'batch-1',
    name: 'Night',
    folder: 'Night',
    listFolder: '/lists',
    source: 'shots.csv',
    createdAt: 5,
    changedAt: 7,
    nameTemplate: '{shot}_t{take}',
    order: 'list',
    shots: Array.from({ length: shots }, (_, index) => shot(String(index + 1))),
  });

  it.each([0, 1, 500, 1203])('come back with all of their %i shots', async (shots) => {
    const { path } = await openProjectFolder(temporaryFolder(), clock);
    await writeBatchFile(path, batch(shots));
    expect(await gathered(readBatchFiles(path))).toEqual({ values: [batch(shots)], problems: [] });
  });

  it.each([
    ['in another form', (text: string) => JSON.stringify(JSON.parse(text))],
    ['indented all over', (text: string) => JSON.stringify(JSON.parse(text), null, 2)],
  ])('come back when they are %s', async (_, rewrite) => {
    const { path } = await openProjectFolder(temporaryFolder(), clock);
    await writeBatchFile(path, batch(3));
    const file = join(path, '.dailies', 'batches', 'batch-1.json');
    writeFileSync(file, rewrite(readFileSync(file, 'utf8')));
    expect(await gathered(readBatchFiles(path))).toEqual({ values: [batch(3)], problems: [] });
  });

  it.each([
    ['a shot that is none', '"kind":"image"', '"kind":"poem"'],
    ['a newer format', '"format": 1', '"format": 2'],
    ['a line that is cut', '"priority":0}', '"priority":0'],
  ])('with %s are reported', async (_, text, other) => {
    const { path } = await openProjectFolder(temporaryFolder(), clock);
    await writeBatchFile(path, batch(3));
    const file = join(path, '.dailies', 'batches', 'batch-1.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(text, other));
    expect(await gathered(readBatchFiles(path))).toMatchObject({ values: [], problems: [{ file }] });
  });

  it('keep one shot a line', async () => {
    const { path } = await openProjectFolder(temporaryFolder(), clock);
    const batchesFolder = join(path, '.dailies', 'batches');
    await writeBatchFile(path, batch(3));
    const lines = readFileSync(join(batchesFolder, 'batch-1.json'), 'utf8').split('\n');
    expect(lines.filter((line) => line.includes('"key"'))).toHaveLength(3);
  });
});

it('replacing a file leaves the old content and nothing else when writing fails', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a.json');
  await replaceFile(placeIn(folder, 'a.json'), 'old');
  const failing = (async function* () {
    yield 'new';
    throw new Error('no more');
  })();
  await expect(replaceFile(placeIn(folder, 'a.json'), failing)).rejects.toThrow('no more');
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['a.json']);
});

it('free space of a path that does not exist yet is that of its nearest parent', async () => {
  const folder = temporaryFolder();
  const free = await freeBytes(join(folder, 'not', 'yet', 'there'));
  expect(free).toBeGreaterThan(0);
  expect(Number.isInteger(free)).toBe(true);
  writeFileSync(join(folder, 'file'), '');
  expect(await freeBytes(join(folder, 'file', 'below'))).toBeGreaterThan(0);
  rmSync(join(folder, 'file'));
});

describe.runIf(process.platform === 'linux' && spawnSync('unshare', ['-rm', 'true']).status === 0)(
  'a project on a read-only disk',
  () => {
    it('is refused with the cause, however many of its folders are missing', () => {
      const disk = temporaryFolder();
      const source = pathToFileURL(join(import.meta.dirname, '../../../src/engine/files/project-files.ts')).href;
      const script = `import { makeProjectFolder } from ${JSON.stringify(source)};
        await makeProjectFolder(${JSON.stringify(join(disk, 'films', 'night'))}).catch(({ code }) => console.log(code));`;
      const mount = `mount -t tmpfs -o ro tmpfs "$1" && exec "$2" --input-type=module -e "$3"`;
      const { stdout } = spawnSync('unshare', ['-rm', 'sh', '-c', mount, 'sh', disk, process.execPath, script]);
      expect(stdout.toString()).toBe('EROFS\n');
    });
  },
);
