import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { seedFolder, specOf } from '../../support/seed-folder.ts';
import { forEachTest, type World } from '../../support/world.ts';

const TAKES = 1500;

let world: World;
forEachTest((opened) => (world = opened));
beforeEach(async () => {
  await seedFolder(world.projectPath, TAKES);
  await world.start();
});

const count = (table: string): number =>
  (world.sql(`SELECT COUNT(*) AS found FROM ${table}`) as [{ found: number }])[0].found;

/** Lets the engine go on until it has stored some rows of a table. */
async function untilStored(table: string, rows: number): Promise<void> {
  while (count(table) < rows) await nextTurn();
}

describe('a project of many takes from another data folder', () => {
  it.each(['shots', 'jobs'])(
    'is taken over whole by the next start when a kill came among its %s @night',
    async (table) => {
      const opening = world.openProject().catch(() => null);
      await untilStored(table, 1);
      const stored = count(table);
      expect(world.engine.stores.projects.list(), 'half a project is not listed').toEqual([]);
      await world.kill();
      await opening;
      expect(stored, 'the kill came in the middle').toBeLessThan(TAKES);
      await world.start();
      expect(world.engine.stores.projects.list()).toHaveLength(1);
      expect(world.counts()).toMatchObject({ saved: TAKES });
      expect([count('jobs'), count('shots'), count('outputs')]).toEqual([TAKES, TAKES, TAKES]);
      expect((await world.openProject()).adoptedTakes).toBe(0);
    },
  );

  it('has none of its takes made again by a list that is started while it is taken over', async () => {
    const opening = world.openProject();
    await untilStored('shots', 1);
    const started = await world.engine.batches.start({
      project: { id: 'project', path: world.projectPath, name: 'Film' },
      name: 'Day 1',
      listFolder: world.folder,
      source: 'list.csv',
      shots: Array.from({ length: TAKES }, (_, index) => specOf(index)),
      again: false,
    });
    expect(started.newTakes).toBe(0);
    expect((await opening).adoptedTakes).toBe(TAKES);
  });

  it('is taken over as far as its files go when one of them is gone by then @night', async () => {
    rmSync(join(world.projectPath, 'Day 1', `${specOf(700).key}_t1.mp4`));
    await world.openProject();
    expect(world.counts()).toMatchObject({ saved: TAKES - 1, failed: 1 });
    expect(world.job(specOf(700).key).state).toBe('result_lost');
  });
});
