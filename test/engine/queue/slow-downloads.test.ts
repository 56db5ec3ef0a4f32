import { describe, expect, it } from 'vitest';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { isNightly } from '../../support/chance.ts';

let world: World;
forEachTest((opened) => (world = opened));

describe.runIf(isNightly)('downloads at one byte a second', () => {
  it('keep no others from coming, and come to their own end', async () => {
    world = await World.open({ service: { tinyBytes: 1000 } });
    const slow = ['Shot 1', 'Shot 2', 'Shot 3', 'Shot 4', 'Shot 5', 'Shot 6'];
    for (const prompt of slow) {
      world.fault({ path: '/media/*', prompt }, { fault: 'drip', bytes: 50, pauseMs: 50_000 });
    }
    await world.begin(Array.from({ length: 9 }, (_, index) => shot(index + 1)));
    await world.until('all others are saved', () => world.counts().saved >= 3);
    expect(world.engine.queue.status().underWay.download).toBe(6);
    await world.comesTo({ saved: 9 });
    // None of them was broken off: each file was asked for once.
    expect(world.service.ledger.downloads()).toHaveLength(9);
  });
});
