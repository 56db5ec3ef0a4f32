import { existsSync, readdirSync } from 'node:fs';
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
