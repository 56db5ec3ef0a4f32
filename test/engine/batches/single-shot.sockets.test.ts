import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Drafts } from '../../../src/engine/commands/drafts.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { asMedium } from '../library/media.ts';

let world: World;
let drafts: Drafts;
let projectId: string;

const prices = [{ model: 'vgen-2.0-nt', per: 'second' as const, price: 0.5 }];
forEachTest((opened) => (world = opened), { settings: { currency: 'EUR', prices } });
beforeEach(async () => {
  drafts = (await world.start()).drafts;
  projectId = (await world.openProject()).id;
  world.engine.queue.pause();
});

const film = { kind: 'video', model: 'vgen-2.0-nt', prompt: 'A pier', duration: '5' };
const add = (cells: Readonly<Record<string, string>>, agreed: string[] = []) =>
  drafts.addShot(projectId, { cells, agreed });
const madeIn = () => world.engine.stores.batches.list(projectId).map(({ name }) => name);
const takes = () => world.engine.stores.queries.list({}).map(({ shot: key, take }) => [key, take]);

describe('what a described shot would come to', () => {
  it('is told of all its takes', async () => {
    expect(await drafts.estimate(projectId, { ...film, takes: '3' })).toMatchObject({
      newTakes: 3,
      price: 7.5,
      currency: 'EUR',
      lines: [{ seconds: 15 }],
    });
  });

  it('is absent before there is such a shot', async () => {
    expect(await drafts.estimate(projectId, { ...film, model: '' })).toBeNull();
    expect(await drafts.estimate(projectId, { ...film, takes: 'many' })).toBeNull();
    expect(await drafts.estimate(projectId, { ...film, duration: '400' })).toBeNull();
  });
});

describe('a described shot', () => {
  it('is queued as one more row of the batch of single shots', async () => {
    expect(await add(film)).toMatchObject({ ok: true, batch: { name: 'Single shots' }, newTakes: 1 });
    expect(await add({ ...film, takes: '2' })).toMatchObject({ ok: true, newTakes: 2 });
    expect(await add({ ...film, shot: 'Boat' })).toMatchObject({ ok: true, batch: { shots: 3 }, newTakes: 1 });
    expect(madeIn()).toEqual(['Single shots']);
    expect(takes()).toEqual([
      ['S001', 1],
      ['S002', 1],
      ['S002', 2],
      ['Boat', 1],
    ]);
  });

  it('waits on hold until the hours of its night, with all of its takes', async () => {
    const tonight = { opens: '22:00', closes: '07:00' };
    const added = await drafts.addShot(projectId, { cells: { ...film, takes: '2' }, agreed: [], tonight });
    expect(added).toMatchObject({ ok: true, newTakes: 2 });
    const held = world.engine.stores.windows.tonight(projectId);
    expect(held).toMatchObject(world.jobs().map(({ id }) => ({ takeId: id, ...tonight })));
    expect(world.jobs().map(({ paused }) => paused)).toEqual(['user', 'user']);
    await world.comesTo({ posts: 0 });
  });

  it('becomes a batch of its own while the import of the batch is cut off: completing that is paid for too', async () => {
    const project = await world.openProject();
    const cutOff = { project, name: 'Single shots', listFolder: world.folder, source: 'a.csv', shots: [shot(1)] };
    const start = world.engine.batches.start({ ...cutOff, again: false, signal: AbortSignal.abort() });
    await expect(start).rejects.toThrow();
    expect(await add(film)).toMatchObject({ ok: true, batch: { name: 'Single shots 2' }, newTakes: 1 });
    expect(takes()).toEqual([['S001', 1]]);
  });

  it('is not queued while its cells do not fit, or its key is taken', async () => {
    expect(await add({ ...film, prompt: '', duration: '400' })).toMatchObject({
      ok: false,
      defects: [{ column: 'prompt' }, { column: 'duration' }],
    });
    await add({ ...film, shot: 'Boat' });
    expect(await add({ ...film, shot: 'Boat' })).toMatchObject({ ok: false, defects: [{ column: 'shot' }] });
    expect(takes()).toHaveLength(1);
  });

  it('is not queued before a person agrees to send its file from outside', async () => {
    const path = join(world.folder, 'outside.png');
    writeFileSync(path, asMedium('outside.png', 'a'));
    const cells = { ...film, first_frame: path };
    const asked = await add(cells);
    expect(asked).toMatchObject({ ok: false, defects: [], outside: [{ shots: ['S001'] }] });
    expect(takes()).toEqual([]);
    const outside = asked.ok ? [] : asked.outside.map((file) => file.path);
    expect(await add(cells, outside)).toMatchObject({ ok: true, newTakes: 1 });
  });

  it('leaves no list behind that a person would have to clear away', async () => {
    await add(film);
    await add({ ...film, prompt: '' });
    expect(await drafts.list(projectId)).toEqual([]);
  });
});
