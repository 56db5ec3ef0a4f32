import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

const recipes = (): string[] => {
  const folder = join(world.projectPath, '.dailies', 'takes');
  return readdirSync(folder).map((name) => join(folder, name));
};
const spent = () => world.engine.stores.ledger.totals({});
const states = (): string[] => world.jobs().map(({ state }) => state);

/** Sends the list from a data folder that knows nothing of the project; the service answers with one task for all. */
async function sendFrom(dataFolder: string): Promise<void> {
  await world.stop();
  world.dataFolder = join(world.folder, dataFolder);
  world.fault({ method: 'POST' }, { fault: 'task-id', id: 'task_same' });
  await world.run([shot(1)]);
  expect(states()).toEqual(['saved']);
  await world.stop();
}

describe('one result in the takes of two data folders', () => {
  it('counts once in takes and sums, and the other request is one of unknown fate', async () => {
    world = await World.open({ settings: { prices: [{ model: '*', per: 'take', price: 2 }] } });
    await sendFrom('first');
    const [first = ''] = recipes();
    const ofFirst = readFileSync(first);
    rmSync(first);
    await sendFrom('second');
    writeFileSync(first, ofFirst);

    await world.openProject();
    expect(states().toSorted()).toEqual(['saved', 'submit_unknown']);
    const [twin] = world.jobs().filter(({ state }) => state === 'submit_unknown');
    expect(twin).toMatchObject({ failure: { code: 'task_of_another', cost: 'maybe' }, files: [] });
    expect(spent()).toMatchObject({ settled: { requests: 1, price: 2 }, unclear: { requests: 1, price: 2 } });
    await world.restart();
    expect(await world.openProject()).toMatchObject({ adoptedTakes: 0 });
    expect(world.counts()).toMatchObject({ saved: 1, unknown: 1 });

    await world.stop();
    world.dataFolder = join(world.folder, 'third');
    await world.openProject();
    expect(world.counts()).toMatchObject({ saved: 1, unknown: 1 });
    expect(spent()).toMatchObject({ settled: { requests: 1 }, unclear: { requests: 1 } });
    expect(world.posts()).toHaveLength(2);
  });

  it('brings the new file when the other one is sent again by decision', async () => {
    await sendFrom('first');
    const [first = ''] = recipes();
    const ofFirst = readFileSync(first);
    rmSync(first);
    await sendFrom('second');
    writeFileSync(first, ofFirst);
    await world.openProject();
    const [twin] = world.jobs().filter(({ state }) => state === 'submit_unknown');
    expect(world.engine.jobs.resolve(twin?.id ?? '', { action: 'resubmit' })).toMatchObject({ ok: true });
    await world.settle();
    expect(states()).toEqual(['saved', 'saved']);
    const ids = world.jobs().map(({ taskId }) => taskId);
    expect(new Set(ids).size).toBe(2);
    expect(world.service.ledger.downloads()).toHaveLength(3);
  });
});
