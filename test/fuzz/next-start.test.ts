import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { shot } from '../engine/db/seed.ts';
import { chanceSeed, isNightly } from '../support/chance.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { World } from '../support/world.ts';
import { damaged } from './mutate.ts';
import { targetIn } from './targets/recipes.ts';

/** Projects that are taken in, each with a damaged recipe or batch. */
const PROJECTS = isNightly ? 2000 : 20;

it('a data folder that has taken in damaged projects makes the own takes of its person, and starts again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dailies-next-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const target = targetIn(folder);
  const samples = await target.samples();
  for (let run = 0; run < PROJECTS; run += 1)
    await target.read(damaged(samples, seededRandom(chanceSeed + run * 7919), true), run);

  const world = await World.open();
  onTestFinished(() => world.close());
  world.dataFolder = join(folder, 'data');
  await world.run([shot(1)]);
  expect(world.jobs().length).toBeGreaterThan(PROJECTS / 10);
  await world.run([shot(1), shot(2)]);
  await world.restart();
  await world.settle();
  const { id: projectId } = await world.engine.projects.open(world.projectPath);
  expect(world.engine.stores.tally.counts({ projectId })).toMatchObject({
    saved: 2,
    failed: 0,
    unknown: 0,
    unfinished: 0,
  });
  expect(world.log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
});
