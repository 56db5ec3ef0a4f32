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

it('speech is an mp3 of some seconds when no format is named, and never the same twice', async () => {
  const bench = await startBench();
  const [first, again] = [await sayAt(bench, {}), await sayAt(bench, {})];
  expect([first.type, bench.service.ledger.commits]).toEqual(['audio/mpeg', 2]);
  const { codec, seconds } = await inspect(first.sound);
  expect(codec).toBe('mp3');
  expect(seconds).toBeGreaterThan(2);
  expect(again.sound.equals(first.sound)).toBe(false);
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
