import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { describe, expect, it } from 'vitest';
import { readyAsset, startBench, type Bench } from './support.ts';

const SPEECH = { model: 'speech-demo', input: 'Someone keeps a light for someone else.', voice: 'alto' };

async function sayAt(bench: Bench, fields: object): Promise<{ type: string | null; sound: Buffer }> {
  const asked = fetch(`${bench.service.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bench.service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...SPEECH, ...fields }),
  });
  await expect.poll(() => bench.clock.sleeping).toBe(1);
  bench.letEverythingFinish();
  const response = await asked;
  expect(response.status).toBe(200);
  return { type: response.headers.get('content-type'), sound: Buffer.from(await response.arrayBuffer()) };
}

/** What a demuxer of another hand finds in a sound. */
async function inspect(sound: Buffer): Promise<{ codec: string | null; seconds: number }> {
  const input = new Input({ source: new BufferSource(sound), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  return { codec: track?.codec ?? null, seconds: await input.computeDuration() };
}

describe('speech', () => {
  it.each([
    ['mp3', 'audio/mpeg', 'mp3'],
    ['opus', 'audio/ogg', 'opus'],
    ['aac', 'audio/aac', 'aac'],
    ['flac', 'audio/flac', 'flac'],
  ])('in %s is a sound of some seconds, and never the same twice', async (response_format, type, codec) => {
    const bench = await startBench();
    const first = await sayAt(bench, { response_format });
    expect(first.type).toBe(type);
    const found = await inspect(first.sound);
    expect(found.codec).toBe(codec);
    expect(found.seconds).toBeGreaterThan(2);
    expect((await sayAt(bench, { response_format })).sound.equals(first.sound)).toBe(false);
  });

  it('is an mp3 when no format is named', async () => {
    const bench = await startBench();
    expect((await sayAt(bench, {})).type).toBe('audio/mpeg');
    expect(bench.service.ledger.commits).toBe(1);
  });
});

describe('a presenter', () => {
  const avatarOf = (bench: Bench) =>
    readyAsset(bench, { type: 'image', purpose: 'digital_human_avatar' }).then((asset) =>
      asset.replace('Asset://', ''),
    );
  const order = (avatar: string) => ({
    model: 'presenter-demo',
    avatar_asset_id: avatar,
    audio_url: 'https://media.example/line.mp3',
    name: 'The keeper',
  });

  it('goes through the states of digital human tasks, with its progress, to a film', async () => {
    const bench = await startBench({ speed: { presenterMs: 10_000, jitter: 0 } });
    const submitted = await bench.post('/v1/tasks', order(await avatarOf(bench)));
    expect(submitted.json).toMatchObject({ status: 'SUBMITTED', progress: '0%' });
    expect(submitted.json.id).toBeUndefined();
    const seen: unknown[] = [];
    for (const ms of [2000, 3000, 6000]) {
      bench.clock.advance(ms);
      const { json } = await bench.get(`/v1/tasks/${String(submitted.json.task_id)}`);
      seen.push([json.status, json.progress, typeof json.result_url]);
    }
    expect(seen).toEqual([
      ['QUEUED', '20%', 'undefined'],
      ['IN_PROGRESS', '50%', 'undefined'],
      ['SUCCESS', '100%', 'string'],
    ]);
  });

  it('says why it failed', async () => {
    const bench = await startBench();
    bench.service.faults.add({ match: { method: 'POST', kind: 'presenter' }, do: { fault: 'outcome', end: 'failed' } });
    const { json } = await bench.post('/v1/tasks', order(await avatarOf(bench)));
    bench.letEverythingFinish();
    expect((await bench.get(`/v1/tasks/${String(json.task_id)}`)).json).toMatchObject({
      status: 'FAILURE',
      fail_reason: 'The prompt was rejected by the content review.',
    });
  });

  it.each([
    [{ avatar_asset_id: undefined }, 'missing_field'],
    [{ audio_url: 'line.mp3' }, 'invalid_field'],
    [{ avatar_asset_id: 'nobody' }, 'asset_not_found'],
    [{ audio_url: 'Asset://nobody' }, 'asset_not_found'],
  ])('is refused and not billed with %j', async (change, code) => {
    const bench = await startBench();
    const avatar = await avatarOf(bench);
    expect(await bench.post('/v1/tasks', { ...order(avatar), ...change })).toMatchObject({ status: 400, code });
    expect(bench.service.ledger.commits).toBe(0);
  });

  it('wants an avatar that was uploaded as one', async () => {
    const bench = await startBench();
    const plain = (await readyAsset(bench, { type: 'image' })).replace('Asset://', '');
    expect(await bench.post('/v1/tasks', order(plain))).toMatchObject({ status: 400, code: 'asset_not_prepared' });
  });

  it('of audio brings a sound by its model alone', async () => {
    const bench = await startBench();
    const { json } = await bench.post('/v1/tasks', { model: 'presenter-audio-demo' });
    bench.letEverythingFinish();
    const done = (await bench.get(`/v1/tasks/${String(json.task_id)}`)).json;
    expect(done).toMatchObject({ status: 'SUCCESS', action: 'digital_human_audio', data: {} });
    const sound = await fetch(String(done.result_url));
    expect((await inspect(Buffer.from(await sound.arrayBuffer()))).codec).toBe('mp3');
  });

  it.each(['voice', 'avatar'])('of %s brings a record, whose asset can be named once it is done', async (brings) => {
    const bench = await startBench();
    const { json } = await bench.post('/v1/tasks', { model: `presenter-${brings}-demo`, name: 'Ada' });
    const film = async (id: unknown) =>
      bench.post('/v1/tasks', { ...order(await avatarOf(bench)), [`${brings}_asset_id`]: id });
    const early = await bench.get(`/v1/tasks/${String(json.task_id)}`);
    expect(early.json).toMatchObject({ status: 'SUBMITTED', data: {} });
    bench.letEverythingFinish();
    const { data, result_url: url } = (await bench.get(`/v1/tasks/${String(json.task_id)}`)).json;
    const record = data as Record<string, unknown>;
    expect(record).toMatchObject({ name: 'Ada', status: 'ready' });
    expect(url).toBeUndefined();
    expect(await film(record[`${brings}_asset_id`])).toMatchObject({ status: 200 });
    expect(await film('nobody')).toMatchObject({ status: 400, code: 'asset_not_found' });
  });
});
