import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { IMAGE, MUSIC, startBench, type Bench, type Reply } from './support.ts';

const picture = new Blob(['a picture'], { type: 'image/png' });

/** Lets a synchronous call reach its wait, then lets the wait end. */
async function whenDone(bench: Bench, call: Promise<Reply>): Promise<Reply> {
  while (bench.clock.sleeping === 0) await turn();
  bench.letEverythingFinish();
  return call;
}

it.each([
  ['ids', {}],
  ['nested', { capabilities: { resolution: { values: ['480p', '720p'] }, duration: { min: 4, max: 15 } } }],
] as const)('the capabilities of models are listed as the test wants them: %s', async (modelList, said) => {
  const bench = await startBench({ modelList });
  const { json } = await bench.get('/v1/models');
  const model = (json.data as { id: string }[]).find(({ id }) => id === 'vgen-2.0-cl-mini');
  expect(model).toMatchObject(said);
  const speech = (json.data as { id: string }[]).find(({ id }) => id === 'speech-demo');
  expect(JSON.stringify(speech).includes('flac')).toBe(modelList !== 'ids');
  if (modelList === 'ids') expect(Object.keys(model ?? {})).toEqual(['id', 'object', 'owned_by']);
});

it('typography answers with the address of a picture, names no model, and takes further fields', async () => {
  const bench = await startBench();
  const { json } = await whenDone(bench, bench.post('/typo/generate', { prompt: 'HARBOUR', magic: 'ON' }));
  const [{ url }] = json.data as [{ url: string }];
  const picture = await fetch(url);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(bench.service.ledger.commits).toBe(1);
});

describe('an asynchronous image order', () => {
  it('makes a task with one output for each picture', async () => {
    const bench = await startBench();
    const { json } = await bench.post('/v1/images/generations/async', { ...IMAGE, n: 3, resolution: '2K' });
    bench.letEverythingFinish();
    const done = await bench.get(`/v1/images/tasks/${String(json.id)}`);
    expect(done.json.status).toBe('succeeded');
    expect(done.json.output).toMatchObject([{ type: 'image' }, { type: 'image' }, { type: 'image' }]);
    expect((await bench.get(`/v1/videos/${String(json.id)}`)).code).toBe('task_not_found');
  });

  it('is refused when the group of the key has no access', async () => {
    const bench = await startBench({ asyncImages: false });
    const generation = await bench.post('/v1/images/generations/async', IMAGE);
    const edit = await bench.form('/v1/images/edits/async', { ...IMAGE, image: picture });
    expect([generation.status, generation.code]).toEqual([403, 'async_images_not_allowed']);
    expect([edit.status, edit.code]).toEqual([403, 'async_images_not_allowed']);
  });

  it('takes an edit as a form', async () => {
    const bench = await startBench();
    const { status } = await bench.form('/v1/images/edits/async', { ...IMAGE, image: picture, mask: picture, n: '2' });
    expect(status).toBe(200);
    const [entry] = bench.service.ledger.posts();
    const sha256 = createHash('sha256').update('a picture').digest('hex');
    expect(entry?.body).toMatchObject({
      fields: { ...IMAGE, n: '2' },
      files: [{ field: 'image', bytes: 9, sha256 }, {}],
    });
  });
});

it('a synchronous image order is billed when it is accepted and answered when it is done', async () => {
  const bench = await startBench();
  const call = bench.post('/v1/images/generations', { ...IMAGE, n: 2 });
  while (bench.clock.sleeping === 0) await turn();
  expect(bench.service.ledger.commits).toBe(1);
  expect(bench.service.ledger.posts()[0]?.ending).toBe('pending');
  const { json } = await whenDone(bench, call);
  const urls = (json.data as { url: string }[]).map((item) => item.url);
  expect(urls).toHaveLength(2);
  expect((await fetch(urls[1] ?? '')).status).toBe(200);
});

it('a music order is wrapped as a music task response by the operation of its own', async () => {
  const bench = await startBench();
  const { json } = await bench.post('/v1/music', { ...MUSIC, custom_mode: true, mv: 'v4' });
  expect(json).toMatchObject({ code: 'success', data: expect.stringMatching(/^task_/) as unknown });
  const path = `/v1/music/${String(json.data)}`;
  expect((await bench.get(path)).json).toMatchObject({ data: { task_id: json.data, status: 'pending' } });
  bench.letEverythingFinish();
  const { data } = (await bench.get(path)).json as { data: { audio_url: string } };
  expect((await fetch(data.audio_url)).headers.get('content-type')).toBe('audio/mpeg');
});

it('lyrics are the text of a music record, at both entries', async () => {
  const bench = await startBench();
  for (const path of ['/v1/tasks', '/v1/music']) {
    const { json } = await bench.post(path, { model: 'lyrics-demo', prompt: 'A light for others' });
    expect(json).toMatchObject({ code: 'success', data: expect.any(String) as unknown });
    bench.letEverythingFinish();
    expect((await bench.get(`${path}/${String(json.data)}`)).json).toMatchObject({
      data: { task_id: json.data, status: 'succeeded', text: expect.stringContaining('A light for others') as unknown },
    });
  }
});
