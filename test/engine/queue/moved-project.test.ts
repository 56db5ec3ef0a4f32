import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sayText } from '../../../src/contract/messages/words.ts';
import type { Recipe } from '../../../src/contract/take.ts';
import { startDemoService } from '../../../src/demo/service.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const HOUR = 3_600_000;
const SHOTS = [shot(1), shot(2), shot(3), shot(4)];

let world: World;
forEachTest((opened) => (world = opened));

const takesFolder = () => join(world.projectPath, '.dailies', 'takes');
const batchesFolder = () => join(world.projectPath, '.dailies', 'batches');

/** Changes the one file of a kind that matches, as another program might. */
function edit(folder: string, holds: string, change: (content: Recipe) => unknown): void {
  const name = readdirSync(folder).find((each) => readFileSync(join(folder, each), 'utf8').includes(holds)) ?? '';
  const content = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recipe;
  writeFileSync(join(folder, name), JSON.stringify(change(content)));
}

/** One saved, one of unknown fate, one still running, one never sent. */
async function worldWithEverything(): Promise<void> {
  world.fault({ method: 'POST', prompt: 'Shot 2' }, { fault: 'reset', commit: true });
  world.fault({ method: 'POST', prompt: 'Shot 3' }, { fault: 'outcome', end: 'succeeded', takesMs: HOUR });
  await world.import(SHOTS);
  world.engine.jobs.hold(world.job('0004').id, 'user');
  world.engine.queue.run({});
  await world.until(
    'the first file',
    () => world.job('0001').state === 'saved' && world.job('0003').taskId !== undefined,
  );
}

/** The project on a machine that has never seen its database. */
async function moveToAnotherMachine(): Promise<void> {
  await world.stop();
  world.moveTo('elsewhere');
}

describe('a copy of a project', () => {
  it('is refused while the first one is there, and changes nothing of it', async () => {
    await world.run([shot(1)]);
    const first = world.projectPath;
    const copy = join(world.folder, 'film copy');
    cpSync(first, copy, { recursive: true });
    await expect(world.engine.projects.open(copy)).rejects.toMatchObject({ code: 'project_copied' });
    expect(await world.engine.views.projects()).toMatchObject([{ path: first }]);
  });

  it('is the project itself once the first one is gone, or when it is only another spelling', async () => {
    await world.run([shot(1)]);
    const first = world.projectPath;
    const link = join(world.folder, 'same film');
    symlinkSync(first, link);
    await world.engine.projects.open(link);
    const copy = join(world.folder, 'film copy');
    cpSync(first, copy, { recursive: true });
    rmSync(first, { recursive: true });
    await world.engine.projects.open(copy);
    expect(world.job('0001')).toMatchObject({ state: 'saved' });
  });

  it('becomes a project of its own without its .dailies folder', async () => {
    await world.run([shot(1)]);
    const copy = join(world.folder, 'film copy');
    cpSync(world.projectPath, copy, { recursive: true });
    rmSync(join(copy, '.dailies'), { recursive: true });
    const opened = await world.engine.projects.open(copy);
    expect(opened.id).not.toBe(
      (await world.engine.views.projects()).find(({ path }) => path === world.projectPath)?.id,
    );
    expect(existsSync(join(copy, 'Day 1', '0001_t1.mp4'))).toBe(true);
  });
});

describe('a project folder on another machine', () => {
  it('opens with all its takes, follows what runs, asks about what is unknown, and sends nothing', async () => {
    await worldWithEverything();
    const posts = world.posts().length;
    await moveToAnotherMachine();
    const opened = await world.openProject();
    expect(opened).toMatchObject({ adoptedTakes: 3, problems: [] });
    expect(world.takes()).toEqual(['0001 1 saved', '0002 1 submit_unknown', '0003 1 accepted']);
    expect(world.job('0001').files).toEqual(['Day 1/0001_t1.mp4']);
    expect(world.job('0002').failure).toMatchObject({ cost: 'maybe' });
    const { id, taskId, traceId } = world.job('0003');
    expect(world.engine.review.details(id).attempts).toMatchObject([{ outcome: 'adopted', taskId, traceId }]);

    await world.settle();
    expect(world.job('0003')).toMatchObject({ state: 'saved', files: ['Day 1/0003_t1.mp4'] });
    world.has({ '0002': 'submit_unknown', posts: posts });
  });

  it('makes just the missing takes when its list is run there', async () => {
    await worldWithEverything();
    await moveToAnotherMachine();
    await world.run(SHOTS);
    expect(world.counts()).toMatchObject({ saved: 3, unknown: 1 });
    expect(world.posts('0004')).toHaveLength(1);
    expect(world.service.ledger.commits).toBe(4);
  });

  it('lets a person decide there, and journals a resubmit as the second attempt', async () => {
    await worldWithEverything();
    await moveToAnotherMachine();
    await world.openProject();
    const { id } = world.job('0002');
    world.engine.jobs.resolve(id, { action: 'resubmit' });
    await world.comesTo({ '0002': 'saved' });
    expect(world.posts('0002')).toHaveLength(2);
    await world.stop();
    expect(world.journal(id)).toMatchObject([{ number: 1 }, { number: 2, outcome: 'accepted' }]);
  });

  it('brings back its takes, so that none is made twice', async () => {
    await world.run([shot(1)]);
    const atHome = world.dataFolder;
    await world.stop();
    world.dataFolder = join(world.folder, 'the other machine');
    await world.run([shot(1), shot(2, { takes: 2 })]);
    await world.stop();
    world.dataFolder = atHome;
    await world.run([shot(1), shot(2, { takes: 2 })]);
    world.has({ saved: 3, posts: 3 });
  });

  it('does not make again at home what waited there and was made elsewhere', async () => {
    await world.import(SHOTS);
    for (const { id, shot: key } of world.jobs()) if (key !== '0001') world.engine.jobs.hold(id, 'user');
    await world.settle();
    await world.stop();
    const atHome = world.dataFolder;
    world.dataFolder = join(world.folder, 'the other machine');
    await world.run(SHOTS.slice(0, 3));
    await world.stop();
    world.dataFolder = atHome;
    await world.openProject();
    for (const { id, paused } of world.jobs()) if (paused) world.engine.jobs.hold(id, null);
    await world.settle();
    expect(world.takes()).toEqual([
      '0001 1 saved',
      '0002 1 saved',
      '0002 2 cancelled',
      '0003 1 saved',
      '0003 2 cancelled',
      '0004 1 rejected',
    ]);
    expect(world.job('0004').failure, 'the list there has no such row').toMatchObject({ code: 'row_outdated' });
    expect(world.posts()).toHaveLength(3);
  });

  it('is taken over whole or not at all: a database that fails meanwhile leaves no project without its takes', async () => {
    await worldWithEverything();
    await moveToAnotherMachine();
    await world.start();
    world.sql(`CREATE TRIGGER broken BEFORE INSERT ON outputs BEGIN SELECT raise_no_such_function(); END`);
    await expect(world.openProject()).rejects.toThrow();
    expect(world.engine.stores.projects.list()).toEqual([]);
    world.sql('DROP TRIGGER broken');
    expect(await world.openProject()).toMatchObject({ adoptedTakes: 3 });
  });
});

describe('a project folder whose files say what cannot be', () => {
  it('leaves out what leads out of it and tells of it; the rest opens', async () => {
    await worldWithEverything();
    await moveToAnotherMachine();
    edit(takesFolder(), '"Shot 1"', (recipe) => ({
      ...recipe,
      outputs: recipe.outputs.map((output) => ({ ...output, file: '../../etc/x' })),
    }));
    edit(takesFolder(), '"Shot 2"', (recipe) => ({ ...recipe, takeId: '../../../outside' }));
    writeFileSync(join(takesFolder(), 'broken.json'), '{"format":1');
    writeFileSync(join(takesFolder(), 'typed.json'), JSON.stringify({ format: 1, takeId: 7, outputs: 'none' }));
    const opened = await world.openProject();
    expect(opened.adoptedTakes).toBe(2);
    expect(opened.problems).toHaveLength(3);
    expect(opened.problems.map(sayText).join('\n')).toContain('is not an ID of Dailies');
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: [] });
    await world.comesTo({ '0003': 'saved' });
    expect(existsSync(join(world.folder, 'outside_1.part'))).toBe(false);
  });

  it.each(['../..', '/tmp/away', 'C:\\away', '..\\away', '.dailies/takes', '.'])(
    'writes nothing to the batch folder %s',
    async (folder) => {
      await worldWithEverything();
      await moveToAnotherMachine();
      edit(batchesFolder(), 'Day 1', (batch) => ({ ...batch, folder }));
      const opened = await world.openProject();
      expect(opened.adoptedTakes).toBe(0);
      expect(opened.problems[0]).saying(/Batch Day 1 was not added/);
      await world.settle();
      expect(world.jobs()).toEqual([]);
    },
  );

  it('shows both of two takes that claim the same number, the second under a new one', async () => {
    await worldWithEverything();
    await moveToAnotherMachine();
    edit(takesFolder(), '"Shot 1"', (recipe) => {
      const twin = { ...recipe, takeId: `${recipe.takeId}x`, attemptId: 'other' };
      writeFileSync(join(takesFolder(), `${recipe.takeId}x.json`), JSON.stringify(twin));
      return recipe;
    });
    expect(await world.openProject()).toMatchObject({ adoptedTakes: 4, problems: [] });
    expect(world.jobs().filter(({ shot: key }) => key === '0001')).toMatchObject([{ take: 1 }, { take: 2 }]);
  });

  it('cannot have the key sent to an address of its choice', async () => {
    await worldWithEverything();
    await moveToAnotherMachine();
    const stranger = await startDemoService({ clock: world.clock, media: 'tiny', apiKey: world.service.apiKey });
    onTestFinished(() => stranger.stop());
    edit(takesFolder(), '"Shot 3"', (recipe) => ({ ...recipe, origin: stranger.url }));
    await world.openProject();
    await world.settle();
    expect(world.job('0003')).toMatchObject({ state: 'accepted', paused: 'other_key' });
    await world.restart();
    await world.settle();
    expect(stranger.ledger.received).toBe(0);
  });
});

it('a project folder that was moved on the same machine is found at its new place with all its takes', async () => {
  await worldWithEverything();
  await world.stop();
  const before = world.projectPath;
  mkdirSync(join(world.folder, 'archive'));
  world.projectPath = join(world.folder, 'archive', 'film');
  renameSync(before, world.projectPath);
  await world.run(SHOTS);
  expect(world.counts()).toMatchObject({ saved: 2, unknown: 1, unfinished: 1 });
  expect(world.engine.stores.projects.list()).toMatchObject([{ path: world.projectPath }]);
  expect(existsSync(join(world.projectPath, 'Day 1', '0003_t1.mp4'))).toBe(true);
});

describe('a data folder that was restored from an older backup', () => {
  it('sends nothing again that the project folder knows was sent', async () => {
    await world.import([shot(1)]);
    await world.stop();
    const backup = `${world.dataFolder}-backup`;
    cpSync(world.dataFolder, backup, { recursive: true });
    await world.start();
    await world.comesTo({ '0001': 'saved' });
    await world.stop();

    world.dataFolder = backup;
    await world.start();
    await world.comesTo({ posts: 1 });
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp4'] });
    const [recipe = ''] = readdirSync(takesFolder());
    expect(JSON.parse(readFileSync(join(takesFolder(), recipe), 'utf8'))).toMatchObject({ state: 'saved' });
  });
});

it('a new folder that is opened twice at once becomes one project, however its path is spelt', async () => {
  await world.start();
  const films = join(world.folder, 'films');
  mkdirSync(films);
  const alias = join(world.folder, 'alias');
  symlinkSync(films, alias, 'junction');
  const paths = [join(films, 'reel'), join(alias, 'reel'), `${films}//other/../reel`];
  const opened = await Promise.all(paths.map((path) => world.engine.projects.open(path)));
  expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
  expect(world.engine.stores.projects.list()).toHaveLength(1);
});

describe('a project whose copy lacks the file of a batch', () => {
  const listed = () => world.engine.stores.batches.list(world.projectId);

  it('makes nothing again that its recipes know, under whatever name', async () => {
    await world.run(SHOTS, { name: 'Night' });
    await moveToAnotherMachine();
    rmSync(batchesFolder(), { recursive: true });
    await world.run(SHOTS, { name: 'Night' });
    expect(world.posts()).toHaveLength(4);
    const project = await world.openProject();
    const start = { project, name: 'Day', listFolder: world.folder, source: 'day.csv', shots: SHOTS, again: false };
    await expect(world.engine.batches.start({ ...start, agreed: [world.folder], paidAgain: 0 })).rejects.toThrow();
  });

  it('learns the rest from the file once it is there', async () => {
    await world.run(SHOTS, { name: 'Night', order: 'scout' });
    const [batch] = listed();
    await moveToAnotherMachine();
    const away = `${world.projectPath} files of batches`;
    renameSync(batchesFolder(), away);
    mkdirSync(batchesFolder());
    await world.openProject();
    expect(listed()).toMatchObject([{ id: batch?.id, name: 'Night', folder: batch?.folder, order: 'list' }]);
    await world.stop();
    rmSync(batchesFolder(), { recursive: true });
    renameSync(away, batchesFolder());
    const project = await world.openProject();
    expect(listed()).toMatchObject([{ id: batch?.id, name: 'Night', folder: batch?.folder, order: 'scout' }]);
    expect(await world.engine.batches.plan(project.id, 'Night', SHOTS)).toMatchObject({
      added: [],
      changed: [],
      removed: [],
    });
    await world.run(SHOTS, { name: 'Night' });
    expect(world.posts()).toHaveLength(4);
  });
});

const MINUTE = 60_000;

const leave = (): void => renameSync(world.projectPath, `${world.projectPath} (away)`);
const comeBack = (): void => renameSync(`${world.projectPath} (away)`, world.projectPath);

const decisions = ['cancel', 'lost', 'attach'] as const;
type Decision = (typeof decisions)[number];

/** As the folder has it, and as another data folder learns it. */
const BECOMES = {
  cancel: ['cancelled', 'cancelled'],
  lost: ['result_lost', 'result_lost'],
  attach: ['polling', 'accepted'],
} as const;

/** Decides about a take while the disk of its project is away. */
async function decideAway(what: Decision): Promise<void> {
  world = await World.open({ service: { speed: { videoMs: 9 * HOUR, jitter: 0 } } });
  if (what !== 'cancel') world.fault({ method: 'POST' }, { fault: 'reset', commit: true });
  await world.begin([shot(1)]);
  const sent = (): boolean => ['accepted', 'polling', 'submit_unknown'].includes(world.job('0001').state);
  await world.until('the request', sent);
  await world.rest();
  leave();
  const { id } = world.job('0001');
  const taskId = world.service.tasks.list()[0]?.id ?? '';
  if (what === 'cancel') expect(world.engine.jobs.cancel(id)).toMatchObject({ ok: true });
  else if (what === 'attach') world.engine.jobs.resolve(id, { action: what, taskId });
  else expect(world.engine.jobs.resolve(id, { action: what })).toMatchObject({ ok: true });
  await world.pass(MINUTE);
}

/** What another data folder learns from the project. */
async function stateElsewhere(): Promise<string> {
  world.dataFolder = join(world.folder, 'other');
  await world.openProject();
  return world.job('0001').state;
}

describe('a decision that is made while the disk of its project is away', () => {
  it.each(decisions)('is in the folder soon after it is back: %s', async (what) => {
    await decideAway(what);
    comeBack();
    await world.pass(2 * MINUTE);
    const [here, elsewhere] = BECOMES[what];
    expect(world.recipe().state).toBe(here);
    await world.stop();
    expect(await stateElsewhere()).toBe(elsewhere);
    expect(world.posts()).toHaveLength(1);
  });

  it.each(decisions)('is written at the start after it is back: %s', async (what) => {
    await decideAway(what);
    await world.kill();
    await world.start();
    await world.pass(MINUTE);
    await world.stop();
    comeBack();
    await world.start();
    await world.engine.jobs.written();
    const [here, elsewhere] = BECOMES[what];
    expect(world.recipe().state).toBe(here);
    await world.stop();
    expect(await stateElsewhere()).toBe(elsewhere);
    expect(world.posts()).toHaveLength(1);
  });

  it('stands when the folder knows more of the request: what was cancelled is not followed again', async () => {
    world = await World.open({ service: { speed: { videoMs: 9 * HOUR, jitter: 0 } } });
    await world.import([shot(1)]);
    await world.stop();
    const copy = join(world.folder, 'copy');
    cpSync(world.dataFolder, copy, { recursive: true });
    await world.start();
    world.engine.queue.run({});
    await world.until('acceptance', () => world.job('0001').taskId !== undefined);
    await world.stop();
    const { taskId } = world.recipe();
    leave();
    rmSync(world.dataFolder, { recursive: true });
    renameSync(copy, world.dataFolder);
    await world.start();
    world.engine.jobs.cancel(world.job('0001').id);
    await world.pass(MINUTE);
    comeBack();
    await world.restart();
    world.engine.queue.run({});
    const asked = world.service.ledger.received;
    await world.pass(10 * HOUR);
    expect(world.job('0001')).toMatchObject({ state: 'cancelled', taskId });
    expect(world.recipe()).toMatchObject({ state: 'cancelled', taskId });
    expect(world.service.ledger.received).toBe(asked);
    expect(world.engine.jobs.retry(world.job('0001').id)).toMatchObject({ ok: true });
    await world.comesTo({ '0001': 'saved', posts: 1 });
  });

  it('is forgotten once it is written', async () => {
    await decideAway('cancel');
    comeBack();
    await world.pass(2 * MINUTE);
    await world.stop();
    expect(world.sql('SELECT * FROM unwritten_decisions')).toEqual([]);
  });
});

describe('a decision that is the first thing an engine does with a project', () => {
  it('is written although the engine before it was killed', async () => {
    world.fault({ method: 'POST' }, { fault: 'reset', commit: true });
    await world.run([shot(1)]);
    await world.pass(MINUTE);
    await world.restart();
    await world.pass(MINUTE);
    await world.kill();
    await world.start();
    expect(world.engine.jobs.resolve(world.job('0001').id, { action: 'lost' })).toMatchObject({ ok: true });
    await world.stop();
    expect(world.recipe().state).toBe('result_lost');
  });
});
