import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TakeFilter } from '../../../src/contract/review.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { NOT_WORTH_KEEPING } from '../../../src/contract/trash.ts';
import type { TrashMove } from '../../../src/engine/review/trash/trash-moves.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { still as shot } from '../db/seed.ts';

let world: World;
let projectId: string;

const idOf = (key: string, take = 1): string => world.job(key, take).id;
const inProject = (...names: string[]): string => join(world.projectPath, ...names);
const inTrash = (): string[] => (existsSync(inProject('.trash')) ? readdirSync(inProject('.trash')).sort() : []);
const found = async (filter: Partial<TakeFilter>): Promise<string[]> =>
  (await world.engine.review.list({ projectId, sort: 'list', ...filter }, { start: 0, count: 100 })).takes.map(
    ({ shot: key, take }) => `${key}/${String(take)}`,
  );
/** Bytes of all files of the project beside our own folder and the lists. */
const diskUse = (): number =>
  readdirSync(world.projectPath, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^\.dailies|\.csv$/.test(name))
    .map((name) => statSync(inProject(name)))
    .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
const move = (how: TrashMove, ...ids: string[]) => world.engine.trash.move(how, ids, 'window');
const reopen = async (): Promise<void> => {
  await world.openProject();
};

async function save(...shots: ShotSpec[]): Promise<void> {
  await world.run(shots);
  projectId = world.projectId;
}

forEachTest((opened) => (world = opened));

describe('the trash', () => {
  it('leaves the time at which a take was saved', async () => {
    await save(shot('a'));
    const savedAt = async () =>
      (await world.engine.review.list({ projectId, sort: 'list' }, { start: 0, count: 1 })).takes[0]?.savedAt;
    const first = await savedAt();
    expect(first).toBeGreaterThan(0);
    await world.pass(60_000);
    await move('trashing', idOf('a'));
    await move('restoring', idOf('a'));
    expect(await savedAt()).toBe(first);
  });

  it('takes the files of takes, and gives them back where they were', async () => {
    await save(shot('a', { params: { n: 2 } }), shot('b'));
    const before = world.job('a');
    const contents = before.files.map((file) => readFileSync(inProject(file)));
    const plan = await world.engine.trash.plan([before.id, idOf('b')]);
    expect(plan).toMatchObject({ takes: 2, files: 3, picks: 0, unjudged: 2, kept: 0 });
    expect(plan.bytes).toBe(diskUse());

    const done = await move('trashing', before.id);
    expect(done).toMatchObject({ takeIds: [before.id], takes: 1, files: 2, kept: 0 });
    expect(before.files.filter((file) => existsSync(inProject(file)))).toEqual([]);
    expect(inTrash()).toHaveLength(2);
    expect(world.job('a')).toMatchObject({ state: 'saved', standing: 'saved', trash: 'trashed' });
    expect(world.counts()).toMatchObject({ saved: 2 });
    expect(world.recipeOf(before.id)).toMatchObject({
      ...{ state: 'saved', trash: 'trashed' },
      outputs: before.files.map((home, index) => ({ home, file: `.trash/${before.id}.${String(index + 1)}.png` })),
    });
    expect(readFileSync(inProject('Day 1', 'manifest.csv'), 'utf8')).toMatch(/^a,1,trashed,.trash/m);
    expect(await found({ standing: 'saved' })).toEqual(['b/1']);
    expect(await found({ standing: 'trashed' })).toEqual(['a/1']);
    expect(await found({ text: 'state:trashed' })).toEqual(['a/1']);

    expect(await move('restoring', before.id)).toMatchObject({
      takes: 1,
      files: 2,
      kept: 0,
    });
    expect(before.files.map((file) => readFileSync(inProject(file)))).toEqual(contents);
    expect(inTrash()).toEqual([]);
    expect(world.job('a')).toEqual({ ...before, updatedAt: world.job('a').updatedAt });
    expect(world.recipeOf(before.id).trash).toBeUndefined();
    expect(await found({ standing: 'saved' })).toEqual(['a/1', 'b/1']);
    expect(world.posts()).toHaveLength(2);
  });

  it('is emptied by a person alone, which frees exactly the bytes it says', async () => {
    await save(shot('a'), shot('b'), shot('c'));
    const [a, b] = [idOf('a'), idOf('b')];
    const inAll = diskUse();
    const put = await world.engine.trash.move('trashing', [a, b], 'command');
    expect(world.engine.trash.size(projectId)).toEqual({ takes: 2, files: 2, bytes: put.bytes });
    expect(diskUse()).toBe(inAll);
    const shown = async () => (await world.engine.views.project(projectId)).bytes;
    expect(await shown()).toBe(inAll);

    const emptied = await world.engine.trash.move('emptying', [a, b], 'command');
    expect(emptied).toMatchObject({ takes: 2, files: 2, bytes: put.bytes, kept: 0 });
    expect(diskUse()).toBe(inAll - emptied.bytes);
    expect(await shown()).toBe(diskUse());
    expect(world.engine.trash.size(projectId)).toEqual({ takes: 0, files: 0, bytes: 0 });
    expect(world.recipeOf(a)).toMatchObject({
      state: 'saved',
      trash: 'emptied',
      outputs: [{ file: 'Day 1/a_t1.png' }],
    });
    expect(await found({ standing: 'trashed' })).toEqual(['a/1', 'b/1']);
    expect(await found({ text: 'has:file' })).toEqual(['c/1']);
    const { reasons } = await move('restoring', a);
    expect(reasons).toMatchObject([{ takeId: a, problem: { key: 'trash.keptEmptied' } }]);
    await world.restart();
    expect(world.job('a')).toMatchObject({ state: 'saved', trash: 'emptied' });
    expect(world.sql('SELECT code, actor FROM history ORDER BY id')).toEqual([
      { code: 'batch.started', actor: expect.any(String) as string },
      { code: 'takes.trashed', actor: 'command' },
      { code: 'trash.emptied', actor: 'command' },
    ]);
  });

  it('restores beside a file that has the name by now, and never over it', async () => {
    await save(shot('a'));
    const { id, files } = world.job('a');
    const [file = ''] = files;
    const content = readFileSync(inProject(file));
    await move('trashing', id);
    writeFileSync(inProject(file), 'another');
    await move('restoring', id);
    expect(readFileSync(inProject(file), 'utf8')).toBe('another');
    expect(world.job('a').files).toEqual([file.replace('.png', '_2.png')]);
    expect(readFileSync(inProject(...world.job('a').files))).toEqual(content);
  });

  it('leaves unsaved takes, missing files and files outside the project, each with its reason', async () => {
    await save(shot('a'), shot('gone'), shot('linked'), shot('second'), shot('b'));
    const outside = join(world.folder, 'outside.png');
    writeFileSync(outside, 'theirs');
    rmSync(inProject(...world.job('gone').files));
    rmSync(inProject(...world.job('linked').files));
    symlinkSync(outside, inProject(...world.job('linked').files));
    linkSync(inProject(...world.job('second').files), join(world.folder, 'second-name.png'));
    world.engine.review.judge(
      ['gone', 'linked', 'second'].map((key) => idOf(key)),
      { flag: 'reject' },
    );
    const ids = world.jobs().map(({ id }) => id);
    const { takeIds, kept, reasons } = await move('trashing', ...ids);
    expect(takeIds).toEqual([idOf('a'), idOf('b')]);
    expect(kept).toBe(3);
    expect(reasons.map(({ shot: key, problem }) => [key, typeof problem === 'string' ? problem : problem.key])).toEqual(
      [
        ['gone', 'trash.keptNoFiles'],
        ['linked', 'failure.notOurs'],
        ['second', 'failure.notOurs'],
      ],
    );
    expect(readFileSync(outside, 'utf8')).toBe('theirs');
    expect(world.jobs().filter(({ trash }) => trash !== undefined)).toHaveLength(2);
    expect(world.sql('SELECT COUNT(*) AS odd FROM outputs WHERE home IS NOT NULL')).toEqual([{ odd: 2 }]);
  });

  it('follows no link that stands in the place of the trash', async () => {
    await save(shot('a'));
    const elsewhere = join(world.folder, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, inProject('.trash'));
    const { kept, reasons } = await move('trashing', idOf('a'));
    expect({ kept, key: reasons[0]?.problem }).toMatchObject({ kept: 1, key: { key: 'failure.notOurs' } });
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(existsSync(inProject(...world.job('a').files))).toBe(true);
    expect(world.job('a').trash).toBeUndefined();
  });

  it('leaves a take where it is when another file has a name of it in the trash, which is never taken for its own', async () => {
    await save(shot('a', { params: { n: 2 } }));
    const { id, files } = world.job('a');
    const contents = files.map((file) => readFileSync(inProject(file)));
    mkdirSync(inProject('.trash'));
    writeFileSync(inProject('.trash', `${id}.2.png`), 'another');
    const { kept, reasons } = await move('trashing', id);
    expect({ kept, reasons }).toMatchObject({ kept: 1, reasons: [{ problem: { key: 'trash.nameTaken' } }] });
    await world.restart();
    await world.openProject();
    expect(world.job('a')).toMatchObject({ state: 'saved', files });
    expect(world.job('a').trash).toBeUndefined();
    expect(files.map((file) => readFileSync(inProject(file)))).toEqual(contents);
    expect(inTrash()).toEqual([`${id}.2.png`]);
  });

  it('leaves a file that two takes have, which the other one would lose', async () => {
    await save(shot('a'), shot('b'), shot('c'));
    await world.run([shot('d')], { name: 'Day 2' });
    const [file = ''] = world.job('a').files;
    // As when the service sends two shots with one file name the same content.
    world.sql('UPDATE outputs SET file = ? WHERE job_id = ?', file.toUpperCase(), idOf('b'));
    const { takeIds, reasons } = await move('trashing', idOf('a'), idOf('c'));
    expect(takeIds).toEqual([idOf('c')]);
    expect(reasons).toMatchObject([{ shot: 'a', problem: { key: 'trash.keptShared' } }]);
    expect(existsSync(inProject(file))).toBe(true);

    // So may two batches, whose folders differ in case alone.
    const [own = ''] = world.job('d').files;
    world.sql('UPDATE outputs SET file = ? WHERE job_id = ?', own.toUpperCase(), idOf('b'));
    expect(await move('trashing', idOf('d'))).toMatchObject({ takes: 0, kept: 1 });
    expect(existsSync(inProject(own))).toBe(true);
  });

  it('keeps picks and good ratings of a batch, by the search that says so', async () => {
    await save(shot('pick'), shot('four'), shot('three'), shot('none'));
    world.engine.review.judge([idOf('pick')], { flag: 'pick' });
    world.engine.review.judge([idOf('four')], { rating: 4 });
    world.engine.review.judge([idOf('three')], { rating: 3 });
    const going = await world.engine.review.ids({
      ...{ projectId, standing: 'saved', sort: 'list', text: NOT_WORTH_KEEPING },
    });
    expect(await world.engine.trash.plan(going)).toMatchObject({ takes: 2, unjudged: 1, picks: 0 });
    await move('trashing', ...going);
    expect(await found({ standing: 'saved' })).toEqual(['pick/1', 'four/1']);
  });

  it('leaves the take that an unsent one needs, and none of the others', async () => {
    await save(shot('a', { takes: 2 }));
    world.engine.queue.pause();
    await world.import([
      shot('a', { takes: 2 }),
      shot('b', { prompt: 'Night', params: { operation: 'edit', image: 'Shot://a' } }),
    ]);
    const ids = [idOf('a', 1), idOf('a', 2)];
    const { takeIds, reasons } = await move('trashing', ...ids);
    expect(takeIds).toEqual([idOf('a', 1)]);
    expect(reasons).toMatchObject([{ shot: 'a', take: 2, problem: { key: 'trash.keptForShot' } }]);
    world.engine.queue.resume();
    await world.settle();
    expect(world.job('b')).toMatchObject({ state: 'saved', from: [{ takeId: idOf('a', 2) }] });
    expect(await move('trashing', idOf('a', 2))).toMatchObject({ takes: 1 });
    expect(world.job('b').from).toMatchObject([{ takeId: idOf('a', 2) }]);
  });
});

describe('a project folder with a trash', () => {
  it('is understood by a machine that has never seen it, which restores what lies there', async () => {
    await save(shot('a'), shot('b'));
    await move('trashing', idOf('a'), idOf('b'));
    const files = world.sql('SELECT home FROM outputs ORDER BY home').map((row) => (row as { home: string }).home);
    await world.stop();
    world.moveTo('other');
    await reopen();
    expect(world.jobs()).toMatchObject([{ trash: 'trashed' }, { trash: 'trashed' }]);
    expect(await move('restoring', ...world.jobs().map(({ id }) => id))).toMatchObject({ takes: 2 });
    expect(files.filter((file) => !existsSync(inProject(file)))).toEqual([]);
    expect(world.posts()).toHaveLength(2);
  });

  it('has no file removed by a recipe that names one of the person’s as in the trash', async () => {
    await save(shot('a'));
    await move('trashing', idOf('a'));
    const place = inProject('.dailies', 'takes', `${idOf('a')}.json`);
    const recipe = world.recipeOf(idOf('a'));
    const outputs = recipe.outputs.map((output) => ({ ...output, file: 'notes.txt' }));
    await world.stop();
    writeFileSync(place, JSON.stringify({ ...recipe, outputs }));
    world.moveTo('other');
    writeFileSync(inProject('notes.txt'), 'precious');
    await reopen();
    await move('emptying', idOf('a'));
    expect(readFileSync(inProject('notes.txt'), 'utf8')).toBe('precious');
  });

  it('is followed by a data folder that knew its takes before', async () => {
    await save(shot('a'));
    await world.stop();
    const first = world.dataFolder;
    const second = join(world.folder, 'second');
    cpSync(first, second, { recursive: true });
    await world.start();
    await move('trashing', idOf('a'));
    await world.stop();
    world.dataFolder = second;
    await reopen();
    expect(world.job('a')).toMatchObject({ state: 'saved', trash: 'trashed' });
    await move('restoring', idOf('a'));
    await world.stop();
    world.dataFolder = first;
    await reopen();
    expect(world.job('a').state).toBe('saved');
    expect(world.job('a').trash).toBeUndefined();
  });

  it('whose trash a person has removed by hand says so, and finds files that are put back', async () => {
    await save(shot('a'));
    const { id, files } = world.job('a');
    await move('trashing', id);
    renameSync(inProject('.trash'), join(world.folder, 'taken away'));
    await world.restart();
    await world.openProject();
    expect(world.job('a')).toMatchObject({ state: 'saved', trash: 'emptied', files });
    const [name = ''] = readdirSync(join(world.folder, 'taken away'));
    cpSync(join(world.folder, 'taken away', name), inProject(...files));
    await world.openProject();
    expect(world.job('a').trash).toBeUndefined();
  });

  it('whose trash was away, as a folder that is not synced yet, is in the trash again once that is back', async () => {
    await save(shot('a'));
    const { id, files } = world.job('a');
    await move('trashing', id);
    renameSync(inProject('.trash'), join(world.folder, 'away'));
    await world.restart();
    await world.openProject();
    expect(world.job('a').trash).toBe('emptied');
    renameSync(join(world.folder, 'away'), inProject('.trash'));
    await world.openProject();
    expect(world.job('a')).toMatchObject({ state: 'saved', trash: 'trashed' });
    await move('restoring', id);
    expect(existsSync(inProject(...files))).toBe(true);
    expect(world.job('a').trash).toBeUndefined();
  });
});

describe('a recipe that cannot be written', () => {
  it('keeps no file in the trash: it is restored, or removed, and the recipe follows', async () => {
    await save(shot('a'), shot('b'));
    const ids = [idOf('a'), idOf('b')];
    const [file = ''] = world.job('a').files;
    // As on a full disk, whose files can still be renamed and removed.
    const recipe = (id: string): string => inProject('.dailies', 'takes', `${id}.json`);
    for (const id of ids) rmSync(recipe(id));
    for (const id of ids) mkdirSync(recipe(id));
    expect(await move('trashing', ...ids)).toMatchObject({ takes: 2, kept: 0 });
    expect(await move('restoring', idOf('a'))).toMatchObject({ takes: 1, kept: 0 });
    expect(existsSync(inProject(file))).toBe(true);
    expect(await move('emptying', ...ids)).toMatchObject({
      ...{ takes: 1, files: 1, kept: 1 },
      reasons: [{ takeId: idOf('a'), problem: { key: 'trash.keptNotInTrash' } }],
    });
    expect(inTrash()).toEqual([]);

    for (const id of ids) rmSync(recipe(id), { recursive: true });
    expect(await move('trashing', idOf('a'))).toMatchObject({ takes: 1, kept: 0 });
    expect(world.recipeOf(idOf('a')).trash).toBe('trashed');
    expect(world.recipeOf(idOf('b')).trash).toBe('emptied');
  });
});

it('a kill on the way is completed by the next start, in every direction', async () => {
  await save(shot('a'), shot('b'), shot('c'));
  const files = ['a', 'b', 'c'].map((key) => world.job(key).files[0] ?? '');
  const state = () =>
    ['a', 'b', 'c'].map((key, index) => [world.job(key).trash ?? 'home', existsSync(inProject(files[index] ?? ''))]);
  // As it is when a kill comes behind the intent: the first file has moved, the others have not.
  const cutOff = async (phase: string, change: () => void): Promise<void> => {
    await world.stop();
    world.sql(`UPDATE jobs SET trash = ?`, phase);
    change();
    await world.start();
  };
  const trashName = (index: number): string => `.trash/${idOf('abc'.charAt(index))}.1.png`;
  const names = [0, 1, 2].map(trashName);
  await cutOff('trashing', () => {
    mkdirSync(inProject('.trash'));
    renameSync(inProject(files[0] ?? ''), inProject(names[0] ?? ''));
    // The name that the move of the second one had taken, and a new file with the name of the first.
    writeFileSync(inProject(names[1] ?? ''), '');
    writeFileSync(inProject(files[0] ?? ''), 'another');
    names.forEach((name, index) =>
      world.sql('UPDATE outputs SET home = file, file = ? WHERE file = ?', name, files[index]),
    );
  });
  expect(state().map(([trash]) => trash)).toEqual(['trashed', 'trashed', 'trashed']);
  expect(readFileSync(inProject(files[0] ?? ''), 'utf8')).toBe('another');
  expect(inTrash()).toHaveLength(3);
  expect(world.engine.trash.size(projectId).takes).toBe(3);
  rmSync(inProject(files[0] ?? ''));

  await cutOff('restoring', () => {
    renameSync(inProject(names[2] ?? ''), inProject(files[2] ?? ''));
    world.sql('UPDATE outputs SET file = home, home = NULL');
  });
  expect(state()).toEqual(Array.from({ length: 3 }, () => ['home', true]));
  expect(inTrash()).toEqual([]);
  expect(world.recipeOf(idOf('a')).trash).toBeUndefined();

  await move('trashing', idOf('a'), idOf('b'), idOf('c'));
  await cutOff('emptying', () => rmSync(inProject(names[1] ?? '')));
  expect(state()).toEqual(Array.from({ length: 3 }, () => ['emptied', false]));
  expect(inTrash()).toEqual([]);
  expect(world.recipeOf(idOf('c')).trash).toBe('emptied');
  expect(world.job('a').files).toEqual([files[0]]);
});
