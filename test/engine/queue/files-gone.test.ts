import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readStatistics } from '../../../src/engine/queries/statistics.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

const medianTime = async () => (await readStatistics(world.engine.stores.ledger, {}, 'day', '')).all.medianMs;
const fileOf = (key: string) => join(world.projectPath, world.job(key).files[0] ?? '');

describe('a saved take whose file is gone', () => {
  it('is saved no longer, and fetched again from its task without a new charge', async () => {
    await world.run([shot(1), shot(2)]);
    const file = fileOf('0001');
    rmSync(file);
    await world.openProject();
    expect(world.job('0001')).toMatchObject({
      state: 'result_lost',
      standing: 'failed',
      failure: {
        code: 'files_gone',
        cost: 'charged',
        message: expect.saying('Day 1/0001_t1.mp4 is no longer in the project folder.'),
      },
    });
    expect(world.job('0002').state).toBe('saved');

    expect(world.engine.jobs.retry(world.job('0001').id)).toMatchObject({ ok: true });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp4'] });
    expect(existsSync(file)).toBe(true);
    expect(world.posts()).toHaveLength(2);
  });

  it('is not made again when its list is run again', async () => {
    await world.run([shot(1)]);
    rmSync(fileOf('0001'));
    await world.run([shot(1)]);
    world.has({ saved: 0, failed: 1, posts: 1 });
  });

  it('is saved again once the file is back', async () => {
    await world.run([shot(1)]);
    const { id } = world.job('0001');
    const file = fileOf('0001');
    const took = await medianTime();
    expect(took).toBeGreaterThan(0);
    renameSync(file, `${file}.aside`);
    await world.engine.jobs.lookAtFiles([id]);
    expect(world.job('0001').state).toBe('result_lost');
    await world.pass(600_000);
    renameSync(`${file}.aside`, file);
    await world.engine.jobs.lookAtFiles([id]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp4'] });
    expect(await medianTime()).toBe(took);

    // Another data folder has the times from the recipe.
    await world.openOn('other');
    expect(await medianTime()).toBe(took);
  });

  it('is noticed at the next start', async () => {
    await world.run([shot(1)]);
    rmSync(fileOf('0001'));
    await world.restart();
    await world.until('the look', () => world.job('0001').state === 'result_lost');
  });

  it('stays saved while the whole project is away, and when a person has rejected it', async () => {
    await world.run([shot(1), shot(2)]);
    const away = `${world.projectPath} away`;
    renameSync(world.projectPath, away);
    const ids = world.jobs().map(({ id }) => id);
    await world.engine.jobs.lookAtFiles(ids);
    expect(world.counts()).toMatchObject({ saved: 2, failed: 0 });
    renameSync(away, world.projectPath);
    await world.engine.review.judge([world.job('0002').id], { flag: 'reject' });
    rmSync(fileOf('0002'));
    await world.engine.jobs.lookAtFiles(ids);
    expect(world.counts()).toMatchObject({ saved: 2, failed: 0 });
  });
});
