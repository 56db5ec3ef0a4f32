import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shot } from '../db/seed.ts';
import { forEachTest, type World } from '../../support/world.ts';

let world: World;
forEachTest((opened) => (world = opened));

const speech = (index: number) => shot(index, { kind: 'speech', model: 'speech-demo', params: { voice: 'alto' } });
const image = (index: number) => shot(index, { kind: 'image', model: 'image-demo', params: {} });

describe('answers that come compressed although they were asked not to', () => {
  it.each(['gzip', 'deflate', 'br'] as const)('are saved as what they are: %s', async (as) => {
    world.fault({ times: 'always' }, { fault: 'encoded', as });
    await world.run([shot(1), speech(2), image(3)]);
    expect(world.jobs().map(({ state }) => state)).toEqual(['saved', 'saved', 'saved']);
    expect(world.job('0002').files).toEqual(['Day 1/0002_t1.mp3']);
    expect(world.jobs().map(({ remarks }) => remarks)).toEqual([undefined, undefined, undefined]);
    expect(world.service.ledger.commits).toBe(3);
    expect(readdirSync(join(world.dataFolder, 'answers'))).toEqual([]);
  });

  it('need a decision when they are not compressed as they say, and a person takes the bytes as they came', async () => {
    world.fault({ method: 'POST' }, { fault: 'encoded', as: 'gzip', isLie: true });
    await world.run([speech(1)]);
    const { id, state, failure, keptAnswer } = world.job('0001');
    expect({ state, cost: failure?.cost }).toEqual({ state: 'submit_unknown', cost: 'maybe' });
    const kept = readFileSync(keptAnswer?.file ?? '');
    await world.engine.jobs.resolve(id, { action: 'accept' });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp3'] });
    expect(readFileSync(join(world.projectPath, 'Day 1/0001_t1.mp3')).equals(kept)).toBe(true);
    expect(world.posts()).toHaveLength(1);
  });
});

it('an interim answer that nobody asked for is skipped, and nothing is sent twice', async () => {
  world.fault({ times: 'always' }, { fault: 'continue' });
  await world.run([shot(1), speech(2)]);
  expect(world.jobs().map(({ state }) => state)).toEqual(['saved', 'saved']);
  expect(world.posts()).toHaveLength(2);
});
