import type { Text } from '../../../src/contract/messages/message.ts';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { World, type WorldOptions } from '../../support/world.ts';
import { disableGroup } from '../../support/demo/service.ts';
import { shot } from '../db/seed.ts';
import { asMedium, files, namedIn, starting, submitsOf, uploadsOf, strangeAsset, expectSaved } from './media.ts';
import { someOf } from '../../support/chance.ts';

let world: World;
afterEach(() => world.close());

const uploads = { method: 'POST', path: '/v1/assets/uploads' };
const fast = { maxRate: { submit: 1000, poll: 1000, download: 1000 } };

/** Two shots with a file each; what befalls the first must leave the second alone. */
async function twoShots(options: WorldOptions = {}): Promise<void> {
  world = await World.open({ settings: fast, ...options });
  files(world, { 'bad.png': 'bad picture', 'good.png': 'good' });
}
/** Forms that name their model, so that a fault can pick one upload. */
const namingModels = { settings: { ...fast, assumed: { uploadForm: 'all' as const } } };
const two = [starting(1, 'bad.png'), starting(2, 'good.png')];

/** The first shot failed with this, cost nothing and sent nothing; the second was saved. */
function expectFirstFailed(message: RegExp): void {
  const { state, failure } = world.job('0001');
  expect([state, failure?.message, failure?.cost]).toEqual(['rejected', expect.saying(message), 'nothing']);
  expect(failure?.remedy).not.toBe('');
  expect(world.job('0002').state).toBe('saved');
  expect(world.posts('0001').filter(({ path }) => path === '/v1/videos')).toEqual([]);
}

describe('an upload that goes wrong', () => {
  it('midway is looked for, not found, and sent again', async () => {
    await twoShots();
    files(world, { 'bad.png': Buffer.alloc(3_000_000, 'bad') });
    world.fault(uploads, { fault: 'break-request', afterBytes: 1_000_000 });
    await world.run([starting(1, 'bad.png')]);
    expect(world.counts()).toMatchObject({ saved: 1 });
    const [first, second, ...more] = uploadsOf(world);
    expect([first?.ending, second?.ending, more]).toEqual(['reset', 'complete', []]);
    const looked = world.service.ledger.gets('/v1/assets').map(({ n }) => n);
    expect(looked.some((n) => n > (first?.n ?? 0) && n < (second?.n ?? 0))).toBe(true);
  });

  it.each(
    someOf([
      ['a broken connection', { fault: 'reset', commit: true }],
      ['a bad gateway', { fault: 'status', status: 502, commit: true }],
      ['an empty answer', { fault: 'empty', commit: true }],
      ['a web page', { fault: 'html', commit: true }],
    ] as const),
  )('after it arrived, with %s for an answer, is adopted and not sent twice', async (_what, fault) => {
    await twoShots();
    world.fault(uploads, fault);
    await world.run(two);
    expectSaved(world, 2, 2);
    expect(world.service.assets.assets()).toHaveLength(2);
    expect(world.log.lines.some((line) => line.includes('Found the asset of an upload'))).toBe(true);
  });

  it('and is adopted from the last page of a long list, in its own group', async () => {
    await twoShots();
    const { id } = world.service.assets.createGroup({ name: 'Faces', description: '', domain: 'media' });
    for (let index = 0; index < 230; index += 1) {
      strangeAsset(world, { groupId: id, name: `other ${index}.png`, bytes: 11 });
    }
    world.fault(uploads, { fault: 'reset', commit: true });
    await world.run([starting(1, 'bad.png', { group: 'Faces' })]);
    expectSaved(world, 1, 1);
  });

  it('as the process is killed is looked for at the next start', async () => {
    await twoShots();
    world.fault({ ...uploads, times: 2 }, { fault: 'hang', commit: true });
    await world.start();
    await world.import(two);
    world.engine.queue.run({});
    await world.until('both uploads arrived', () => world.service.assets.assets().length === 2);
    await world.kill();
    await world.start();
    await world.settle();
    expectSaved(world, 2, 2);
    expect(submitsOf(world)).toHaveLength(2);
  });

  it('time after time ends its shot with a message', async () => {
    await twoShots(namingModels);
    const big = 'x'.repeat(1000);
    files(world, { 'bad.png': big });
    world.fault({ ...uploads, model: 'vgen-2.0-cl', times: 'always' }, { fault: 'reset', commit: false });
    await world.run([starting(1, 'bad.png', { model: 'vgen-2.0-cl' }), starting(2, 'good.png')]);
    expectFirstFailed(/bad\.png \(first_frame\): The upload of bad\.png broke off 4 times/);
    expect(uploadsOf(world)).toHaveLength(5);
  });

  it.each([
    [413, undefined, /too large for the service/],
    [415, undefined, /does not accept files of this type/],
    [400, { error: { message: 'No faces, please', code: 'policy' } }, /No faces, please/],
  ])('with %i ends its shot with what it says', async (status, body, message) => {
    await twoShots();
    const fault = { fault: 'status' as const, status, ...(body && { body }) };
    world.fault(uploads, fault);
    await world.run([starting(1, 'bad.png')]);
    await world.run([starting(2, 'good.png')], { name: 'Day 2' });
    expectFirstFailed(message);
    expect(uploadsOf(world)).toHaveLength(2);
  });

  it('is not tried for each shot that names the file, and is tried again when a person asks', async () => {
    await twoShots();
    world.fault(uploads, { fault: 'status', status: 413 });
    await world.run(Array.from({ length: 20 }, (_, index) => starting(index + 1, 'bad.png')));
    expect(world.counts()).toMatchObject({ failed: 20, saved: 0 });
    expect(uploadsOf(world)).toHaveLength(1);
    await world.pass(1000);
    world.engine.jobs.retry(world.job('0003').id);
    await world.settle();
    expect(world.job('0003').state).toBe('saved');
    expect(uploadsOf(world)).toHaveLength(2);
  });

  it('with 429 waits as long as it is told, and burns nothing', async () => {
    await twoShots();
    world.fault(uploads, { fault: 'rate-limit', seconds: 90 });
    await world.run([starting(1, 'bad.png')]);
    const [first, second] = uploadsOf(world);
    expect(world.counts()).toMatchObject({ saved: 1 });
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(90_000);
    expect(uploadsOf(world)).toHaveLength(2);
  });

  it('with a refused key stops the queue, and goes on with the right one', async () => {
    await twoShots({ key: 'wrong' });
    expect(await world.run(two)).toMatchObject({ is: 'halted', gate: { reason: 'key_refused' } });
    expect(submitsOf(world)).toEqual([]);
    world.key = world.service.apiKey;
    world.engine.keyChanged();
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.counts()).toMatchObject({ saved: 2 });
  });

  it('while nobody answers waits, says why, and goes on by itself', async () => {
    await twoShots();
    await world.start();
    await world.import(two);
    await world.service.faults.outage({ answer: 'refused', forMs: 300_000 });
    await world.settle();
    expectSaved(world, 2, 2);
  });
});

describe('readiness', () => {
  it('is waited for, with few questions shared by all shots @night', async () => {
    await twoShots({ service: { speed: { assetMs: 10 * 60_000 } } });
    await world.run(Array.from({ length: 20 }, (_, index) => starting(index + 1, 'bad.png')));
    expect(world.counts()).toMatchObject({ saved: 20 });
    const [id = ''] = submitsOf(world).flatMap(namedIn);
    expect(world.service.ledger.gets(`/v1/assets/${id}`).length).toBeLessThan(40);
    expect(submitsOf(world)[0]?.at).toBeGreaterThanOrEqual(
      (world.service.assets.assetsById.get(id)?.createdAt ?? 0) + 10 * 60_000,
    );
  });

  it('that does not come by the deadline fails the shot; asked again later, nothing is uploaded twice', async () => {
    await twoShots({ service: { speed: { assetMs: 40 * 60_000 } } });
    await world.run([starting(1, 'bad.png')]);
    expect(world.job('0001')).toMatchObject({
      state: 'rejected',
      failure: { code: 'asset_not_ready', message: expect.saying(/after 30 min/) as Text },
    });
    world.engine.jobs.retry(world.job('0001').id);
    await world.settle();
    expect(world.job('0001').state).toBe('saved');
    expect(uploadsOf(world)).toHaveLength(1);
  });

  it.each([
    ['failed', /The service could not prepare it: Not a picture\./],
    ['disabled', /disabled its asset/],
  ] as const)('that ends in %s fails its shots with the reason, and nobody else', async (end, message) => {
    await twoShots(namingModels);
    world.fault({ ...uploads, model: 'vgen-2.0-cl' }, { fault: 'asset-outcome', end, message: 'Not a picture.' });
    const cl = { model: 'vgen-2.0-cl' };
    await world.run([starting(1, 'bad.png', cl), starting(2, 'good.png'), starting(3, 'bad.png', cl)]);
    expectFirstFailed(message);
    expect(world.job('0003').state).toBe('rejected');
    expect(uploadsOf(world)).toHaveLength(2);
    await world.pass(1000);
    world.engine.jobs.retry(world.job('0001').id);
    await world.settle();
    expect(world.job('0001').state).toBe('saved');
    expect(uploadsOf(world)).toHaveLength(3);
  });

  it('is asked through errors of the service', async () => {
    await twoShots();
    world.fault({ method: 'GET', path: '/v1/assets/*', times: 3 }, { fault: 'status', status: 503 });
    await world.run([starting(1, 'bad.png')]);
    expect(world.counts()).toMatchObject({ saved: 1 });
  });
});

it('a service that does not let us ask ends the shots of uploads, and decides itself about assets that the list names', async () => {
  await twoShots();
  const ask = { method: 'GET', path: '/v1/assets/*', times: 'always' } as const;
  world.fault(ask, { fault: 'status', status: 403 });
  await world.run([
    starting(1, 'bad.png'),
    shot(2, { params: { first_frame: 'https://media.example/a.png' } }),
    shot(3, { params: { first_frame: 'Asset://elsewhere' } }),
  ]);
  expectFirstFailed(/bad\.png \(first_frame\)/);
  expect(submitsOf(world).flatMap(namedIn)).toEqual(['elsewhere']);
});

describe('a file', () => {
  it('that is gone since the import fails its shot, and nobody else', async () => {
    await twoShots();
    await world.start();
    await world.import(two);
    rmSync(join(world.folder, 'bad.png'));
    await world.settle();
    expectFirstFailed(/bad\.png \(first_frame\): .* was not found/);
    files(world, { 'bad.png': 'back again' });
    world.engine.jobs.retry(world.job('0001').id);
    await world.settle();
    expect(world.job('0001').state).toBe('saved');
  });

  it('that changed is uploaded again, and old takes keep the old asset', async () => {
    await twoShots();
    await world.run([starting(1, 'bad.png')]);
    const path = join(world.folder, 'bad.png');
    writeFileSync(path, asMedium(path, 'bad picturE'));
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    await world.run([starting(1, 'bad.png')], { again: true });
    expectSaved(world, 2, 2);
    const [first, second] = submitsOf(world).map((entry) => namedIn(entry)[0]);
    expect(first).not.toBe(second);
    const [old, now] = [world.job('0001', 1), world.job('0001', 2)].map((job) => world.engine.library.usedBy(job.id));
    expect([old?.[0]?.assetId, now?.[0]?.assetId]).toEqual([first, second]);
  });

  it('that changes while it is sent does not count as the old one', async () => {
    await twoShots();
    await world.start();
    await world.import([starting(1, 'bad.png')]);
    world.fault(uploads, { fault: 'drip', bytes: 40, pauseMs: 1000 });
    world.engine.queue.run({});
    await world.until('the upload arrived', () => world.service.assets.assets().length === 1);
    files(world, { 'bad.png': 'something else' });
    await world.settle();
    expectSaved(world, 1, 2);
    const [named] = submitsOf(world).flatMap(namedIn);
    expect(named).toBe(world.service.assets.assets()[1]?.id);
  });
});

describe('a group', () => {
  it.each([
    [
      'that was disabled',
      (id: string) => disableGroup(world.service, id),
      /The asset group no longer exists, is disabled, or belongs to another account/,
    ],
    ['that is not there', () => undefined, /The service does not list the asset group group_0/],
  ] as const)('%s ends its shots with a clear message, and nobody else', async (what, corrupt, message) => {
    await twoShots();
    const { id } = world.service.assets.createGroup({ name: 'Faces', description: '', domain: 'media' });
    corrupt(id);
    const group = what === 'that is not there' ? 'group_0' : id;
    await world.run([starting(1, 'bad.png', { group }), starting(2, 'good.png')]);
    expectFirstFailed(message);
  });

  it('that is disabled after the upload ends its shots too', async () => {
    await twoShots({ service: { speed: { assetMs: 60_000 } } });
    const { id } = world.service.assets.createGroup({ name: 'Faces', description: '', domain: 'media' });
    await world.start();
    await world.import([starting(1, 'bad.png', { group: 'Faces' }), starting(2, 'good.png')]);
    world.engine.queue.run({});
    await world.until('both uploads arrived', () => world.service.assets.assets().length === 2);
    disableGroup(world.service, id);
    await world.settle();
    expectFirstFailed(/The asset group no longer exists/);
  });

  it('whose making got no answer is found by its name, and not made twice', async () => {
    await twoShots();
    world.fault({ method: 'POST', path: '/v1/asset-groups' }, { fault: 'reset', commit: true });
    await world.run([starting(1, 'bad.png', { group: 'Faces' }), starting(2, 'good.png', { group: 'Faces' })]);
    expect(world.counts()).toMatchObject({ saved: 2 });
    expect(world.service.assets.groups().filter(({ name }) => name === 'Faces')).toHaveLength(1);
  });
});

describe('an asset', () => {
  it('that vanished since is uploaded again for new shots', async () => {
    await twoShots();
    await world.run([starting(1, 'bad.png')]);
    world.service.assets.assetsById.delete(world.service.assets.assets()[0]?.id ?? '');
    await world.restart();
    await world.run([starting(2, 'bad.png')], { name: 'Day 2' });
    expectSaved(world, 2, 2);
  });

  it('is kept by its take, and reported when it becomes unusable', async () => {
    await twoShots();
    world.fault({ path: '/v1/videos' }, { fault: 'status', status: 400 });
    await world.run([starting(1, 'bad.png')]);
    expect(world.job('0001').state).toBe('rejected');
    writeFileSync(join(world.folder, 'bad.png'), asMedium('bad.png', 'changed'));
    const [asset] = world.service.assets.assets();
    if (asset) world.service.assets.assetsById.set(asset.id, { ...asset, end: 'disabled' });
    await world.pass(11 * 60_000);
    world.engine.jobs.retry(world.job('0001').id);
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { code: 'asset_disabled' } });
    expect(uploadsOf(world)).toHaveLength(1);
    await world.run([starting(1, 'bad.png')], { again: true });
    expect(world.job('0001', 2).state).toBe('saved');
    expect(uploadsOf(world)).toHaveLength(2);
  });

  it('that the list names and that is disabled ends its shot before anything is sent', async () => {
    await twoShots();
    const { id } = strangeAsset(world, { end: 'disabled' });
    await world.run([shot(1, { params: { first_frame: `Asset://${id}` } }), starting(2, 'good.png')]);
    expectFirstFailed(/disabled/);
  });
});
