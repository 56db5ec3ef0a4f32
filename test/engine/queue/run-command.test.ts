import { beforeEach, describe, expect, it } from 'vitest';
import type { Command, Done } from '../../../src/contract/commands/command.ts';
import {
  commandNamed,
  commands,
  namesFor,
  type CommandInput,
  type CommandName,
  type ToldName,
} from '../../../src/contract/commands/index.ts';
import type { NightWindow } from '../../../src/contract/night-window.ts';
import { historyText } from '../../../src/contract/history.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const VIEW = 'view-1';

let world: World;
let project: string;
forEachTest((opened) => (world = opened));
beforeEach(async () => {
  await world.run([shot(1)], { name: 'Day 1' });
  await world.run([shot(2)], { name: 'Day 2' });
  project = world.projectId;
  await run('savedViews.save', { id: VIEW, projectId: projectId(), name: 'Best', filter: { sort: 'rating' } });
  await run('promptLibrary.setVariable', { projectId: projectId(), name: 'hero', text: 'Ada' });
  await run('promptLibrary.savePreset', { projectId: projectId(), kind: 'image', name: 'Wide', cells: { size: '2K' } });
});

const projectId = () => project;
const rows = () => world.engine.views.batches(projectId());
const idOf = (name: string) => rows().find((batch) => batch.name === name)?.id ?? '';
const history = () => world.engine.views.history({ count: 20 }).map(({ text }) => text);
const hours: NightWindow = { days: ['sun'], opens: '22:00', closes: '22:30', timeZone: 'UTC' };

/** Everything that the commands below change. */
const state = () => ({
  project: world.engine.stores.projects.get(projectId()),
  isArchived: world.engine.stores.projects.isArchived(projectId()),
  batches: rows().map(({ name, notes, archivedAt }) => [name, notes, archivedAt !== null]),
  caps: world.engine.spending.caps().map(({ scope, cap }) => [scope, cap]),
  windows: world.engine.windows.list(),
  views: world.engine.stores.savedViews.list(projectId()),
  variables: world.engine.stores.variables.list(projectId()),
  presets: world.engine.stores.presets.list(projectId()).map(({ id: _id, ...preset }) => preset),
});
const presetId = () => world.engine.stores.presets.list(projectId())[0]?.id ?? '';

const run = <Name extends ToldName>(name: Name, input: CommandInput<Name>): Promise<Done | null> =>
  world.whilePumping(world.act(name, input));
const undo = (done: Done | null): Promise<Done> =>
  world.whilePumping(world.engine.commands.undo(done?.undo ?? '', 'window'));

type Change = () => Promise<Done | null>;
/** A command whose input is put together when it is run. */
function does<Name extends ToldName>(command: Name, input: () => CommandInput<Name>): Change {
  return () => run(command, input());
}
const inProject = () => ({ projectId: projectId() });
const ofHero = () => ({ ...inProject(), name: 'hero' });
const dayOne = () => ({ batchId: idOf('Day 1') });
const name = (batch: string, name: string) => does('batches.rename', () => ({ batchId: idOf(batch), name }));
const note = (notes: string) => does('batches.setNotes', () => ({ ...dayOne(), notes }));
const sort = (order: 'name' | 'date') => does('batches.order', () => ({ ...inProject(), order }));
const order = (...names: string[]) =>
  does('batches.order', () => ({ ...inProject(), order: 'hand' as const, batchIds: names.map(idOf) }));
const cap = (takes: number) =>
  does('spending.changeCap', () => ({ scope: { scope: 'batch' as const, ...dayOne() }, change: { takes } }));
const nightCap = (takes: number | null) =>
  does('spending.changeCap', () => ({ scope: { scope: 'night' as const }, change: { takes } }));
const open = (window: NightWindow | null) =>
  does('windows.change', () => ({ scope: { scope: 'project' as const, ...inProject() }, window }));
const nameProject = (name: string) => does('projects.rename', () => ({ ...inProject(), name }));
const view = (id: string, name: string, sort: 'list' | 'rating') =>
  does('savedViews.save', () => ({ ...inProject(), id, name, filter: { sort } }));
const hero = (text: string) => does('promptLibrary.setVariable', () => ({ ...ofHero(), text }));
const place = (text: string) => does('promptLibrary.setVariable', () => ({ projectId: null, name: 'place', text }));
const preset = (size: string) =>
  does('promptLibrary.savePreset', () => ({ ...inProject(), kind: 'image' as const, name: 'Wide', cells: { size } }));
const namePreset = (name: string) => does('promptLibrary.renamePreset', () => ({ id: presetId(), name }));
const noHero = does('promptLibrary.removeVariable', ofHero);
const noPreset = does('promptLibrary.removePreset', () => ({ id: presetId() }));
const noView = does('savedViews.remove', () => ({ ...inProject(), id: VIEW }));

/** A command and one that changes the same in another way. */
const changes: readonly [string, Change, Change][] = [
  ['a name', name('Day 1', ' Dawn '), name('Dawn', 'Dusk')],
  ['notes', note(' Too dark '), note('Too bright')],
  ['an archived batch', does('batches.archive', dayOne), does('batches.unarchive', dayOne)],
  ['an order by name', sort('name'), sort('date')],
  ['an order by hand', order('Day 2', 'Day 1'), order('Day 1', 'Day 2')],
  ['a cap', cap(40), cap(50)],
  ['a cap of the night', nightCap(0), nightCap(null)],
  ['a night window', open(hours), open(null)],
  ['the name of a project', nameProject(' Reel '), nameProject('Film')],
  ['an archived project', does('projects.archive', inProject), does('projects.unarchive', inProject)],
  ['a new view', view('new', 'All', 'list'), view('new', 'All', 'rating')],
  ['a renamed view', view(VIEW, 'Top', 'rating'), view(VIEW, 'Top', 'list')],
  ['a deleted view', noView, view(VIEW, 'Best', 'list')],
  ['a new variable', place('The pier'), place('The beach')],
  ['a variable', hero('Grace'), noHero],
  ['a removed variable', noHero, hero('Mary')],
  ['a preset', preset('4K'), noPreset],
  ['a renamed preset', namePreset('Tall'), namePreset('Square')],
  ['a removed preset', noPreset, preset('1K')],
];

describe('a command', () => {
  it.each(changes)('is undone and done again, each with its line: %s', async (_what, change) => {
    const [before, linesBefore] = [state(), history().length];
    const done = await change();
    const after = state();
    expect(history()[0]).toEqual(done?.text);
    const undone = await undo(done);
    expect(state()).toEqual(before);
    expect(history()[0]).toEqual(undone.text);
    await undo(undone);
    expect(state()).toEqual(after);
    expect(history()).toHaveLength(linesBefore + 3);
  });

  it.each(changes)('is not undone over what was changed since: %s', async (_what, change, other) => {
    const done = await change();
    await other();
    const [since, lines] = [state(), history()];
    await expect(undo(done)).rejects.toMatchObject({ code: 'changed_since' });
    expect(state()).toEqual(since);
    expect(history()).toEqual(lines);
  });

  it('is undone once, and not after a restart', async () => {
    const done = await run('batches.rename', { batchId: idOf('Day 1'), name: 'Dawn' });
    await undo(done);
    await expect(undo(done)).rejects.toMatchObject({ code: 'undo_gone' });
    const again = await run('batches.rename', { batchId: idOf('Day 1'), name: 'Dawn' });
    await world.restart();
    await expect(undo(again)).rejects.toMatchObject({ code: 'undo_gone' });
    expect(idOf('Dawn')).not.toBe('');
  });

  it('puts batches back in their places, and leaves one that came since alone', async () => {
    const ids = [idOf('Day 2'), idOf('Day 1')];
    await run('batches.order', { projectId: projectId(), order: 'hand' as const, batchIds: ids });
    const moved = await run('batches.order', {
      projectId: projectId(),
      order: 'hand' as const,
      batchIds: ids.toReversed(),
    });
    await world.run([shot(3)], { name: 'Day 3' });
    await undo(moved);
    const names = rows().map(({ name }) => name);
    expect(names.indexOf('Day 2')).toBeLessThan(names.indexOf('Day 1'));
    expect(names).toContain('Day 3');
  });

  it('that has nothing to change leaves no line and nothing to undo', async () => {
    const lines = history();
    expect(await run('batches.rename', { batchId: idOf('Day 1'), name: 'Day 1' })).toBeNull();
    expect(await run('batches.unarchive', { batchId: idOf('Day 1') })).toBeNull();
    expect(history()).toEqual(lines);
  });

  it('is refused for what is in the archive, also when it is archived while the command waits', async () => {
    const batchId = idOf('Day 1');
    await run('batches.archive', { batchId });
    await expect(run('batches.rename', { batchId, name: 'Dawn' })).rejects.toMatchObject({ code: 'batch_archived' });
    await expect(run('batches.setNotes', { batchId, notes: 'x' })).rejects.toMatchObject({ code: 'batch_archived' });
    const other = idOf('Day 2');
    const archiving = run('batches.archive', { batchId: other });
    const renaming = run('batches.rename', { batchId: other, name: 'Dusk' });
    await archiving;
    await expect(renaming).rejects.toMatchObject({ code: 'batch_archived' });
    expect(idOf('Day 2')).toBe(other);
  });

  it('is not undone in the archive', async () => {
    const noted = await run('batches.setNotes', { batchId: idOf('Day 1'), notes: 'Too dark' });
    await run('batches.archive', { batchId: idOf('Day 1') });
    await expect(undo(noted)).rejects.toMatchObject({ code: 'batch_archived' });
    await world.act('projects.archive', { projectId: projectId() });
    await expect(undo(noted)).rejects.toMatchObject({ code: 'project_archived' });
  });

  it('says what it did as the history does', async () => {
    const done = await run('batches.rename', { batchId: idOf('Day 1'), name: 'Dawn' });
    expect(done?.text).toEqual(historyText('batch.renamed', { before: 'Day 1', name: 'Dawn' }));
  });
});

describe('every command of the table', () => {
  const names = Object.keys(commands).flatMap((noun) => namesFor(noun as keyof typeof commands));
  /** What it touches may be changed in the archive, or it says itself what may not. */
  const isFree = (name: CommandName): boolean => {
    const { touches, refusesItself } = commandNamed(name);
    return touches === 'nothing' || touches === 'archived project' || refusesItself !== undefined;
  };

  it('is refused for a project in the archive, by the ids that it is given', async () => {
    const [takeId = ''] = world.engine.stores.queries.list({}).map(({ id }) => id);
    const given = { projectId: projectId(), batchId: idOf('Day 1'), takeId, jobId: takeId, ids: [takeId] };
    const scope = { scope: 'project', projectId: projectId() };
    const id = presetId();
    await world.act('projects.archive', { projectId: projectId() });
    for (const name of names.filter((each) => !isFree(each))) {
      const answer = await run(name as ToldName, { ...given, scope, id } as never).catch((error: unknown) => error);
      expect({ name, answer }).toMatchObject({ name, answer: { code: 'project_archived' } });
    }
  });

  it('that is not refused there is given no id of anything in a project', () => {
    const ids = ['projectId', 'batchId', 'takeId', 'jobId', 'ids', 'scope'];
    const isOfNone = ({ touches, refusesItself }: Command): boolean =>
      touches === 'nothing' && refusesItself === undefined;
    for (const name of names.filter((each) => isOfNone(commandNamed(each)))) {
      const { input } = commandNamed(name);
      const fields = 'shape' in input ? Object.keys(input.shape as object) : [];
      expect({ name, ids: fields.filter((field) => ids.includes(field)) }).toEqual({ name, ids: [] });
    }
  });
});

describe('a command for jobs', () => {
  const jobs = () => world.engine.stores.queries.list({ projectId: projectId() });
  const facts = () => jobs().map(({ shot, state, paused, priority }) => [shot, state, paused, priority]);
  beforeEach(async () => {
    world.engine.queue.pause();
    await world.import([shot(3), { ...shot(4), priority: 7 }], { name: 'Waiting' });
  });
  const waiting = () =>
    jobs()
      .filter(({ state }) => state === 'ready')
      .map(({ id }) => id);

  it.each([
    ['held', () => run('jobs.hold', { ids: waiting(), held: true })],
    ['moved, each back into its own place', () => run('jobs.prioritise', { ids: waiting(), priority: 9 })],
    ['cancelled', () => run('jobs.cancel', { ids: waiting() })],
    ['withdrawn', () => run('jobs.withdraw', { ids: waiting() })],
  ])('is undone and done again where takes were %s', async (_what, change) => {
    const before = facts();
    const done = await change();
    const after = facts();
    expect(after).not.toEqual(before);
    const undone = await undo(done);
    expect(facts()).toEqual(before);
    await undo(undone);
    expect(facts()).toEqual(after);
  });

  it('is not undone where a take went on since, and says why', async () => {
    const done = await run('jobs.withdraw', { ids: waiting() });
    await run('jobs.retry', {
      ids: jobs()
        .filter(({ state }) => state === 'cancelled')
        .map(({ id }) => id),
    });
    world.engine.queue.resume();
    await world.settle();
    const lines = history();
    await expect(undo(done)).rejects.toMatchObject({ code: 'changed_since' });
    expect(history()).toEqual(lines);
  });

  it('offers no undo of a retry that asked again for what failed', async () => {
    const [saved] = jobs();
    expect(await run('jobs.retry', { ids: [saved?.id ?? ''] })).toMatchObject({ text: '', undo: null });
  });
});

describe('a command for takes', () => {
  const takes = async () =>
    (await world.engine.review.list({ projectId: projectId(), sort: 'list' }, { start: 0, count: 9 })).takes;
  const facts = async () => (await takes()).map(({ id, verdict, trash }) => [id, verdict, trash]);
  const ids = () => world.jobs().map(({ id }) => id);

  it.each([
    [
      'merged from a review',
      () =>
        run('takes.mergeReview', { each: ids().map((takeId, index) => ({ takeId, verdict: { rating: index + 1 } })) }),
    ],
    ['judged', () => run('takes.judge', { ids: ids(), verdict: { flag: 'pick', addTags: ['hero'] }, by: '' })],
    ['put into the trash', () => run('takes.trash', { ids: ids() })],
  ])('is undone and done again where takes were %s', async (_what, change) => {
    const before = await facts();
    const done = await change();
    const after = await facts();
    expect(after).not.toEqual(before);
    const undone = await undo(done);
    expect(await facts()).toEqual(before);
    await undo(undone);
    expect(await facts()).toEqual(after);
  });

  it('counts the verdicts that change, and has nothing to do where none does', async () => {
    const [first = ''] = ids();
    const pick = (...takes: string[]) => run('takes.judge', { ids: takes, verdict: { flag: 'pick' }, by: '' });
    await pick(first);
    const lines = history();
    expect(await pick(first)).toBeNull();
    expect(history()).toEqual(lines);
    const done = await pick(...ids());
    const none = { alternates: 0, rejects: 0, unflagged: 0, stars: 0, notes: 0, tags: 0 };
    expect(done?.text).toEqual(historyText('takes.judged', { verdicts: 1, picks: 1, ...none }));
    expect((await undo(done)).text).toEqual(historyText('verdicts.undone', { verdicts: 1 }));
  });

  it('leaves a verdict alone that was given since, also when it is done again', async () => {
    const [first = '', second = ''] = ids();
    const done = await run('takes.judge', { ids: [first, second], verdict: { rating: 4 }, by: '' });
    await run('takes.judge', { ids: [second], verdict: { rating: 1 }, by: '' });
    const ratings = async () => new Map((await takes()).map(({ id, verdict }) => [id, verdict.rating]));
    const undone = await undo(done);
    expect(await ratings()).toEqual(
      new Map([
        [first, 0],
        [second, 1],
      ]),
    );
    await undo(undone);
    expect(await ratings()).toEqual(
      new Map([
        [first, 4],
        [second, 1],
      ]),
    );
    await run('takes.judge', { ids: [first], verdict: { rating: 2 }, by: '' });
    await expect(undo(done)).rejects.toMatchObject({ code: 'undo_gone' });
  });

  it('takes a queued take back unless it was sent, and queues it again', async () => {
    world.engine.queue.pause();
    const done = await run('takes.another', { takeId: ids()[0] ?? '', changes: { cells: {} } });
    const made = () => world.jobs().find(({ take }) => take === 2);
    const undone = await undo(done);
    expect(made()).toMatchObject({ state: 'cancelled' });
    await undo(undone);
    expect(made()).toMatchObject({ standing: 'unfinished' });
  });
});
