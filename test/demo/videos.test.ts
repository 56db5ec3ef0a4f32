import { describe, expect, it } from 'vitest';
import { readReply, readyAsset, startBench, VIDEO } from './support.ts';

describe('a video order', () => {
  it('is answered at once with a task that goes through its states by the clock', async () => {
    const bench = await startBench({ speed: { videoMs: 1000, jitter: 0 } });
    const { status, json } = await bench.post('/v1/videos', VIDEO);
    expect(status).toBe(200);
    expect(json).toMatchObject({ object: 'task', status: 'pending', model: 'vgen-2.0-cl', output: [], error: null });
    expect(json.task_id).toBe(json.id);
    expect(json.request_id).toBe(json.trace_id);
    expect(json.created_at).toBe(Math.floor(bench.clock.now() / 1000));
    const path = `/v1/videos/${String(json.id)}`;
    const seen: unknown[] = [];
    for (const ms of [110, 200, 600, 100]) {
      bench.clock.advance(ms);
      seen.push((await bench.get(path)).json.status);
    }
    expect(seen).toEqual(['submitted', 'running', 'running', 'succeeded']);
    const generic = await bench.get(`/v1/tasks/${String(json.id)}`);
    expect(generic.json).toMatchObject({ status: 'succeeded', output: [{ type: 'video' }] });
    expect(generic.json.task_chain).toMatchObject([
      { step: 'generation', status: 'succeeded' },
      { step: 'result_url_policy', result_url_policy: 'direct_return' },
    ]);
  });

  it('reports the references it was bound to', async () => {
    const bench = await startBench();
    const { json } = await bench.post('/v1/videos', {
      ...VIDEO,
      references: [{ media_type: 'image', role: 'reference_image', url: 'https://media.example/a.png', alias: 'fox' }],
    });
    expect(json.input_references).toEqual([
      { alias: 'fox', role: 'reference_image', type: 'image', binding_status: 'bound' },
    ]);
  });

  const image = 'https://media.example/a.png';
  it.each<[string, Record<string, unknown>]>([
    ['an automatic duration', { duration: -1 }],
    ['a duration as text', { duration: '15' }],
    ['the alias of a field', { generateAudio: false }],
    ['a field of its own that starts with x_', { x_note: 'mine' }],
    ['both frames', { first_frame_url: image, last_frame_url: image }],
    ['a video on a line that takes addresses', { model: 'vgen-2.0-nt', video_url: image }],
    ['an image with a voice', { images: [image, { url: image, reference_voice: image }] }],
  ])('is accepted with %s', async (_case, change) => {
    const bench = await startBench();
    expect((await bench.post('/v1/videos', { ...VIDEO, ...change })).status).toBe(200);
    expect(bench.service.ledger.commits).toBe(1);
  });

  it('lets unknown fields pass when the service is told to', async () => {
    const bench = await startBench({ rejectUnknownFields: false });
    expect((await bench.post('/v1/videos', { ...VIDEO, seed: 1 })).status).toBe(200);
  });

  it('takes an asset only when it is ready and of the right type', async () => {
    const bench = await startBench();
    const upload = await bench.post('/v1/assets/uploads', { type: 'image', url: image });
    const order = { ...VIDEO, image: String(upload.json.reference) };
    expect((await bench.post('/v1/videos', order)).code).toBe('asset_not_ready');
    bench.letEverythingFinish();
    expect((await bench.post('/v1/videos', order)).status).toBe(200);
    expect((await bench.post('/v1/videos', { ...VIDEO, audio: order.image })).code).toBe('asset_type_mismatch');
  });

  it('takes a reference video on a CL model only as an asset prepared for that model', async () => {
    const bench = await startBench();
    const prepared = { type: 'video', mode: 'asset', purpose: 'reference_video', role: 'reference_video' };
    const right = await readyAsset(bench, { ...prepared, model: VIDEO.model });
    const otherModel = await readyAsset(bench, { ...prepared, model: 'vgen-2.0-cl-fast' });
    expect((await bench.post('/v1/videos', { ...VIDEO, video: right })).status).toBe(200);
    expect((await bench.post('/v1/videos', { ...VIDEO, video: otherModel })).code).toBe('video_reference_not_prepared');
  });

  it('takes avatars on the SG line only once they are prepared for it', async () => {
    const bench = await startBench();
    const bareId = async (fields: object) =>
      (await readyAsset(bench, { type: 'image', ...fields })).slice('Asset://'.length);
    const order = async (id: string) =>
      (await bench.post('/v1/videos', { ...VIDEO, model: 'vgen-2.0-sg', avatar_asset_ids: [id] })).code;
    const purpose = 'digital_human_avatar';
    expect(await order(await bareId({ purpose, model: 'vgen-2.0-sg' }))).toBeUndefined();
    expect(await order(await bareId({ purpose, model: 'vgen-2.0-nt' }))).toBe('avatar_not_prepared');
    expect(await order(await bareId({}))).toBe('avatar_not_prepared');
    expect(await order(await bareId({ purpose, type: 'audio' }))).toBe('asset_type_mismatch');
  });

  it('takes all images of a request on the SG line in one mode', async () => {
    const bench = await startBench();
    const asset = await readyAsset(bench, { type: 'image' });
    const order = async (fields: object) =>
      (await bench.post('/v1/videos', { ...VIDEO, model: 'vgen-2.0-sg', ...fields })).status;
    expect(await order({ image: asset })).toBe(200);
    expect(await order({ image, image_source_mode: 'direct_url' })).toBe(200);
    expect(await order({ image: asset, image_source_mode: 'direct_url' })).toBe(400);
    expect(await order({ first_frame_url: asset, last_frame_url: image })).toBe(400);
  });

  it('is refused without the right key, in the same shape as every error', async () => {
    const { service } = await startBench();
    const order = { method: 'POST', body: JSON.stringify(VIDEO) };
    const missing = await readReply(await fetch(`${service.url}/v1/videos`, order));
    const headers = { authorization: 'Bearer wrong' };
    const wrong = await readReply(await fetch(`${service.url}/v1/videos`, { ...order, headers }));
    expect([missing.status, missing.code]).toEqual([401, 'missing_api_key']);
    expect([wrong.status, wrong.code]).toEqual([401, 'invalid_api_key']);
  });

  it('is refused when it is not JSON', async () => {
    const { service } = await startBench();
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const reply = await readReply(
      await fetch(`${service.url}/v1/videos`, { method: 'POST', headers, body: '{"model":' }),
    );
    expect([reply.status, reply.code]).toEqual([400, 'invalid_json']);
  });

  it('says which routes and tasks there are not', async () => {
    const bench = await startBench();
    expect((await bench.get('/v1/videos/task_0')).code).toBe('task_not_found');
    expect((await bench.get('/v1/nothing')).code).toBe('unknown_route');
    expect((await bench.get('/v1/videos')).code).toBe('method_not_allowed');
  });
});

describe('a video order on the compatible route', () => {
  const path = '/api/v3/contents/generations/tasks';
  const text = { type: 'text', text: 'A harbour' };
  const image = { type: 'image_url', role: 'first_frame', image_url: { url: 'https://media.example/a.png' } };

  it('makes the same kind of task', async () => {
    const bench = await startBench();
    const { status, json } = await bench.post(path, {
      model: 'vgen-2.0-cl',
      content: [text, image],
      ratio: '9:16',
      resolution: '720p',
      duration: 4,
    });
    expect(status).toBe(200);
    expect(json.input_references).toMatchObject([{ role: 'first_frame', type: 'image', binding_status: 'bound' }]);
    expect((await bench.get(`/v1/videos/${String(json.id)}`)).status).toBe(200);
  });
});
