import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../../src/engine/api/client.ts';
import type { SendOutcome } from '../../../src/engine/api/calls.ts';
import { startDemoService, type DemoService } from '../../../src/demo/service.ts';
import { answer, bench, clockOfTest, deadAddress, hang, KEY, reset, type Script } from './support.ts';
import { folderOfSuite } from '../../support/folders.ts';
import { asMedium } from '../library/media.ts';

const folder = folderOfSuite();
let face: string;
beforeAll(async () => {
  face = join(folder, 'Zoë 🎬.png');
  await writeFile(face, asMedium('a.png', Buffer.alloc(300_000, 7)));
});

const wire = {
  object: 'asset',
  id: 'asset_1',
  group_id: 'group_9',
  type: 'image',
  name: 'Zoë 🎬.png',
  reference: 'Asset://asset_1',
  size: 300_000,
  status: 'syncing',
  sync_status: 'syncing',
  preparation_status: 'syncing',
  generation_ready: false,
  review_status: 'succeeded',
  review_passed: true,
  created_at: 1_700_000_000,
  updated_at: 1_700_000_001,
  request_id: 'req_1',
  trace_id: 'trace_1',
  something_new: { of: 'the service' },
};

describe('an upload', () => {
  it('streams the file after its fields, with its length and with progress', async () => {
    await using at = await bench(answer(200, wire));
    let sent = 0;
    const fields = { model: 'vgen-2.0-cl', mode: 'asset', type: 'image', role: 'first_frame' } as const;
    const outcome = await at.client.assets.upload(
      face,
      { ...fields, purpose: 'face', groupId: 'group_9', metadata: { name: 'Zoë' } },
      { onFileChunk: (chunk) => (sent += chunk.length) },
    );
    expect(outcome).toMatchObject({ type: 'accepted', value: { id: 'asset_1', groupId: 'group_9' } });
    expect(sent).toBe(300_000);
    const [request] = at.server.requests;
    expect(`${request?.method} ${request?.path}`).toBe('POST /v1/assets/uploads');
    const form = await new Response(new Uint8Array(request?.body ?? Buffer.alloc(0)), {
      headers: { 'content-type': request?.headers['content-type'] ?? '' },
    }).formData();
    expect([...form.keys()]).toEqual(['model', 'mode', 'type', 'purpose', 'role', 'group_id', 'metadata', 'file']);
    expect(form.get('metadata')).toBe('{"name":"Zoë"}');
    expect(form.get('file')).toMatchObject({ name: 'Zoë 🎬.png', size: 300_000 });
  });

  it('arrives as it is, however slowly it is read', async () => {
    const film = asMedium('film.mp4', randomBytes(12_345_678));
    await writeFile(join(folder, 'film.mp4'), film);
    const pieces: Buffer[] = [];
    const slow = createServer((request, response) => {
      void (async () => {
        for await (const piece of request as AsyncIterable<Buffer>) {
          pieces.push(piece);
          if (pieces.length % 16 === 0) await wait(1);
        }
        response.end(JSON.stringify(wire));
      })();
    });
    await once(slow.listen(0, '127.0.0.1'), 'listening');
    const { port } = slow.address() as AddressInfo;
    await using at = await bench(hang, { baseUrl: `http://127.0.0.1:${port}` });
    const outcome = await at.client.assets.upload(join(folder, 'film.mp4'), { type: 'video' });
    slow.close();
    expect(outcome.type).toBe('accepted');
    expect(Buffer.concat(pieces).indexOf(film)).toBeGreaterThan(0);
  });

  it('by address is JSON', async () => {
    await using at = await bench(answer(200, wire));
    await at.client.assets.addUrl('https://media.example/a.png', { type: 'image', metadata: { name: 'A' } });
    expect(JSON.parse(at.server.requests[0]?.body.toString() ?? '')).toEqual({
      type: 'image',
      metadata: { name: 'A' },
      url: 'https://media.example/a.png',
    });
  });

  it('reads the asset tolerantly, in milliseconds', async () => {
    await using at = await bench(answer(200, wire));
    const outcome = await at.client.assets.upload(face, { type: 'image' });
    expect(outcome).toEqual({
      type: 'accepted',
      requestId: 'req_1',
      traceId: 'trace_1',
      value: {
        id: 'asset_1',
        groupId: 'group_9',
        type: 'image',
        name: 'Zoë 🎬.png',
        description: '',
        reference: 'Asset://asset_1',
        size: 300_000,
        status: 'syncing',
        syncStatus: 'syncing',
        preparationStatus: 'syncing',
        generationReady: false,
        reviewStatus: 'succeeded',
        reviewPassed: true,
        createdAt: 1_700_000_000_000,
        updatedAt: 1_700_000_001_000,
        requestId: 'req_1',
        traceId: 'trace_1',
      },
    });
  });

  it.each<[string, Script, Partial<SendOutcome<unknown>>]>([
    ['a refusal', answer(400, { error: { message: 'No', code: 'invalid_group_id' } }), { type: 'refused' }],
    ['a file that is too large', answer(413, 'Too large'), { type: 'refused' }],
    ['an answer 429', answer(429, '', { 'retry-after': '7' }), { type: 'throttled', retryAfterMs: 7000 }],
    ['a fault of the service', answer(502, 'Bad gateway'), { type: 'unclear' }],
    ['a time-out of the service', answer(408, ''), { type: 'unclear' }],
    ['a success without an asset', answer(200, { ok: true }), { type: 'unclear' }],
    ['a web page', answer(200, '<html>'), { type: 'unclear' }],
    ['a broken connection', reset, { type: 'unclear' }],
  ])('takes %s for what it is, after one request', async (_what, script, expected) => {
    await using at = await bench(script);
    expect(await at.client.assets.upload(face, { type: 'image' })).toMatchObject(expected);
    expect(at.server.requests).toHaveLength(1);
  });

  it('is unclear when stopped while sending, and never sent when there was no connection', async () => {
    await using at = await bench(hang);
    const stop = new AbortController();
    const upload = at.client.assets.upload(face, { type: 'image' }, { signal: stop.signal });
    await at.server.seen(1);
    stop.abort();
    expect(await upload).toMatchObject({ type: 'unclear', complaint: { code: 'stopped' } });
    await using gone = await bench(hang, { baseUrl: await deadAddress() });
    expect(await gone.client.assets.upload(face, { type: 'image' })).toMatchObject({ type: 'never_sent' });
  });

  it('of a file that is not there, or without a key, sends nothing', async () => {
    await using at = await bench(hang, { apiKey: () => null });
    expect(await at.client.assets.upload(face, { type: 'image' })).toMatchObject({
      type: 'never_sent',
      blocked: true,
      complaint: { code: 'no_key' },
    });
    await using keyed = await bench(hang);
    expect(await keyed.client.assets.upload(join(folder, 'no.png'), { type: 'image' })).toMatchObject({
      type: 'never_sent',
      blocked: true,
      complaint: { code: 'unusable_file' },
    });
    expect([...at.server.requests, ...keyed.server.requests]).toEqual([]);
  });

  it('never shows the key in what it reports', async () => {
    await using at = await bench(answer(400, { error: { message: `bad ${KEY}` } }));
    expect(JSON.stringify(await at.client.assets.upload(face, { type: 'image' }))).not.toContain(KEY);
  });
});

describe('the calls of assets and groups', () => {
  const empty = { items: [], total: 0, data: [], id: 'x' };
  it.each<[string, (client: ServiceClient) => Promise<unknown>, string]>([
    [
      'assets.list',
      (c) => c.assets.list({ groupId: 'group_1', type: 'video', page: 2, pageSize: 50 }),
      'GET /v1/assets?group_id=group_1&type=video&page=2&page_size=50',
    ],
    ['assets.list of everything', (c) => c.assets.list(), 'GET /v1/assets'],
    ['assets.get', (c) => c.assets.get('a/b'), 'GET /v1/assets/a%2Fb'],
    ['assets.get in a group', (c) => c.assets.get('a', { groupId: 'g' }), 'GET /v1/assets/a?group_id=g'],
    ['assetGroups.create', (c) => c.assetGroups.create({ name: 'Foxes' }), 'POST /v1/asset-groups'],
    [
      'assetGroups.list',
      (c) => c.assetGroups.list({ page: 1, pageSize: 100 }),
      'GET /v1/asset-groups?page=1&page_size=100',
    ],
    ['assetGroups.get', (c) => c.assetGroups.get('group_1'), 'GET /v1/asset-groups/group_1'],
    ['assetGroups.update', (c) => c.assetGroups.update('group_1', { name: 'B' }), 'PATCH /v1/asset-groups/group_1'],
  ])('%s is the call of the reference', async (_name, call, expected) => {
    await using at = await bench(answer(200, empty));
    await call(at.client);
    expect(at.server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([expected]);
  });

  it('throw what the service says', async () => {
    await using at = await bench(answer(404, { error: { message: 'None', code: 'asset_group_not_found' } }));
    await expect(at.client.assets.list({ groupId: 'group_1' })).rejects.toMatchObject({
      name: 'NotFoundError',
      code: 'asset_group_not_found',
    });
    expect(at.server.requests).toHaveLength(1);
  });
});

describe('against the demo service', () => {
  let service: DemoService;
  beforeAll(async () => {
    service = await startDemoService({ media: 'tiny', clock: clockOfTest() });
  });
  afterAll(() => service.stop());

  it('makes, lists and renames groups, and keeps their assets apart', async () => {
    await using at = await bench(hang, { baseUrl: service.url, apiKey: () => service.apiKey });
    const { assets, assetGroups } = at.client;
    const made = await assetGroups.create({ name: 'Foxes' });
    if (made.type !== 'accepted') throw new Error(JSON.stringify(made));
    const groupId = made.value.id;
    expect(await assetGroups.update(groupId, { description: 'Red' })).toMatchObject({
      type: 'accepted',
      value: { name: 'Foxes', description: 'Red' },
    });
    const upload = await assets.upload(face, { type: 'image', groupId });
    expect(upload).toMatchObject({ type: 'accepted', value: { groupId, name: 'Zoë 🎬.png', size: 300_000 } });
    expect((await assets.list({ groupId })).items).toHaveLength(1);
    expect((await assetGroups.list({ pageSize: 1 })).total).toBe(2);
    expect(await assetGroups.create({})).toMatchObject({ type: 'refused', complaint: { code: 'missing_name' } });
    expect(await assetGroups.update(groupId, {})).toMatchObject({
      type: 'refused',
      complaint: { code: 'missing_update_fields' },
    });
    expect(await assets.upload(face, { type: 'image', groupId: 'foxes' })).toMatchObject({
      type: 'refused',
      complaint: { code: 'invalid_group_id' },
    });
  });
});
