import { rmSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import type { Library } from '../../../src/engine/library/library.ts';
import { files, formOf, starting, uploadsOf } from './media.ts';

let world: World;
afterEach(() => world.close());

async function open(options: Parameters<typeof World.open>[0] = {}): Promise<typeof library> {
  world = await World.open({ settings: { maxRate: { submit: 1000, poll: 1000, download: 1000 } }, ...options });
  const engine = await world.start();
  library = engine.library;
  return library;
}
let library: World['engine']['library'];
const at = (name: string): string => join(world.folder, name);

describe('uploading by hand', () => {
  it('sends each content once, and reports on each file in its order', async () => {
    await open();
    files(world, { 'a.png': 'a'.repeat(600_000), 'copy of a.png': 'a'.repeat(600_000), 'b.wav': 'b' });
    const reports = await world.whilePumping(
      library.upload([at('a.png'), at('gone.png'), at('copy of a.png'), at('b.wav')], {
        group: 'Faces',
        model: 'vgen-2.0-cl',
      }),
    );
    expect(reports.map((report) => (report.ok ? report.readiness : report.code))).toEqual([
      'waiting',
      'file_gone',
      'waiting',
      'waiting',
    ]);
    expect(uploadsOf(world)).toHaveLength(2);
    expect(new Set(uploadsOf(world).map((entry) => formOf(entry).fields.type))).toEqual(new Set(['image', 'audio']));

    const ids = reports.flatMap((report) => (report.ok ? [report.assetId] : []));
    const ready = await world.whilePumping(library.untilReady(ids));
    expect(new Set(ready.values())).toEqual(new Set(['ready']));
    const again = await world.whilePumping(library.upload([at('a.png')], { group: 'Faces', model: 'vgen-2.0-cl' }));
    expect(again).toMatchObject([{ ok: true, sent: false, readiness: 'ready', assetId: ids[0] }]);
    expect(uploadsOf(world)).toHaveLength(2);
  });

  it('prepares a reference video as the CL line wants it', async () => {
    await open();
    files(world, { 'walk.mp4': 'walk' });
    await world.whilePumping(library.upload([at('walk.mp4')], { role: 'reference_video', model: 'vgen-2.0-cl' }));
    expect(formOf(uploadsOf(world)[0]).fields).toMatchObject({
      ...{ model: 'vgen-2.0-cl', mode: 'asset', type: 'video' },
      ...{ purpose: 'reference_video', role: 'reference_video' },
    });
    await world.run([shot(1, { model: 'vgen-2.0-cl', params: { video: 'walk.mp4' } })]);
    expect(world.job('0001').state).toBe('saved');
    expect(uploadsOf(world)).toHaveLength(1);
  });

  it('by address lets the service fetch it, once', async () => {
    await open();
    const url = 'https://media.example/faces/Zo%C3%AB.png?v=1';
    world.fault({ path: '/v1/assets/uploads' }, { fault: 'reset', commit: true });
    const report = await world.whilePumping(library.addUrl(url, { group: 'Faces' }));
    expect(report).toMatchObject({ ok: true, sent: true });
    await world.whilePumping(library.addUrl(url, { group: 'Faces' }));
    expect(uploadsOf(world)).toHaveLength(1);
    expect(uploadsOf(world)[0]?.body).toMatchObject({ url, type: 'image', metadata: { name: 'Zoë.png' } });
    expect(library.assets()).toMatchObject([{ sourceUrl: url, groupName: 'Faces' }]);
  });

  it('tries again at once what failed before', async () => {
    await open();
    files(world, { 'a.png': 'a' });
    world.fault({ path: '/v1/assets/uploads' }, { fault: 'status', status: 413 });
    const upload = () => world.whilePumping(library.upload([at('a.png')], {}));
    expect(await upload()).toMatchObject([{ ok: false, problem: expect.saying(/too large/) }]);
    expect(await upload()).toMatchObject([{ ok: true, sent: true }]);
  });

  it('gives up when nobody answers, and when the key is refused', async () => {
    await open();
    files(world, { 'a.png': 'a' });
    await world.service.faults.outage({ answer: 'refused', forMs: 3_600_000 });
    expect(await world.whilePumping(library.upload([at('a.png')], {}))).toMatchObject([
      { ok: false, code: 'unreachable' },
    ]);
    await world.service.faults.lift();
    world.key = 'wrong';
    expect(await world.whilePumping(library.upload([at('a.png')], {}))).toMatchObject([
      { ok: false, code: 'key_refused' },
    ]);
  });

  it('ends when it is told to', async () => {
    await open();
    files(world, { 'a.png': 'a' });
    world.fault({ path: '/v1/assets/uploads' }, { fault: 'rate-limit', seconds: 900 });
    const stop = new AbortController();
    const upload = library.upload([at('a.png')], {}, stop.signal);
    await world.until('it was sent', () => uploadsOf(world).length === 1);
    stop.abort();
    await expect(world.whilePumping(upload)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('needs a key', async () => {
    await open({ key: null });
    await expect(library.upload([at('a.png')], {})).rejects.toMatchObject({ code: 'key_missing' });
    expect(library.assets()).toEqual([]);
    expect(library.groups()).toEqual([]);
  });
});

describe('the library', () => {
  it('shows the local side beside the remote one, also with no network', async () => {
    await open();
    const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#888' } })
      .png()
      .toBuffer();
    files(world, { 'Zoë.png': picture, 'again/Zoë 2.png': picture });
    const upload = library.upload([at('Zoë.png'), at('again/Zoë 2.png')], { group: 'Faces', role: 'first_frame' });
    await world.whilePumping(upload);
    await world.service.faults.outage({ answer: 'refused' });
    await world.restart();
    const [asset, ...more] = world.engine.library.assets();
    expect(more).toEqual([]);
    expect(asset).toMatchObject({
      ...{ type: 'image', groupName: 'Faces', readiness: 'waiting', missingSince: null, hidden: false },
      uploadedFor: { model: '', mode: 'asset', purpose: '', role: 'first_frame' },
      local: { bytes: picture.length, contentType: 'image/png', width: 40, height: 30 },
    });
    expect(asset?.local?.paths.toSorted()).toEqual([at('Zoë.png'), at('again/Zoë 2.png')].toSorted());
    expect(world.engine.library.groups()).toMatchObject([{ assets: 0 }, { name: 'Faces', assets: 1, ready: 0 }]);
    await world.service.faults.lift();
  });

  it('finds by group, type, readiness, and pieces of names and paths', async () => {
    await open();
    files(world, { 'Zoë.png': 'z', 'fox.wav': 'f', 'sub/house.png': 'h' });
    await world.whilePumping(library.upload([at('Zoë.png'), at('sub/house.png')], { group: 'Faces' }));
    await world.whilePumping(library.upload([at('fox.wav')], {}));
    const names = (filter: Parameters<typeof library.assets>[0]) => library.assets(filter).map(({ name }) => name);
    expect(names({ group: 'faces' }).toSorted()).toEqual(['Zoë.png', 'house.png'].toSorted());
    expect(names({ type: 'audio' })).toEqual(['fox.wav']);
    expect(names({ text: 'zoe\u0308' })).toEqual(['Zoë.png']);
    expect(names({ text: '/sub/' })).toEqual(['house.png']);
    expect(names({ readiness: ['ready'] })).toEqual([]);
    expect(names({ readiness: ['waiting'] })).toHaveLength(3);
  });

  it('hides what a person does not want to see, here alone', async () => {
    await open();
    files(world, { 'a.png': 'a' });
    await world.whilePumping(library.upload([at('a.png')], {}));
    const id = library.assets()[0]?.id ?? '';
    expect(library.hide(id, true)).toBe(true);
    expect([library.assets().length, library.assets({ hidden: true }).length]).toEqual([0, 1]);
    await world.whilePumping(library.sync());
    expect(library.asset(id)).toMatchObject({ hidden: true, missingSince: null });
    library.hide(id, false);
    expect(library.assets()).toHaveLength(1);
    expect(library.hide('asset_0', true)).toBe(false);
  });

  it('makes and renames groups, and says in plain words what is wrong', async () => {
    await open();
    const create = (fields: Parameters<Library['createGroup']>[0]) => world.whilePumping(library.createGroup(fields));
    const rename = (...[group, fields]: Parameters<Library['renameGroup']>) =>
      world.whilePumping(library.renameGroup(group, fields));
    const made = await create({ name: 'Foxes' });
    expect(await rename('foxes', { name: 'Red foxes', description: 'Both' })).toMatchObject({
      id: made.id,
    });
    expect(library.groups()).toMatchObject([{ name: 'Red foxes', description: 'Both' }]);
    await expect(create({ name: ' ' })).rejects.toMatchObject({ code: 'missing_name' });
    await expect(rename('Red foxes', {})).rejects.toMatchObject({ code: 'missing_update_fields' });
    await expect(rename('nobody', { name: 'x' })).rejects.toMatchObject({ code: 'invalid_group_id' });
    await expect(rename('group_0', { name: 'x' })).rejects.toMatchObject({
      code: 'asset_group_not_found',
    });
  });

  it('comes in step with the service, and finds uploads whose answer was lost', async () => {
    await open();
    files(world, { 'a.png': 'a' });
    world.fault({ path: '/v1/assets/uploads' }, { fault: 'hang', commit: true });
    const upload = library.upload([at('a.png')], {});
    upload.catch(() => undefined);
    await world.until('it arrived', () => world.service.assets.assets().length === 1);
    await world.kill();
    const engine = await world.start();
    expect(await world.whilePumping(engine.library.sync())).toMatchObject({
      groups: 1,
      assets: 1,
      added: 2,
      adopted: 1,
    });
    expect(engine.library.assets()).toMatchObject([{ name: 'a.png', local: { bytes: 3 } }]);
    expect(await world.whilePumping(engine.library.sync())).toMatchObject({ added: 0, changed: 0, adopted: 0 });
  });

  it('tells when it last came in step, and nothing after a sync that failed', async () => {
    await open();
    world.fault({ path: '/v1/*', times: 'always' }, { fault: 'status', status: 404 });
    await expect(world.whilePumping(library.sync())).rejects.toThrow();
    expect(library.syncedAt()).toBeNull();
    world.service.faults.clear();
    await world.whilePumping(library.sync());
    expect(library.syncedAt()).toBe(world.clock.now());
  });

  it('keeps the assets of another key apart', async () => {
    await open();
    files(world, { 'a.png': 'a' });
    await world.whilePumping(library.upload([at('a.png')], {}));
    world.key = 'another';
    expect(library.assets()).toEqual([]);
    world.key = world.service.apiKey;
    expect(library.assets()).toHaveLength(1);
  });
});

describe('where an asset is used', () => {
  it('is told for files, for assets the list names and for avatars, and back from the take, after re-imports too', async () => {
    await open();
    files(world, { 'a.png': 'a' });
    const list = [
      starting(1, 'a.png', { takes: 2 }),
      shot(2, { params: { avatar_asset_ids: ['avatar_7'] } }),
      shot(3, { extra: { voice: 'Asset://voice_9' } }),
    ];
    await world.run(list);
    const id = library.assets()[0]?.id ?? '';
    await world.run([shot(4, { params: { first_frame: `asset://${id}` } })], { name: 'Day 2' });
    expect(library.whereUsed(id)).toMatchObject([
      { batch: 'Day 2', shot: '0004', parameter: 'first_frame', current: true, takes: [{ take: 1, state: 'saved' }] },
      { batch: 'Day 1', shot: '0001', parameter: 'first_frame', path: 'a.png', takes: [{ take: 1 }, { take: 2 }] },
    ]);
    expect(library.whereUsed('avatar_7')).toMatchObject([{ shot: '0002', parameter: 'avatar_asset_ids' }]);
    expect(library.whereUsed('voice_9')).toMatchObject([{ shot: '0003', parameter: 'param.voice' }]);
    expect(library.whereUsed('voice_')).toEqual([]);
    expect(library.usedBy(world.job('0001').id)).toMatchObject([
      { parameter: 'first_frame', path: 'a.png', assetId: id },
    ]);
    expect(library.usedBy(world.job('0004').id)).toEqual([{ parameter: 'first_frame', assetId: id }]);

    await world.run([starting(1, 'a.png', { takes: 2, prompt: 'Changed' })]);
    expect(library.whereUsed(id).map(({ shot: key, current, takes }) => [key, current, takes.length])).toEqual([
      ['0004', true, 1],
      ['0001', false, 2],
      ['0001', true, 2],
    ]);
  });

  it('is in the recipes, so that another machine that opens the folder has it too', async () => {
    await open();
    files(world, { 'a.png': 'a' });
    await world.run([starting(1, 'a.png')]);
    const id = library.assets()[0]?.id ?? '';
    const takeId = world.job('0001').id;
    await world.stop();
    rmSync(world.dataFolder, { recursive: true });
    const engine = await world.start();
    await engine.projects.open(world.projectPath);
    expect(engine.library.usedBy(takeId)).toMatchObject([{ path: 'a.png', assetId: id }]);
    expect(engine.library.whereUsed(id)).toMatchObject([{ shot: '0001', takes: [{ jobId: takeId }] }]);
  });
});

it('what a run would upload is each content once, with its size and its shots, without what is there', async () => {
  await open();
  files(world, { 'a.png': 'aaa', 'copy.png': 'aaa', 'b.png': 'bb', 'c.png': 'c' });
  await world.run([starting(1, 'c.png')]);
  const shots = [
    starting(1, 'a.png'),
    starting(2, 'copy.png'),
    starting(3, 'b.png', { group: 'Foxes' }),
    starting(4, 'c.png'),
    starting(5, 'https://media.example/x.png'),
  ];
  const before = world.service.ledger.received;
  expect(await library.plannedUploads(shots, world.folder)).toEqual([
    {
      ...{ path: at('a.png'), bytes: 5, type: 'image', model: 'vgen-2.0-cl-fast', role: 'first_frame' },
      shots: ['0001', '0002'],
    },
    {
      ...{ path: at('b.png'), bytes: 4, type: 'image', model: 'vgen-2.0-cl-fast', role: 'first_frame' },
      ...{ group: 'Foxes', shots: ['0003'] },
    },
  ]);
  expect(world.service.ledger.received).toBe(before);
  expect(await library.plannedUploads([starting(1, 'gone.png')], world.folder)).toEqual([]);
});
