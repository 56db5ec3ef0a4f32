import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unfamiliarFile, type Unfamiliar } from '../../support/demo/unfamiliar.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

const always = { path: '/media/*', times: 'always' } as const;
const downloads = () => world.service.ledger.downloads().length;
const inProject = (...path: string[]) => join(world.projectPath, ...path);

async function runWith(format: Unfamiliar, kind: 'video' | 'image' | 'music' = 'video'): Promise<void> {
  world.fault(always, { fault: 'format', as: format });
  const models = { video: 'vgen-2.0-cl-fast', image: 'image-demo', music: 'music-demo' };
  await world.run([shot(1, { kind, model: models[kind], ...(kind !== 'video' && { params: {} }) })]);
  await world.engine.batches.written();
}

describe('a result in a format that cannot be checked', () => {
  it.each<[Unfamiliar, string]>([
    ['avif', 'avif'],
    ['svg', 'svg'],
    ['zip', 'zip'],
    // The path of its address ends in .png, and nothing says otherwise.
    ['noise', 'png'],
  ])('is kept at once under its own extension, and marked: %s', async (format, extension) => {
    await runWith(format, 'image');
    const file = `Day 1/0001_t1.${extension}`;
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: [file] });
    expect(world.job('0001').remarks).toContain('not_verified');
    expect(readFileSync(inProject(file)).equals(unfamiliarFile(format).bytes)).toBe(true);
    expect(downloads()).toBe(1);
    expect(world.recipe().outputs).toMatchObject([{ file, format: extension, verified: false }]);
    expect(world.manifest()).toContain('not_verified');
  });

  it.each<[Unfamiliar, string]>([
    ['aac', 'aac'],
    ['wav-streamed', 'wav'],
  ])('is no such result where a look shows that it is whole: %s', async (format, extension) => {
    await runWith(format, 'music');
    const files = [`Day 1/0001_t1.${extension}`];
    expect(world.job('0001')).toMatchObject({ state: 'saved', files });
    expect(world.job('0001').remarks).toBeUndefined();
    expect(world.recipe().outputs).toMatchObject([{ format: extension, verified: true }]);
    expect(downloads()).toBe(1);
  });

  it('stays marked in another data folder', async () => {
    await runWith('avif', 'image');
    await world.openOn('other');
    expect(world.job('0001')).toMatchObject({ state: 'saved', remarks: ['not_verified'] });
  });
});

describe('a result of another medium than was asked for', () => {
  it('is kept, and the take says so', async () => {
    await runWith('png');
    expect(world.job('0001')).toMatchObject({
      state: 'saved',
      files: ['Day 1/0001_t1.png'],
      remarks: ['other_medium'],
    });
    expect(world.manifest()).toContain('other_medium');
    expect(world.posts()).toHaveLength(1);
  });
});

describe('a file that is never whole', () => {
  it('is fetched again, and is kept beside the take when nothing better comes', async () => {
    world.fault(always, { fault: 'format', as: 'cut-png' });
    await world.run([shot(1, { kind: 'image', model: 'image-demo', params: {} })]);
    const { id, state, failure } = world.job('0001');
    expect(state).toBe('download_blocked');
    const kept = inProject('.dailies', 'parts', `${id}_1.damaged`);
    expect(failure?.message).toMatchObject({ values: { kept: [kept] } });
    expect(existsSync(kept)).toBe(true);
    expect(downloads()).toBeGreaterThan(4);

    world.service.faults.clear();
    world.engine.jobs.retry(id);
    await world.comesTo({ '0001': 'saved' });
    expect(readdirSync(inProject('.dailies', 'parts'))).toEqual([]);
    expect(world.posts()).toHaveLength(1);
  });
});
