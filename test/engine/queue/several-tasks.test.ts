import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../support/demo/service.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

type Shown = Extract<Fault, { fault: 'music-tasks' }>;

let world: World;
forEachTest((opened) => (world = opened));

const song = shot(1, { kind: 'music', model: 'music-demo' });

const recipeFile = (): string => {
  const folder = join(world.projectPath, '.dailies', 'takes');
  return join(folder, readdirSync(folder)[0] ?? '');
};

async function openWith(as: Shown['as'], ends: Shown['ends']): Promise<void> {
  world.fault({ method: 'POST' }, { fault: 'music-tasks', as, ends });
}

describe.each(['ids', 'records'] as const)('a song that the service makes in several parts, shown as %s', (as) => {
  it('is saved with every part, once all are done', async () => {
    await openWith(as, ['succeeded', 'succeeded', 'succeeded']);
    await world.run([song]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: expect.objectContaining({ length: 3 }) });
    expect(world.posts()).toHaveLength(1);
  });

  it('keeps the parts that are done when another failed', async () => {
    await openWith(as, ['succeeded', 'failed', 'succeeded']);
    await world.run([song]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: expect.objectContaining({ length: 2 }) });
  });

  it('has failed when every part has, with the reason', async () => {
    await openWith(as, ['failed', 'failed']);
    await world.run([song]);
    expect(world.job('0001')).toMatchObject({
      state: 'remote_failed',
      failure: { message: expect.saying(/This part was refused\./) },
    });
  });

  it('is not done while a part still runs', async () => {
    await openWith(as, ['succeeded', 'never']);
    await world.begin([song]);
    await world.pass(3_600_000);
    expect(world.job('0001')).toMatchObject({ state: 'polling', remoteStatus: 'running' });
  });
});

it('a song is saved by the music operation of its own, where the settings name its paths', async () => {
  const paths = { musicSubmit: '/v1/music', musicTask: '/v1/music/{task_id}' };
  world = await World.open({ settings: { paths } });
  await world.run([song]);
  expect(world.job('0001')).toMatchObject({ state: 'saved', taskId: expect.stringMatching(/^task_/) as unknown });
  expect(world.posts().map(({ path }) => path)).toEqual(['/v1/music']);
});

describe('several tasks of one take', () => {
  it('are all followed again after a restart, and on another machine', async () => {
    await openWith('ids', ['succeeded', 'succeeded']);
    await world.begin([song]);
    await world.until('acceptance', () => world.job('0001').taskId !== undefined);
    await world.stop();
    const recipe = JSON.parse(readFileSync(recipeFile(), 'utf8')) as { otherTaskIds?: string[] };
    expect(recipe.otherTaskIds).toHaveLength(1);
    await world.openOn('other');
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: expect.objectContaining({ length: 2 }) });
    expect(world.posts()).toHaveLength(1);
  });
});
