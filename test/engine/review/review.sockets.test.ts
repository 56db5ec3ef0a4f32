import { errorSaying } from '../../support/saying.ts';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { MoreTakes, NewTake, TakeFilter, TakeView } from '../../../src/contract/review.ts';
import { Settings, type Price } from '../../../src/contract/settings.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import type { Exported } from '../../../src/engine/review/export-takes.ts';
import type { Review } from '../../../src/engine/review/review.ts';
import { sayText } from '../../../src/contract/messages/words.ts';
import { HistoryStore } from '../../../src/engine/db/history-store.ts';
import { openDatabase } from '../../../src/engine/db/open.ts';
import { plants } from '../../support/planted-files.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { still as shot } from '../db/seed.ts';

let world: World;
let review: Review;
let projectId: string;

const list = async (filter: Partial<TakeFilter> = {}): Promise<TakeView[]> =>
  (await review.list({ projectId, sort: 'list', ...filter }, { start: 0, count: 100 })).takes;
const keys = async (filter: Partial<TakeFilter> = {}): Promise<string[]> =>
  (await list(filter)).map(({ shot: key, take }) => `${key}/${take}`);
const idOf = (key: string, take = 1): string => world.job(key, take).id;
const film = (key: string): ShotSpec => shot(key, { kind: 'video', model: 'vgen-2.0-nt', params: { duration: 5 } });
const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);
const another = (takeId: string, changes: NewTake['changes'] = { cells: {} }) => review.another({ takeId, changes });

async function save(...shots: ShotSpec[]): Promise<void> {
  await world.run(shots);
  review = world.engine.review;
  projectId = world.projectId;
}

forEachTest((opened) => (world = opened));

describe('takes', () => {
  it('are listed in the order of their list, or in another one', async () => {
    await save(
      shot('b', { takes: 2 }),
      shot('a'),
      shot('c', { kind: 'video', model: 'vgen-2.0-nt', params: { duration: 5 } }),
    );
    expect(await keys()).toEqual(['b/1', 'b/2', 'a/1', 'c/1']);
    expect(await keys({ sort: 'shot' })).toEqual(['a/1', 'b/1', 'b/2', 'c/1']);
    review.judge([idOf('c')], { rating: 5 });
    review.judge([idOf('b', 2)], { rating: 2 });
    expect(await keys({ sort: 'rating' })).toEqual(['c/1', 'b/2', 'b/1', 'a/1']);
  });

  it('are found by kind, model, rating, flag, standing and text', async () => {
    await save(
      shot('a', { prompt: 'A 100% grey_wall', notes: 'Reshoot' }),
      shot('b', { kind: 'video', model: 'vgen-2.0-nt', params: { duration: 5 } }),
    );
    review.judge([idOf('a')], { rating: 3, flag: 'pick', note: 'Lovely light' });
    expect(await keys({ kind: 'video' })).toEqual(['b/1']);
    expect(await keys({ model: 'image-demo' })).toEqual(['a/1']);
    expect(await keys({ minRating: 3 })).toEqual(['a/1']);
    expect(await keys({ minRating: 0 })).toEqual(['a/1', 'b/1']);
    expect(await keys({ rating: 3 })).toEqual(['a/1']);
    expect(await keys({ rating: 2 })).toEqual([]);
    expect(await keys({ rating: 0 })).toEqual(['b/1']);
    expect(await keys({ flag: 'pick' })).toEqual(['a/1']);
    expect(await keys({ flag: 'none' })).toEqual(['b/1']);
    expect(await keys({ standing: 'saved' })).toEqual(['a/1', 'b/1']);
    expect(await keys({ standing: 'failed' })).toEqual([]);
    for (const text of ['100%', 'grey_wall', 'reshoot', 'LIGHT', 'a', '%', '_']) {
      expect((await keys({ text }))[0]).toBe('a/1');
    }
    expect(await keys({ text: '0%_' })).toEqual([]);
    expect(await keys({ text: "'; DROP TABLE jobs; --" })).toEqual([]);
  });

  it('name the models they are made with, those of other pages too', async () => {
    await save(shot('a', { takes: 2 }), shot('b', { kind: 'video', model: 'vgen-2.0-nt', params: { duration: 5 } }));
    expect(world.engine.stores.review.models(projectId)).toEqual(['image-demo', 'vgen-2.0-nt']);
    expect(world.engine.stores.review.models('nobody')).toEqual([]);
  });

  it('come page by page, with how many there are, and know their siblings', async () => {
    await save(shot('a', { takes: 5 }));
    const page = await review.list({ projectId, sort: 'list' }, { start: 3, count: 10 });
    expect(page.total).toBe(5);
    expect(page.takes.map(({ take }) => take)).toEqual([4, 5]);
    const beyond = await review.list({ projectId, sort: 'list' }, { start: 5, count: 10 });
    expect(beyond).toEqual({ total: 5, takes: [] });
    expect(review.details(idOf('a', 2)).siblings.map(({ take }) => take)).toEqual([1, 2, 3, 4, 5]);
  });

  it('that are not there are refused in words', async () => {
    await save(shot('a'));
    expect(() => review.details('none')).toThrow(/noSuch .*none/);
    expect(() => review.judge([idOf('a'), 'none'], { rating: 1 })).toThrow(/noSuch .*none/);
    expect(review.details(idOf('a')).take.verdict.rating).toBe(0);
  });
});

describe('takes that are made otherwise', () => {
  const more = (wanted: Partial<MoreTakes>) =>
    review.more(
      {
        ...{ ids: [idOf('a')], how: 'retake', note: 'Darker', own: {}, changes: { cells: {} } },
        ...{ count: 1, onlyMissing: false },
        ...wanted,
      },
      () => undefined,
    );

  it('are never more than a person has seen the price of, and are all queued or none', async () => {
    await save(shot('a'), shot('b'));
    await expect(more({ count: 3, newTakes: 2 })).rejects.toMatchObject({ code: 'plan_changed' });
    await expect(more({ ids: [idOf('a'), 'none'] })).rejects.toMatchObject({ code: 'unknown_take' });
    const bad = { ids: [idOf('a'), idOf('b')], changes: { cells: { n: 'many' } } };
    await expect(more(bad)).rejects.toMatchObject({ code: 'does_not_fit' });
    expect(await keys()).toEqual(['a/1', 'b/1']);
    expect((await more({ count: 3, newTakes: 3 })).takes.map(({ take }) => take)).toEqual([2, 3, 4]);
  });

  it('have notes and prompts of their own, and the common ones otherwise', async () => {
    await save(shot('a'), shot('b'));
    const own = { [idOf('b')]: { note: 'Closer', prompt: 'A door' } };
    const { takes } = await more({ ids: [idOf('a'), idOf('b')], own });
    expect(takes.map(({ shot: key, prompt, from }) => [key, prompt, from?.[0]?.note])).toEqual([
      ['a', takes[0]?.prompt, 'Darker'],
      ['b', 'A door', 'Closer'],
    ]);
    expect(await keys({ text: 'is:retake' })).toEqual(['a/2', 'b/2']);
    expect(await keys({ text: '-is:retake' })).toEqual(['a/1', 'b/1']);
    expect(review.details(idOf('b')).usedIn).toMatchObject([{ how: 'retake', note: 'Closer', take: 2 }]);
    const again = await more({ ids: [idOf('a'), idOf('b')], own, onlyMissing: true });
    expect(again).toMatchObject({ takes: [], left: { length: 2 } });
  });
});

describe('a verdict', () => {
  it('changes what it names, and is given back for undo', async () => {
    await save(shot('a'), shot('b'));
    const ids = [idOf('a'), idOf('b')];
    review.judge(ids, { rating: 4, flag: 'pick' });
    const { before } = review.judge(ids, { flag: 'reject', note: 'No' });
    expect(before.map(({ verdict }) => verdict)).toEqual(Array(2).fill({ rating: 4, flag: 'pick', note: '' }));
    expect((await list())[0]?.verdict).toEqual({ rating: 4, flag: 'reject', note: 'No' });
    expect(review.restore(before, { flag: 'reject', note: 'No' })).toMatchObject({ takeIds: { length: 2 } });
    expect((await list())[0]?.verdict).toEqual({ rating: 4, flag: 'pick', note: '' });
  });

  it('that is taken back takes along nothing that was judged since', async () => {
    await save(shot('a'), shot('b'));
    const { before: picked } = review.judge([idOf('a'), idOf('b')], { flag: 'pick' });
    review.judge([idOf('a')], { rating: 5, note: 'Lovely light' });
    expect(review.restore(picked, { flag: 'pick' })).toMatchObject({ takeIds: { length: 2 } });
    expect((await list()).map(({ verdict }) => verdict)).toEqual([
      { rating: 5, flag: null, note: 'Lovely light' },
      { rating: 0, flag: null, note: '' },
    ]);
  });

  it('is told in the history with those of the same minute, and its undo beside them', async () => {
    await save(shot('a'), shot('b', { takes: 2 }));
    const ids = [idOf('a'), idOf('b'), idOf('b', 2)];
    const { before } = review.judge(ids, { flag: 'alternate', addTags: ['hero'] }, 'left');
    review.judge([idOf('a')], { flag: 'reject' }, 'left');
    review.judge([idOf('b')], { flag: 'pick' }, 'left');
    review.restore(before, { flag: 'alternate', addTags: ['hero'] }, { window: 'left' });
    const lines = new HistoryStore(openDatabase(world.dataFolder)).page({ projectId, count: 2 });
    expect(lines.map(({ by, text }) => [by, sayText(text)])).toEqual([
      ['window', 'Undid 3 changes in review.'],
      ['window', 'Made 5 changes in review. Picks: 1. Alternates: 3. Rejections: 1. Tags: 3.'],
    ]);
  });

  it('moves the pick of a shot, and moves it back', async () => {
    await save(shot('a', { takes: 3 }), shot('b'));
    const flags = async () => (await list()).map(({ verdict }) => verdict.flag);
    review.judge([idOf('a'), idOf('b')], { flag: 'pick' });
    const { before: moved } = review.judge([idOf('a', 2)], { flag: 'pick', rating: 5 });
    expect(await flags()).toEqual(['alternate', 'pick', null, 'pick']);
    await world.rest();
    expect(world.recipeOf(idOf('a')).verdict?.flag).toBe('alternate');
    expect(review.restore(moved, { flag: 'pick', rating: 5 })).toEqual({ takeIds: [idOf('a', 2)] });
    expect(await flags()).toEqual(['pick', null, null, 'pick']);
    // Where a third one is the pick by now, none of the earlier ones becomes a second pick.
    const { before: second } = review.judge([idOf('a', 2)], { flag: 'pick' });
    review.judge([idOf('a', 3)], { flag: 'pick' });
    expect(review.restore(second, { flag: 'pick' })).toEqual({ takeIds: [] });
    expect(await flags()).toEqual(['alternate', 'alternate', 'pick', 'pick']);
  });

  it('picks one take of a shot at most: several are refused by name, and nothing is set', async () => {
    await save(shot('a', { takes: 2 }), shot('b'));
    expect(() => review.judge([idOf('a'), idOf('a', 2), idOf('b')], { flag: 'pick', rating: 5 })).toThrow(
      errorSaying(
        'A shot has one pick, and several takes were chosen of a (1, 2). No take was changed. Choose one take of each shot.',
      ),
    );
    expect((await list()).map(({ verdict: { flag, rating } }) => [flag, rating])).toEqual(Array(3).fill([null, 0]));
    review.judge([idOf('b'), idOf('b')], { flag: 'pick' });
    expect((await list()).at(-1)?.verdict.flag).toBe('pick');
  });

  it('of a folder that has several picks of a shot keeps the newest', async () => {
    await save(shot('a', { takes: 2 }));
    const [first, second] = [idOf('a'), idOf('a', 2)];
    review.judge([first], { flag: 'pick' });
    await world.stop();
    const file = join(world.projectPath, '.dailies', 'takes', `${second}.json`);
    const recipe = { ...world.recipeOf(second), verdict: { rating: 0, flag: 'pick', note: '' } };
    writeFileSync(file, JSON.stringify(recipe));
    rmSync(world.dataFolder, { recursive: true });
    await world.openProject();
    const flagOf = (id: string) => world.engine.review.details(id).take.verdict.flag;
    expect([flagOf(first), flagOf(second)]).toEqual(['alternate', 'pick']);
  });

  it('that another window has changed since is left as it is', async () => {
    await save(shot('a'));
    const { before: unrated } = review.judge([idOf('a')], { rating: 3 });
    review.judge([idOf('a')], { rating: 4 });
    expect(review.restore(unrated, { rating: 3 })).toEqual({ takeIds: [] });
    expect((await list())[0]?.verdict.rating).toBe(4);
  });

  it('stands in the take’s recipe, and goes with the folder to another machine', async () => {
    await save(film('a'), shot('b'));
    const strokes = [{ color: 'red' as const, points: [0, 0.5, 0.25, 1] }];
    const atFrames = {
      marks: [{ output: 1, in: 2, out: 12 }],
      notes: [{ id: 'n1', output: 1, from: 4, to: 9, text: 'Hand', strokes }],
    };
    const verdict = { rating: 5, flag: 'pick', note: 'The one', tags: ['hero', 'night train'], ...atFrames } as const;
    const { tags, marks, notes, ...single } = verdict;
    const id = idOf('a');
    review.judge([id], { ...single, addTags: [...tags], marks: [...marks], addNotes: [...notes] });
    await world.stop();
    expect(world.recipeOf(id).verdict).toEqual(verdict);

    const moved = join(world.folder, 'moved');
    cpSync(world.projectPath, moved, { recursive: true });
    rmSync(world.dataFolder, { recursive: true });
    await world.start();
    const opened = await world.engine.projects.open(moved);
    expect(opened.adoptedTakes).toBe(2);
    expect(world.engine.review.details(id).take.verdict).toEqual(verdict);
  });

  it('has frames of its own film alone: what it does not have is refused, and nothing is changed', async () => {
    await save(film('a'), shot('b'));
    const ids = [idOf('a'), idOf('b')];
    const note = { id: 'n', output: 1, from: 3, text: 'Hand' };
    expect(() => review.judge(ids, { marks: [{ output: 1, in: 3 }] })).toThrow(errorSaying(/of b is not a video/));
    expect(() => review.judge(ids, { addNotes: [note] })).toThrow(errorSaying(/of b is not a video/));
    expect(() => review.judge(ids, { marks: [{ output: 2, in: 3 }] })).toThrow(errorSaying(/no file 2/));
    review.judge([idOf('a')], { marks: [{ output: 1, in: 9 }] });
    expect(() => review.judge([idOf('a')], { marks: [{ output: 1, out: 9 }] })).toThrow(
      errorSaying(/after its in mark/),
    );
    const many = Array.from({ length: 200 }, (_none, index) => ({ ...note, id: `m${String(index)}` }));
    review.judge([idOf('a')], { addNotes: many });
    expect(() => review.judge([idOf('a')], { addNotes: [note] })).toThrow(errorSaying(/more than 200/));
    expect((await list())[0]?.verdict).toMatchObject({ marks: [{ output: 1, in: 9 }], notes: many.toSorted(byId) });
    expect(await keys({ text: 'is:marked' })).toEqual(['a/1']);
    expect(await keys({ text: 'note:hand' })).toEqual(['a/1']);
    expect(await keys({ text: 'hand' })).toEqual(['a/1']);
    expect(await keys({ text: 'has:note' })).toEqual(['a/1']);
    const { before } = review.judge([idOf('a')], { removeNotes: ['m1'] });
    review.judge([idOf('a')], { addNotes: [note] });
    review.restore(before, { removeNotes: ['m1'] });
    expect((await list())[0]?.verdict.notes?.map(({ id }) => id)).toEqual(expect.arrayContaining(['m1', 'n']));
  });

  it('gets and loses tags beside those that it has, and one that cannot be a tag changes nothing', async () => {
    await save(shot('a'), shot('b'));
    const ids = [idOf('a'), idOf('b')];
    review.judge([idOf('a')], { addTags: ['Cafe\u0301'] });
    const { before } = review.judge(ids, { addTags: [' hero '], removeTags: ['CAFÉ'] });
    const tags = async () => (await list()).map(({ verdict }) => verdict.tags ?? []);
    expect(await tags()).toEqual([['hero'], ['hero']]);
    review.judge([idOf('b')], { addTags: ['since'] });
    expect(review.restore(before, { addTags: ['hero'], removeTags: ['café'] })).toMatchObject({
      takeIds: { length: 2 },
    });
    expect(await tags()).toEqual([['Café'], ['since']]);

    expect(() => review.judge(ids, { rating: 5, addTags: ['fine', 'a,b'] })).toThrow(
      errorSaying('“a,b” cannot be a tag.'),
    );
    const many = Array.from({ length: 30 }, (_none, index) => `tag ${index}`);
    expect(() => review.judge(ids, { addTags: many })).toThrow(
      errorSaying('a · take 1 would exceed 30 tags. No take was changed. Remove tags of this take first.'),
    );
    expect(await tags()).toEqual([['Café'], ['since']]);
    expect((await list()).map(({ verdict }) => verdict.rating)).toEqual([0, 0]);
    expect(world.engine.stores.review.tags(projectId)).toEqual([
      { tag: 'Café', takes: 1 },
      { tag: 'since', takes: 1 },
    ]);
  });

  it('is written into the recipe by the next engine when the last one was killed first', async () => {
    await save(shot('a'));
    const id = idOf('a');
    await world.stop();
    await world.start();
    world.sql(`INSERT INTO verdicts (job_id, rating, flag, note, in_recipe) VALUES (?, 3, NULL, '', 0)`, id);
    await world.restart();
    await world.until('the verdict in the recipe', () => world.recipeOf(id).verdict?.rating === 3);
  });

  it('waits in the database while the folder is away', async () => {
    await save(shot('a'));
    const id = idOf('a');
    const away = join(world.folder, 'away');
    cpSync(world.projectPath, away, { recursive: true });
    rmSync(world.projectPath, { recursive: true });
    world.engine.review.judge([id], { rating: 2 });
    await world.rest();
    cpSync(away, world.projectPath, { recursive: true });
    await world.restart();
    await world.until('the verdict in the recipe', () => world.recipeOf(id).verdict?.rating === 2);
  });

  it('outlives what is done with its take', async () => {
    await save(shot('a'));
    const id = idOf('a');
    review.judge([id], { flag: 'pick' });
    await world.restart();
    await world.run([shot('a', { notes: 'Edited' })]);
    expect(world.engine.review.details(id).take.verdict.flag).toBe('pick');
  });
});

describe('another take', () => {
  it('is of the same shot, goes before the list, and overwrites nothing', async () => {
    await save(shot('a'));
    world.engine.queue.pause();
    await world.import([shot('a'), shot('b'), shot('c')]);
    const made = await another(idOf('a'));
    expect(made).toMatchObject({ shot: 'a', take: 2, state: 'ready', prompt: 'Still a' });
    const prompts = world.posts().length;
    await world.pass(5000);
    world.engine.queue.resume();
    await world.settle();
    expect(world.posts()[prompts]?.body).toMatchObject({ prompt: 'Still a' });
    expect(readdirSync(join(world.projectPath, 'Day 1')).filter((name) => name.startsWith('a_'))).toEqual([
      'a_t1.png',
      'a_t2.png',
    ]);
  });

  it("leaves time to change one's mind before it is sent, and is undone without a charge", async () => {
    await save(shot('a'));
    const sent = world.posts().length;
    const made = await another(idOf('a'));
    expect(made.standing).toBe('unfinished');
    await world.rest();
    expect(world.posts()).toHaveLength(sent);
    expect(world.engine.jobs.withdraw(made.id)).toMatchObject({ ok: true, job: { state: 'cancelled' } });
    await world.comesTo({ posts: sent });
    // Once it was sent it would be charged all the same.
    const late = await another(idOf('a'));
    await world.settle();
    expect(world.engine.jobs.withdraw(late.id)).toMatchObject({ ok: false, job: { state: 'saved' } });
  });

  it('with changes asks for them, and leaves the list as it is', async () => {
    await save(shot('a', { kind: 'video', model: 'vgen-2.0-nt', params: { duration: 5, watermark: true } }));
    const cells = { duration: '8', watermark: '', notes: 'later' };
    const made = await another(idOf('a'), { prompt: 'At night', cells });
    await world.settle();
    expect(world.recipeOf(made.id)).toMatchObject({
      shot: { prompt: 'At night', params: { duration: 8 }, notes: 'later' },
    });
    expect(world.recipeOf(made.id).shot.params).not.toHaveProperty('watermark');
    const again = shot('a', { kind: 'video', model: 'vgen-2.0-nt', params: { duration: 5, watermark: true } });
    expect(await world.engine.batches.plan(projectId, 'Day 1', [again])).toMatchObject({
      changed: [],
      unchanged: [{ key: 'a' }],
    });
  });

  it('waits for an import under way, and is counted after the takes of that', async () => {
    await world.start();
    review = world.engine.review;
    const many = Array.from({ length: 900 }, (_, index) => shot(String(index)));
    await world.import(many);
    const importing = world.import(many.map((each) => ({ ...each, takes: 2 })));
    while (world.counts().unfinished === 900) await nextTurn();
    const made = await another(idOf('899'));
    await importing;
    expect(made.take).toBe(3);
    expect(world.counts()).toMatchObject({ unfinished: 1801 });
  });

  it('that the service would refuse is refused before it is asked', async () => {
    await save(shot('a', { kind: 'video', model: 'vgen-2.0-nt', params: { duration: 5 } }));
    const refused = { code: 'does_not_fit', text: expect.saying(/duration/) as unknown };
    await expect(another(idOf('a'), { cells: { duration: '99' } })).rejects.toMatchObject(refused);
    const { code } = refused;
    await expect(another(idOf('a'), { cells: { shot: 'b' } })).rejects.toMatchObject({ code });
    expect(world.jobs()).toHaveLength(1);
  });
});

describe('where a take came from', () => {
  const fromOf = (take: number) =>
    world.job('a', take).from?.map(({ how, take: number }) => `${how} ${String(number)}`);

  it('is kept with it: another take, one with changes, and where each was used', async () => {
    await save(shot('a'));
    const first = idOf('a');
    const again = await another(first);
    await another(again.id, { prompt: 'At night', cells: {} });
    await world.settle();
    expect([1, 2, 3].map(fromOf)).toEqual([undefined, ['again 1'], ['changes 2']]);
    expect(review.details(first).usedIn).toEqual([{ takeId: again.id, how: 'again', shot: 'a', take: 2 }]);
    expect(world.recipeOf(world.job('a', 3).id).from).toEqual([{ takeId: again.id, how: 'changes' }]);
  });

  it('is a file of a take where one is named, which is sent again with the next take of that', async () => {
    await save(shot('a', { params: { n: 2 } }));
    const source = { parameter: 'image', output: 2 };
    const made = await review.another({
      takeId: idOf('a'),
      changes: { prompt: 'Make it night', cells: { operation: 'edit', n: '' } },
      derivation: { how: 'edit', source },
    });
    await world.settle();
    const again = await another(made.id);
    await world.comesTo({ saved: 3, failed: 0 });
    const edits = world.posts().filter(({ path }) => path.includes('edits'));
    const sent = edits.map(({ body }) => (body as { files: { sha256: string }[] }).files[0]?.sha256);
    const { sha256 } = review.details(idOf('a')).take.outputs[1] ?? {};
    expect(sent).toEqual([sha256, sha256]);
    expect(again.from?.map(({ how, take }) => [how, take]).sort()).toEqual([
      ['again', 2],
      ['edit', 1],
    ]);
  });

  it('is refused where the take has no such file, or the column takes none of its kind', async () => {
    await save(shot('a'));
    const wanted = (parameter: string, output: number) =>
      review.another({
        takeId: idOf('a'),
        changes: { cells: { operation: 'edit' } },
        derivation: { how: 'edit', source: { parameter, output } },
      });
    await expect(wanted('image', 2)).rejects.toMatchObject({ code: 'no_such_file' });
    await expect(wanted('size', 1)).rejects.toMatchObject({ code: 'does_not_fit' });
    expect(world.jobs()).toHaveLength(1);
  });

  it('may be a row of the list: a new take with changes names one too, but none that waits for it', async () => {
    await save(shot('a'), shot('b'));
    const edit = (name: string) => another(idOf('a'), { cells: { operation: 'edit', image: `Shot://${name}` } });
    await edit('b');
    await world.settle();
    expect(fromOf(2)?.sort()).toEqual(['changes 1', 'reference 1']);
    await expect(edit('c')).rejects.toMatchObject({ text: expect.saying(/has the key c/) as unknown });
    await expect(edit('a')).rejects.toMatchObject({ text: expect.saying(/refers to itself/) as unknown });
  });

  it('is taken over with the project where nobody has seen its database', async () => {
    await save(shot('a'));
    await another(idOf('a'));
    await world.settle();
    await world.openOn('elsewhere');
    expect(fromOf(2)).toEqual(['again 1']);
  });
});

describe('what was spent', () => {
  const usePrices = (prices: Price[]): void =>
    world.engine.updateSettings(Settings.parse({ baseUrl: world.service.url, prices, currency: 'EUR' }));
  const nothing = { requests: 0, price: null, unpriced: 0 };

  it('is told by the price table of today: of a take, a batch and a project', async () => {
    await save(
      shot('a', { params: { n: 2 } }),
      shot('b', { takes: 2 }),
      shot('c', { kind: 'video', model: 'vgen-2.0-nt', params: { duration: 5 } }),
    );
    expect(review.spent({ projectId })).toBeNull();
    usePrices([
      { model: 'image-*', per: 'output', price: 0.25 },
      { model: 'vgen-*', per: 'second', price: 0.5 },
    ]);
    const { batchId } = world.job('a');
    const all = {
      currency: 'EUR',
      charged: { requests: 4, price: 3.5, unpriced: 0 },
      sending: nothing,
      maybe: nothing,
    };
    await expect.poll(() => review.spent({ projectId })).toEqual(all);
    expect(review.spent({ projectId, batchId })).toEqual(all);
    expect(review.details(idOf('a')).spent?.charged).toEqual({ requests: 1, price: 0.5, unpriced: 0 });
    usePrices([{ model: 'vgen-*', per: 'second', price: 1 }]);
    await expect.poll(() => review.spent({ projectId })?.charged).toEqual({ requests: 4, price: 5, unpriced: 3 });
  });

  it('counts each request of a take, and sets apart what may not have been charged', async () => {
    await save(shot('a'), shot('b'), shot('c'));
    world.sql(`UPDATE attempts SET outcome = 'refused', task_id = NULL WHERE job_id = ?`, idOf('a'));
    world.sql(`UPDATE attempts SET outcome = 'unclear', task_id = NULL, failure = '{}' WHERE job_id = ?`, idOf('b'));
    world.sql(
      `INSERT INTO attempts (id, job_id, number, request, body_hash, origin, key_fingerprint, intended_at, outcome)
       SELECT 'again', job_id, 2, request, body_hash, origin, key_fingerprint, intended_at, 'answered'
       FROM attempts WHERE job_id = ?`,
      idOf('c'),
    );
    usePrices([{ model: '*', per: 'take', price: 1 }]);
    await expect
      .poll(() => review.spent({ projectId }))
      .toMatchObject({
        charged: { requests: 2, price: 2 },
        maybe: { requests: 1, price: 1 },
      });
  });
});

describe('an export', () => {
  const into = (): string => join(world.folder, 'selects');
  const exported = async (takeIds: string[]): Promise<Exported> => {
    const copying = review.export(takeIds, into());
    for (;;) {
      const { done, value } = await copying.next();
      if (done) return value;
    }
  };

  it('shows its progress, and leaves nothing behind when it is stopped', async () => {
    await save(shot('a'), shot('b'));
    mkdirSync(into());
    writeFileSync(join(into(), 'a_t1.png'), 'mine');
    const copying = review.export([idOf('a'), idOf('b')], into());
    const bytes = (await list()).map(({ outputs }) => outputs[0]?.bytes ?? 0);
    const ofAll = { ofFiles: 2, ofBytes: (bytes[0] ?? 0) + (bytes[1] ?? 0) };
    expect((await copying.next()).value).toEqual({ files: 0, bytes: bytes[0], ...ofAll });
    expect((await copying.next()).value).toEqual({ files: 1, bytes: bytes[0], ...ofAll });
    await copying.next();
    expect(readdirSync(into()).sort()).toEqual(['a_t1.png', 'a_t1_2.png', 'b_t1.png']);
    await copying.return({ folder: '', files: 0 });
    expect(readdirSync(into())).toEqual(['a_t1.png']);
    expect(readFileSync(join(into(), 'a_t1.png'), 'utf8')).toBe('mine');
  });

  it('leaves nothing behind when a file cannot be copied', async () => {
    await save(shot('a'), shot('b'));
    rmSync(join(world.projectPath, 'Day 1', 'b_t1.png'));
    mkdirSync(join(world.projectPath, 'Day 1', 'b_t1.png'));
    await expect(exported([idOf('a'), idOf('b')])).rejects.toMatchObject({ code: 'export_failed' });
    rmSync(join(world.projectPath, 'Day 1', 'b_t1.png'), { recursive: true });
    await expect(exported([idOf('b')])).rejects.toMatchObject({ code: 'export_failed' });
    expect(existsSync(into())).toBe(false);
  });

  it.each(Object.keys(plants))('reads nothing out of %s in the place of a take, and names it', async (what) => {
    await save(shot('a'), shot('b'));
    const file = join(world.projectPath, 'Day 1', 'b_t1.png');
    const secret = join(world.folder, 'id_ed25519');
    writeFileSync(secret, 'a private key');
    rmSync(file);
    plants[what]?.(file, secret);
    const refused = { code: 'export_failed', text: expect.saying(new RegExp(`${file} is ${what}`)) as unknown };
    await expect(exported([idOf('a'), idOf('b')])).rejects.toMatchObject(refused);
    expect(existsSync(into())).toBe(false);
  });

  it('takes away what it has copied when a link takes the place of a take meanwhile', async () => {
    await save(shot('a'), shot('b'));
    const secret = join(world.folder, 'id_ed25519');
    writeFileSync(secret, 'a private key');
    const copying = review.export([idOf('a'), idOf('b')], into());
    await copying.next();
    expect(readdirSync(into())).toEqual(['a_t1.png']);
    rmSync(join(world.projectPath, 'Day 1', 'b_t1.png'));
    symlinkSync(secret, join(world.projectPath, 'Day 1', 'b_t1.png'));
    await copying.next();
    await expect(copying.next()).rejects.toMatchObject({ code: 'export_failed' });
    expect(readdirSync(into())).toEqual([]);
  });

  it('copies every file under its name, and writes what it is', async () => {
    await save(shot('a', { params: { n: 2 }, prompt: '=SUM(1), "quoted"' }), shot('b'));
    review.judge([idOf('a')], { rating: 5, flag: 'pick', note: 'Best' });
    const { files } = await exported([idOf('a'), idOf('b')]);
    expect(files).toBe(3);
    expect(readdirSync(into()).sort()).toEqual(['a_t1_1.png', 'a_t1_2.png', 'b_t1.png', 'selects.csv']);
    const [, first] = readFileSync(join(into(), 'selects.csv'), 'utf8').split('\r\n');
    expect(first).toMatch(
      /^a_t1_1\.png,film,Day 1,a,1,5,pick,Best,,image,image-demo,"'=SUM\(1\), ""quoted""",[0-9a-f]{64}$/,
    );
  });

  it('tells the columns of the list that are the person’s own, which takes are sorted by', async () => {
    await save(
      shot('a', { columns: { Scene: '12', 'Day/Night': '=Night', Rating: 'PG' } }),
      shot('b', { columns: { Scene: '13', Reel: 'R1' } }),
    );
    await exported([idOf('a'), idOf('b')]);
    const rows = readFileSync(join(into(), 'selects.csv'), 'utf8').trimEnd().split('\r\n');
    const own = rows.map((row) => row.replaceAll('"', '').split(',').slice(-4));
    expect(own).toEqual([
      ['Scene', 'Day/Night', 'Rating (list)', 'Reel'],
      ['12', "'=Night", 'PG', ''],
      ['13', '', '', 'R1'],
    ]);
  });

  it('never writes over a file, in any spelling, and keeps both of two takes with one name', async () => {
    await save(shot('a', { fileName: 'hero' }), shot('b', { fileName: 'Hero' }));
    mkdirSync(into());
    writeFileSync(join(into(), 'hero.png'), 'mine');
    writeFileSync(join(into(), 'selects.csv'), 'mine');
    await exported([idOf('a'), idOf('b')]);
    expect(readFileSync(join(into(), 'hero.png'), 'utf8')).toBe('mine');
    expect(readFileSync(join(into(), 'selects.csv'), 'utf8')).toBe('mine');
    expect(readdirSync(into())).toHaveLength(5);
    expect(existsSync(join(into(), 'selects_2.csv'))).toBe(true);
  });
});

describe('projects at a glance', () => {
  it('have the state of their takes, their sizes, and whether they exist', async () => {
    await save(shot('a'), shot('b'));
    const [view] = await world.engine.views.projects();
    const bytes = (await list()).reduce((sum, { outputs }) => sum + (outputs[0]?.bytes ?? 0), 0);
    expect(view).toMatchObject({ counts: { saved: 2 }, batches: 1, bytes, available: true, isSample: false });
    rmSync(world.projectPath, { recursive: true });
    expect((await world.engine.views.projects())[0]).toMatchObject({ available: false });
  });

  it('follow a folder that was moved, and refuse another project in its place', async () => {
    await save(shot('a'));
    const moved = join(world.folder, 'moved');
    cpSync(world.projectPath, moved, { recursive: true });
    rmSync(world.projectPath, { recursive: true });
    const other = join(world.folder, 'other');
    await world.engine.projects.open(other);
    await expect(world.engine.projects.relink(projectId, other)).rejects.toMatchObject({ code: 'other_project' });
    await expect(world.engine.projects.relink(projectId, world.folder)).rejects.toMatchObject({
      code: 'not_a_project',
    });
    expect(existsSync(join(world.folder, '.dailies'))).toBe(false);
    await world.engine.projects.relink(projectId, moved);
    expect(await world.engine.views.project(projectId)).toMatchObject({ path: moved, available: true });
    expect(existsSync(review.details(idOf('a')).paths[0] ?? '')).toBe(true);
  });

  it('leave the list when told, unless something is unfinished, and come back when opened', async () => {
    await save(shot('a'));
    await world.import([shot('a'), shot('b')]);
    await expect(world.act('projects.forget', { projectId })).rejects.toThrow(errorSaying(/not finished/));
    await world.settle();
    await world.act('projects.forget', { projectId });
    const [line] = world.engine.views.history({ projectId, count: 1 });
    expect(line).toMatchObject({ by: 'window', text: { key: 'history.projectForgotten' } });
    expect(await world.engine.views.projects()).toEqual([]);
    await world.openProject();
    expect(await world.engine.views.projects()).toHaveLength(1);
  });
});

describe('the queue at a glance', () => {
  it('tells what was saved, and no end while nothing of the present run came in', async () => {
    await save(shot('a'), shot('b'));
    const view = await world.engine.views.queue();
    expect(view).toMatchObject({ running: true, counts: { saved: 2 }, freeBytes: world.freeBytes });
    world.engine.queue.pause();
    await world.import([shot('a'), shot('b'), shot('c')]);
    expect((await world.engine.views.queue()).status.expectedEnd).toBeUndefined();
  });

  it('shows new limits at once', async () => {
    await world.start();
    const settings = { baseUrl: world.service.url, maxRate: { submit: 1, poll: 2, download: 3 } };
    world.engine.updateSettings((await import('../../../src/contract/settings.ts')).Settings.parse(settings));
    expect((await world.engine.views.queue()).rates).toContainEqual({ requests: 'submit', now: 1, limit: 1 });
  });
});
