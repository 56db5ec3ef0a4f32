import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import type { Recipe } from '../../../src/contract/take.ts';
import { startDemoService } from '../../../src/demo/service.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { files, uploadsOf } from '../library/media.ts';

let world: World;
forEachTest((opened) => (world = opened));

const song = (index: number, changes: Partial<ShotSpec> = {}): ShotSpec =>
  shot(index, { kind: 'music', model: 'music-demo', params: {}, ...changes });

const continuing = (index: number, cell: string): ShotSpec =>
  song(index, { params: { extend_take: cell, continue_at: 6 } });

/** The body of the only submit of a shot. */
const sentFor = (key: string): unknown => {
  const posts = world.posts(key);
  expect(posts).toHaveLength(1);
  return posts[0]?.body;
};

const open = async (): Promise<void> => {};

describe('music that continues another take', () => {
  it('waits for it and is sent with the id of its task', async () => {
    await open();
    await world.run([continuing(1, 'Shot://0002'), song(2)]);
    expect(world.counts()).toMatchObject({ saved: 2 });
    const { id, taskId } = world.job('0002');
    expect(sentFor('0001')).toMatchObject({ task_id: taskId, continue_at: 6 });
    expect(world.job('0001').from).toEqual([{ takeId: id, how: 'reference', shot: '0002', take: 1 }]);
    expect(uploadsOf(world)).toEqual([]);
    const made = world.job('0001').id;
    await world.stop();
    const recipe = JSON.parse(
      readFileSync(join(world.projectPath, '.dailies', 'takes', `${made}.json`), 'utf8'),
    ) as Recipe;
    expect(recipe.from).toMatchObject([{ takeId: id, parameter: 'extend_take', cell: 'Shot://0002', text: taskId }]);
  });

  it('continues the pick rather than the newest take', async () => {
    await open();
    await world.run([song(2, { takes: 2 })]);
    const first = world.job('0002', 1);
    world.engine.review.judge([first.id], { flag: 'pick' });
    await world.run([song(2, { takes: 2 }), continuing(1, 'Shot://0002')]);
    expect(sentFor('0001')).toMatchObject({ task_id: first.taskId });
  });

  it('takes the id of a task as it is', async () => {
    await open();
    await world.run([song(2)]);
    const { taskId = '' } = world.job('0002');
    await world.run([song(2), continuing(1, taskId)]);
    expect(sentFor('0001')).toMatchObject({ task_id: taskId });
    expect(world.job('0001')).toMatchObject({ state: 'saved' });
  });

  it('is sent once with the same task when Dailies is killed before it is sent', async () => {
    await open();
    await world.begin([continuing(1, 'Shot://0002'), song(2)]);
    await world.until('the other is saved', () => world.job('0002').state === 'saved');
    await world.kill();
    await world.start();
    await world.settle();
    expect(sentFor('0001')).toMatchObject({ task_id: world.job('0002').taskId });
  });

  it('fails without a request when the task was made with another address of the service', async () => {
    await open();
    await world.run([song(2)]);
    const other = await startDemoService({ clock: world.clock, media: 'tiny' });
    onTestFinished(() => other.stop());
    await world.restart({ baseUrl: other.url });
    await world.run([song(2), continuing(1, 'Shot://0002')]);
    expect(world.job('0001')).toMatchObject({
      state: 'rejected',
      failure: { cost: 'nothing', message: expect.saying(/generated with another address or key/) as unknown },
    });
    expect(other.ledger.posts()).toEqual([]);
    await world.restart();
    world.engine.jobs.retry(world.job('0001').id);
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved' });
  });

  it('fails without a charge when the service does not know the task, and says so', async () => {
    await open();
    await world.run([continuing(1, 'task_unknown')]);
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { cost: 'nothing' } });
    expect(world.job('0001').failure?.message).saying(/task_unknown/);
  });
});

describe('a take that continues another one of its own shot', () => {
  const further = async (takeId: string, seconds: string): Promise<string> => {
    const { id } = await world.engine.review.another({
      ...{ takeId, changes: { cells: { continue_at: seconds } } },
      derivation: { how: 'extend', source: { parameter: 'extend_take', output: 1 } },
    });
    await world.settle();
    return id;
  };

  it('is sent with its task and the second, once, and remembers where it came from', async () => {
    await open();
    await world.run([song(1)]);
    const first = world.job('0001', 1);
    await further(first.id, '4.5');
    const made = world.job('0001', 2);
    expect(made).toMatchObject({ state: 'saved', from: [{ takeId: first.id, how: 'extend', output: 1, take: 1 }] });
    const posts = world.posts('0001');
    expect(posts).toHaveLength(2);
    expect(posts[1]?.body).toMatchObject({ task_id: first.taskId, continue_at: 4.5 });
  });

  it('continues the newer take where that one is continued in its turn, and the same one where it is made again', async () => {
    await open();
    await world.run([song(1)]);
    await further(world.job('0001', 1).id, '4');
    await further(world.job('0001', 2).id, '9');
    expect(world.posts('0001')[2]?.body).toMatchObject({ task_id: world.job('0001', 2).taskId, continue_at: 9 });
    await world.engine.review.another({ takeId: world.job('0001', 2).id, changes: { cells: {} } });
    await world.settle();
    expect(world.posts('0001')[3]?.body).toMatchObject({ task_id: world.job('0001', 1).taskId, continue_at: 4 });
  });
});

it('music made from audio uploads the file first and names its asset', async () => {
  await open();
  files(world, { 'cello.wav': 'a cello' });
  await world.run([song(1, { params: { audio: 'cello.wav', source_audio: 'https://a.example/b.mp3' } })]);
  expect(world.job('0001')).toMatchObject({ state: 'saved' });
  expect(uploadsOf(world)).toHaveLength(1);
  expect(sentFor('0001')).toMatchObject({
    audioUrl: expect.stringMatching(/^Asset:\/\//),
    sourceAudioUrl: 'https://a.example/b.mp3',
  });
});
