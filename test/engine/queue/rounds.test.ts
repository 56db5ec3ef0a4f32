import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const SHOTS = [shot(1), shot(2), shot(3), shot(4)];
const again = { again: true };

let world: World;
forEachTest((opened) => (world = opened));

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
