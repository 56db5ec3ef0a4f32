import { sayText } from '../../../src/contract/messages/words.ts';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { ProjectInUseError } from '../../../src/engine/projects/project-owner.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const SHOTS = [shot(1), shot(2), shot(3)];

let world: World;
forEachTest((opened) => (world = opened));
const alive: Engine[] = [];
afterEach(async () => {
  for (const engine of alive.splice(0)) await world.whilePumping(engine.stop());
});

const homeFolder = () => join(world.folder, 'data');
const otherFolder = () => join(world.folder, 'other data');
const batchFiles = () => join(world.projectPath, '.dailies', 'batches');
const noteFile = () => join(world.projectPath, '.dailies', 'worked-from.json');

/** Another data folder of the same person, with an engine of its own, while the engine at home goes on. */
async function startBeside(): Promise<Engine> {
  alive.push(world.engine);
  world.dataFolder = otherFolder();
  return world.start();
}

async function startAt(dataFolder: string): Promise<void> {
  await world.stop();
  world.dataFolder = dataFolder;
  await world.start();
}

const ALL_SAVED = ['0001 1 saved', '0002 1 saved', '0003 1 saved'];
const TWINS = ['0001 2 cancelled', '0002 2 cancelled', '0003 2 cancelled'];

describe('a project that waits in one data folder and was made from another', () => {
  it('is not paid for again when the first goes on without opening it', async () => {
    await world.import(SHOTS);
    await startAt(otherFolder());
    await world.run(SHOTS);
    await startAt(homeFolder());
    await world.comesTo({ posts: 3 });
    expect(world.takes()).toEqual([...ALL_SAVED, ...TWINS].toSorted());
  });

  it.each([
    ['refused for the rate', {}],
    ['that reached nobody', { baseUrl: 'http://127.0.0.1:9' }],
  ])('is not paid for again when the first had a request %s', async (_, settings) => {
    const rule = { match: { method: 'POST', times: 'always' }, do: { fault: 'rate-limit', seconds: 3600 } } as const;
    world.service.faults.add(rule);
    await world.start(settings);
    await world.begin(SHOTS);
    await world.until('a refusal', () => world.job('0001').failure !== undefined);
    world.service.faults.clear();
    await startAt(otherFolder());
    await world.run(SHOTS);
    await startAt(homeFolder());
    expect(world.service.ledger.commits).toBe(3);
    await world.comesTo({ commits: 3 });
    expect(world.takes()).toEqual([...ALL_SAVED, ...TWINS].toSorted());
  });

  it('is not paid for again when both made its batch before either could read the file of the other', async () => {
    await world.import(SHOTS.slice(0, 2));
    // As when a kill comes after the batch is in the database and before its file is in the project.
    for (const name of readdirSync(batchFiles())) unlinkSync(join(batchFiles(), name));
    await startAt(otherFolder());
    await world.run(SHOTS);
    await startAt(homeFolder());
    await world.run(SHOTS);
    expect(world.posts()).toHaveLength(3);
    expect(world.takes().filter((take) => take.endsWith('saved'))).toEqual(ALL_SAVED);
    await startAt(otherFolder());
    await world.run(SHOTS);
    expect(world.posts()).toHaveLength(3);
  });

  it('is not paid for again when its batch was renamed from there since', async () => {
    await world.import(SHOTS);
    for (const name of readdirSync(batchFiles())) unlinkSync(join(batchFiles(), name));
    await startAt(otherFolder());
    await world.import(SHOTS);
    const { id } = await world.openProject();
    const batchId = world.engine.stores.batches.named(id, 'Day 1')?.id ?? '';
    await world.whilePumping(world.act('batches.rename', { batchId, name: 'Harbour' }));
    await world.comesTo({ posts: 3 });
    await startAt(homeFolder());
    await world.comesTo({ posts: 3 });
    expect(world.takes()).toEqual([...ALL_SAVED, ...TWINS].toSorted());
  });

  describe('under another name or in other rows', () => {
    const moved = SHOTS.map((spec, index) => ({ ...spec, key: `000${String(index + 2)}` }));

    it.each([
      ['as another batch', SHOTS, { name: 'Night' }],
      ['with a row inserted above', moved, {}],
    ])('is not paid for again until a person says so: %s', async (_, list, options) => {
      await world.import(SHOTS);
      await startAt(otherFolder());
      if (list === moved) for (const name of readdirSync(batchFiles())) unlinkSync(join(batchFiles(), name));
      await world.run(list, options);
      await startAt(homeFolder());
      await world.comesTo({ posts: 3 });
      const waiting = world.jobs().filter(({ state }) => state === 'rejected');
      expect(waiting).toHaveLength(3);
      expect(waiting[0]).toMatchObject({ failure: { code: 'made_elsewhere', cost: 'nothing' }, isSetAside: false });
      expect(sayText(waiting[0]?.failure?.message ?? '')).toContain('Another data folder has since sent the same');
      expect(world.engine.jobs.retry(waiting[0]?.id ?? '')).toMatchObject({ ok: true });
      await world.restart();
      await world.comesTo({ posts: 4 });
      await startAt(otherFolder());
      await world.comesTo({ posts: 4 });
    });

    it('is made as often as both asked for together, where one made fewer', async () => {
      await world.import([shot(1, { takes: 3 })]);
      await startAt(otherFolder());
      await world.run([shot(1)], { name: 'Night' });
      await startAt(homeFolder());
      await world.comesTo({ posts: 3 });
      expect(world.jobs().filter(({ failure }) => failure?.code === 'made_elsewhere')).toHaveLength(1);
    });

    it('is made where the other data folder was refused', async () => {
      await world.import(SHOTS);
      await startAt(otherFolder());
      world.fault({ method: 'POST', times: 'always' }, { fault: 'status', status: 400 });
      await world.run(SHOTS, { name: 'Night' });
      world.service.faults.clear();
      await startAt(homeFolder());
      await world.comesTo({ commits: 3 });
    });
  });

  it('is planned as what it is in a window that has not opened it', async () => {
    await world.import(SHOTS.slice(0, 1));
    const { id } = await world.openProject();
    const batchId = world.engine.stores.batches.named(id, 'Day 1')?.id ?? '';
    await startAt(otherFolder());
    await world.run(SHOTS);
    await startAt(homeFolder());
    const draft = await world.engine.drafts.open(id, { type: 'batch', batchId }, {});
    expect((await world.engine.drafts.plan(draft.id, 'Day 1', false)).newTakes).toBe(0);
    expect((await world.engine.drafts.start(draft.id, 'Day 1', false)).newTakes).toBe(0);
  });
});

describe('a batch that two data folders know', () => {
  const edited = (index: number) => shot(index, { prompt: `Shot ${String(index)}0` });
  const idOf = (name: string): string => world.engine.stores.batches.named(world.projectId, name)?.id ?? '';

  /** Both data folders know `SHOTS` as the batch `Day 1`, of which nothing was sent. */
  async function bothKnowIt(): Promise<void> {
    await world.import(SHOTS);
    await startAt(otherFolder());
    await world.import(SHOTS);
  }

  it('has the name, the order and the rows that the other one gave it', async () => {
    await bothKnowIt();
    await world.import([edited(1), shot(2), shot(4)], { order: 'scout' });
    await world.whilePumping(world.act('batches.rename', { batchId: idOf('Day 1'), name: 'Harbour' }));
    await startAt(homeFolder());
    const project = await world.openProject();
    expect(world.engine.stores.batches.list(project.id)).toMatchObject([{ name: 'Harbour', order: 'scout' }]);
    const plan = await world.engine.batches.plan(project.id, 'Harbour', [edited(1), shot(2), shot(4)]);
    expect(plan).toMatchObject({ added: [], changed: [], removed: [] });
  });

  it('is known by its new name when two of them have exchanged theirs, and one that is new has the old one', async () => {
    await bothKnowIt();
    await world.import([shot(7)], { name: 'Day 2' });
    await startAt(homeFolder());
    const { id } = await world.openProject();
    const [first, second] = [idOf('Day 1'), idOf('Day 2')];
    for (const [batchId, name] of [
      [first, 'Harbour'],
      [second, 'Day 1'],
      [first, 'Day 2'],
      [second, 'Quay'],
    ] as const)
      await world.whilePumping(world.act('batches.rename', { batchId, name }));
    await world.import([shot(8)], { name: 'Day 1' });
    const names = () => world.engine.stores.batches.list(id).map((batch) => [batch.id, batch.name]);
    const here = names();
    await startAt(otherFolder());
    await world.openProject();
    expect(names()).toEqual(here);
  });

  it('is opened as a list with the rows that the other one gave it, in a window that has not opened it', async () => {
    await bothKnowIt();
    await world.import([edited(1), shot(2), shot(4)]);
    const projectId = world.projectId;
    const batchId = idOf('Day 1');
    await startAt(homeFolder());
    const { drafts, stores } = world.engine;
    const own = stores.batches.named(projectId, 'Day 1')?.id ?? batchId;
    const draft = await drafts.open(projectId, { type: 'batch', batchId: own }, {});
    const { rows } = await drafts.rows(draft.id, 0, 10);
    expect(rows.map((row) => row.find((cell) => cell.startsWith('Shot ')))).toEqual(['Shot 10', 'Shot 2', 'Shot 4']);
    expect(await drafts.plan(draft.id, 'Day 1', false)).toMatchObject({ added: [], changed: [], removed: [] });
  });

  it('sends no row that was changed or removed there since, and says why', async () => {
    await bothKnowIt();
    await world.import([edited(1), shot(2)]);
    await startAt(homeFolder());
    await world.comesTo({ posts: 1 });
    expect(world.job('0001')).toMatchObject({
      ...{ state: 'rejected', isSetAside: false },
      failure: { code: 'row_outdated', cost: 'nothing' },
    });
    expect(world.job('0002').state).toBe('saved');
    expect(world.job('0003')).toMatchObject({ state: 'rejected', isSetAside: true });
    const [{ id }] = [world.job('0001')];
    expect(world.engine.jobs.retry(id)).toMatchObject({ ok: false });
    await world.run([edited(1), shot(2)]);
    expect(world.posts().map(({ body }) => (body as { prompt: string }).prompt)).toEqual(['Shot 2', 'Shot 10']);
    expect(world.job('0001').isSetAside).toBe(true);
    await startAt(otherFolder());
    await world.comesTo({ posts: 2 });
    expect(world.takes().filter((take) => !take.endsWith('cancelled'))).toEqual(['0001 2 saved', '0002 1 saved']);
  });

  it('sends no outdated row when its list is changed while the engine has the project', async () => {
    await bothKnowIt();
    const list = join(batchFiles(), readdirSync(batchFiles())[0] ?? '');
    const earlier = readFileSync(list);
    await world.import([edited(1), shot(2), shot(3)]);
    const changed = readFileSync(list);
    await startAt(homeFolder());
    writeFileSync(list, earlier);
    await world.openProject();
    // As when a program that keeps two copies of a folder in step brings the file.
    writeFileSync(list, changed);
    await world.settle();
    expect(
      world
        .posts()
        .map(({ body }) => (body as { prompt: string }).prompt)
        .toSorted(),
    ).toEqual(['Shot 2', 'Shot 3']);
    expect(world.job('0001').failure).toMatchObject({ code: 'row_outdated' });
  });

  it('may be sent as it was once the row is as it was', async () => {
    await bothKnowIt();
    await world.import([edited(1)]);
    await startAt(homeFolder());
    await world.settle();
    await world.import(SHOTS.slice(0, 1));
    const { id } = world.job('0001');
    expect(world.engine.jobs.retry(id)).toMatchObject({ ok: true });
    await world.comesTo({ '0001': 'saved' });
  });

  it('is written again where the project folder was replaced by an older copy', async () => {
    await bothKnowIt();
    const list = join(batchFiles(), readdirSync(batchFiles())[0] ?? '');
    const earlier = readFileSync(list);
    await world.whilePumping(world.act('batches.rename', { batchId: idOf('Day 1'), name: 'Harbour' }));
    await startAt(otherFolder());
    writeFileSync(list, earlier);
    await world.openProject();
    expect(idOf('Harbour')).not.toBe('');
    await startAt(homeFolder());
    await world.openProject();
    expect(idOf('Harbour')).not.toBe('');
  });
});

describe('a project that an engine of another data folder works in', () => {
  /** The engine at home has sent one of three takes and is paused; the other data folder knows the project and its takes. */
  async function bothKnowIt(): Promise<Engine> {
    await world.import(SHOTS);
    await startAt(otherFolder());
    await world.import(SHOTS);
    await startAt(homeFolder());
    world.engine.queue.run({});
    await world.until('the first task', () => world.posts().length > 0);
    world.engine.queue.pause();
    return startBeside();
  }

  it('keeps its takes waiting, says who works where, and goes on by itself once that one has ended', async () => {
    const other = await bothKnowIt();
    const [home] = alive;
    other.queue.run({});
    await world.pass(60_000);
    expect(world.posts().length).toBeLessThan(4);
    const sent = world.posts().length;
    const [gate] = other.queue.status().gates;
    expect(gate).toMatchObject({ reason: 'project_in_use' });
    const told = sayText(gate?.message ?? '');
    expect(told).toContain(`${world.projectPath} is in use from another data folder, ${homeFolder()}`);
    expect(told).toContain(`process ${String(process.pid)} (test)`);
    expect(told).toContain('continue automatically when the other one ends');
    expect(world.posts()).toHaveLength(sent);
    alive.length = 0;
    await world.whilePumping((home as Engine).stop());
    await world.comesTo({ commits: 3 });
    expect(world.takes().filter((take) => take.endsWith('saved'))).toEqual(ALL_SAVED);
    expect(other.queue.status().gates).toEqual([]);
  });

  it('is the same under another path', async () => {
    await bothKnowIt();
    const moved = join(world.folder, 'mounted elsewhere');
    renameSync(world.projectPath, moved);
    await expect(world.engine.projects.open(moved)).rejects.toThrow(ProjectInUseError);
    renameSync(moved, world.projectPath);
  });

  it('gets no new takes and no plan from there', async () => {
    const other = await bothKnowIt();
    const [project] = other.stores.projects.list();
    const batchId = other.stores.batches.list(project?.id ?? '')[0]?.id ?? '';
    const draft = await other.drafts.open(project?.id ?? '', { type: 'batch', batchId }, {});
    await expect(other.drafts.plan(draft.id, 'Day 1', false)).rejects.toThrow(ProjectInUseError);
    await expect(other.drafts.start(draft.id, 'Day 1', true)).rejects.toThrow(ProjectInUseError);
  });

  it('is asked for before each request: the engine that it was taken from reads it first', async () => {
    const other = await bothKnowIt();
    const [home] = alive as [Engine];
    // Of an engine on another machine nobody here can tell whether it is at work.
    const note = JSON.parse(readFileSync(noteFile(), 'utf8')) as object;
    writeFileSync(noteFile(), JSON.stringify({ ...note, host: 'elsewhere' }));
    await world.comesTo({ commits: 3 });
    await world.whilePumping(other.stop());
    home.queue.resume();
    await world.whilePumping(home.queue.settled());
    expect(world.service.ledger.commits).toBe(3);
    expect(home.stores.tally.counts({})).toMatchObject({ saved: 3, unfinished: 0 });
    await startAt(otherFolder());
  });
});

describe('a note that names something else than a data folder', () => {
  it.each(['engine.lock', 'engine.json'])('with a pipe in the place of its %s holds nothing up', async (name) => {
    await world.run(SHOTS);
    const named = join(world.folder, 'named');
    mkdirSync(named);
    execFileSync('mkfifo', [join(named, name)]);
    const note = JSON.parse(readFileSync(noteFile(), 'utf8')) as object;
    await world.stop();
    writeFileSync(noteFile(), JSON.stringify({ ...note, dataFolder: named, run: 'another' }));
    await world.openProject();
    expect(world.jobs()).toHaveLength(3);
  });
});
