import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

describe('the main job', () => {
  it('turns a list of three kinds into whole files with a manifest and recipes', async () => {
    const settled = await world.run([
      shot(1),
      shot(2, { kind: 'image', model: 'image-demo', prompt: 'A lighthouse', params: {}, takes: 2 }),
      shot(3, { kind: 'music', model: 'music-demo', prompt: 'A slow waltz', params: {} }),
    ]);
    expect(settled).toEqual({ is: 'over' });
    expect(world.jobs().map((job) => [job.shot, job.take, job.state, job.failure?.message])).toEqual([
      ['0001', 1, 'saved', undefined],
      ['0002', 1, 'saved', undefined],
      ['0002', 2, 'saved', undefined],
      ['0003', 1, 'saved', undefined],
    ]);
    expect(world.posts()).toHaveLength(4);
    await world.stop();
    const files = readdirSync(join(world.projectPath, 'Day 1')).toSorted();
    expect(files).toEqual(['0001_t1.mp4', '0002_t1.png', '0002_t2.png', '0003_t1.mp3', 'manifest.csv']);
    const manifest = world.manifest();
    expect(manifest.trim().split('\r\n')).toHaveLength(5);
    expect(readdirSync(join(world.projectPath, '.dailies', 'takes'))).toHaveLength(4);
    expect(readdirSync(join(world.projectPath, '.dailies', 'parts'))).toEqual([]);
  });

  it('makes nothing new when the same list is imported again, and new takes when asked', async () => {
    await world.run([shot(1), shot(2)]);
    await world.run([shot(1), shot(2)]);
    expect(world.posts()).toHaveLength(2);
    await world.run([shot(1, { prompt: 'Another one' }), shot(2)]);
    expect(world.jobs().map((job) => `${job.shot} ${job.take}`)).toEqual(['0001 1', '0002 1', '0001 2']);
    await world.run([shot(1, { prompt: 'Another one' }), shot(2)], { again: true });
    expect(world.counts()).toMatchObject({ saved: 5, unfinished: 0 });
    expect(existsSync(join(world.projectPath, 'Day 1', '0001_t3.mp4'))).toBe(true);
  });

  it('makes no new take beside an unsent one: the same command twice is paid for once', async () => {
    await world.run([shot(1)]);
    world.engine.queue.pause();
    for (let times = 0; times < 2; times += 1) await world.import([shot(1), shot(2, { takes: 2 })], { again: true });
    expect(world.jobs().map((job) => `${job.shot} ${job.take}`)).toEqual(['0001 1', '0001 2', '0002 1', '0002 2']);
  });

  it('stays paused through a kill until a person lets it go on', async () => {
    await world.import([shot(1)]);
    world.engine.queue.pause();
    world.engine.queue.run({});
    await world.pass(60_000);
    await world.kill();
    await world.start();
    world.engine.queue.run({});
    await world.pass(600_000);
    expect(world.posts()).toEqual([]);
    expect(world.engine.queue.status().gates).toContainEqual(expect.objectContaining({ reason: 'paused_by_user' }));
    world.engine.queue.resume();
    await world.comesTo({ '0001': 'saved' });
  });
});

const SHOTS = [shot(1), shot(2), shot(3), shot(4)];
const again = { again: true };

/** Asks for new takes of every shot, and stops when two of them were sent. */
async function stopHalfway(): Promise<void> {
  await world.start({ concurrency: { submit: 1 } });
  const before = world.posts().length;
  await world.begin(SHOTS, again);
  await world.until('the second take', () => world.posts().length === before + 2);
  world.engine.queue.pause();
  await world.stop();
}

async function runAgain(): Promise<void> {
  await world.start();
  world.engine.queue.resume();
  await world.run(SHOTS, again);
}

describe('new takes of every shot that are asked for, stopped, and asked for again', () => {
  it('are made once: what was sent before the stop is not paid for twice', async () => {
    await world.run(SHOTS);
    await world.stop();
    await stopHalfway();
    await runAgain();
    world.has({ saved: 8, unfinished: 0, posts: 8 });
  });

  it('are made once in a new batch too, whose first takes they are', async () => {
    await stopHalfway();
    await runAgain();
    expect(world.posts()).toHaveLength(4);
  });

  it('are made once when another data folder goes on with them', async () => {
    await world.run(SHOTS);
    await world.stop();
    await stopHalfway();
    world.dataFolder = join(world.folder, 'the other machine');
    await runAgain();
    expect(world.posts()).toHaveLength(8);
  });

  it('are not asked for once more while one of them needs a decision', async () => {
    await world.run(SHOTS);
    world.fault({ method: 'POST', prompt: 'Shot 4' }, { fault: 'reset', commit: true });
    await world.run(SHOTS, again);
    expect(world.counts()).toMatchObject({ saved: 7, unknown: 1 });
    await world.run(SHOTS, again);
    expect(world.posts()).toHaveLength(8);
  });

  it('begin another round once the one before is complete, and rows that came since are part of it', async () => {
    await world.run(SHOTS, again);
    const more = [...SHOTS, shot(5)];
    await world.run(more);
    expect(world.posts()).toHaveLength(5);
    await world.run(more, again);
    expect(world.posts()).toHaveLength(10);
    await world.run([...more, shot(6)], again);
    expect(world.posts()).toHaveLength(16);
  });

  it('are planned as they are made', async () => {
    await stopHalfway();
    await world.start();
    const { id } = await world.openProject();
    const batchId = world.engine.stores.batches.named(id, 'Day 1')?.id ?? '';
    const draft = await world.engine.drafts.open(id, { type: 'batch', batchId }, {});
    const plan = await world.engine.drafts.plan(draft.id, 'Day 1', true);
    expect(plan.newTakes).toBe(0);
  });
});

const batches = () => world.engine.views.batches(world.projectId);
const batch = (name = 'Day 1') => {
  const found = batches().find((each) => each.name === name);
  if (!found) throw new Error(`no batch ${name}`);
  return found;
};
const fileOf = (id: string) => join(world.projectPath, '.dailies', 'batches', `${id}.json`);
const nameInFile = (id: string) => (JSON.parse(readFileSync(fileOf(id), 'utf8')) as { name: string }).name;

describe('a renamed batch', () => {
  it('has the name in the database and in its file, and is not made again under it', async () => {
    await world.run([shot(1), shot(2)]);
    const { id } = batch();
    await world.act('batches.rename', { batchId: id, name: '  First day ' });
    expect(batch('First day')).toMatchObject({ id, folder: 'Day 1', shots: 2 });
    expect(nameInFile(id)).toBe('First day');
    await world.run([shot(1), shot(2)], { name: 'First day' });
    expect(world.posts()).toHaveLength(2);
    await world.import([shot(3)], { name: 'Day 2' });
    await expect(world.act('batches.rename', { batchId: id, name: 'Day 2' })).rejects.toMatchObject({
      code: 'batch_exists',
    });
    await expect(world.act('batches.rename', { batchId: id, name: ' ' })).rejects.toMatchObject({
      code: 'name_missing',
    });
    const long = 'n'.repeat(201);
    await expect(world.act('batches.rename', { batchId: id, name: long })).rejects.toMatchObject({
      code: 'name_too_long',
    });
    await expect(world.import([shot(4)], { name: long })).rejects.toMatchObject({ code: 'name_too_long' });
    await world.openOn('elsewhere');
    expect(batches().map(({ name }) => name)).toContain('First day');
  });

  it('gets its file with the next start where it could not be written', async () => {
    await world.run([shot(1)]);
    const { id } = batch();
    const kept = readFileSync(fileOf(id), 'utf8');
    rmSync(fileOf(id));
    mkdirSync(fileOf(id));
    await world.engine.commands.run('batches.rename', { batchId: id, name: 'First day' }, 'command');
    expect(batch('First day').id).toBe(id);
    expect(world.log.lines.join('\n')).toContain('The file of a batch could not be written');
    rmSync(fileOf(id), { recursive: true });
    writeFileSync(fileOf(id), kept);
    await world.restart();
    await world.openProject();
    expect(nameInFile(id)).toBe('First day');
    expect(readdirSync(join(world.projectPath, '.dailies', 'batches'))).toHaveLength(1);
  });
});

it('an archived batch takes no list and no new take until it is opened again', async () => {
  await world.import([shot(1)]);
  await expect(world.act('batches.archive', { batchId: batch().id })).rejects.toMatchObject({ code: 'batch_busy' });
  await world.settle();
  const { id } = batch();
  await world.act('batches.archive', { batchId: id });
  expect(batch().archivedAt).not.toBeNull();
  const archived = { code: 'batch_archived' };
  await expect(world.import([shot(1)], { again: true })).rejects.toMatchObject(archived);
  const take = { takeId: world.job('0001').id, changes: { cells: {} } };
  await expect(world.engine.review.another(take)).rejects.toMatchObject(archived);
  await expect(world.act('batches.rename', { batchId: id, name: 'other' })).rejects.toMatchObject(archived);
  await world.act('batches.unarchive', { batchId: id });
  expect(batch().archivedAt).toBeNull();
  await world.run([shot(1)], { again: true });
  expect(world.posts()).toHaveLength(2);
});

it('a duplicated batch is a list with a free name of its own, that would make its takes as another batch', async () => {
  await world.run([shot(1), shot(2)]);
  await world.import([shot(9)], { name: 'Day 1 copy' });
  const { id, projectId } = batch();
  const draft = await world.engine.drafts.open(projectId, { type: 'batch', batchId: id, copyAs: 'Day 1 copy' }, {});
  expect(draft).toMatchObject({ name: 'Day 1 copy 2', isNamed: true, rows: 2, startedAs: null });
  const plan = await world.engine.drafts.plan(draft.id, draft.name, false);
  expect(plan).toMatchObject({ newTakes: 2, added: ['0001', '0002'] });
  expect(
    batches()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['Day 1', 'Day 1 copy']);
});

it('notes on a batch are kept, and told to every window', async () => {
  await world.run([shot(1)]);
  const { id, projectId } = batch();
  const told: string[] = [];
  world.engine.subscribe((event) => told.push(JSON.stringify(event)));
  await world.act('batches.setNotes', { batchId: id, notes: ' The red door is too dark. ' });
  expect(told).toContain(JSON.stringify({ type: 'batches', projectId }));
  await world.restart();
  expect(batch().notes).toBe('The red door is too dark.');
});
