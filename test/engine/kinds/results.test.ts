import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/contract/json.ts';
import { Kind } from '../../../src/contract/kinds/kind.ts';
import { kindSpecs } from '../../../src/contract/kinds/index.ts';
import { readTask, readTaskIds } from '../../../src/engine/api/wire-schemas.ts';
import { resultsRead } from './support.ts';

const signed = 'https://cdn.example/out?sig=a%2Fb+c&name=%E2%9C%93';

it('the order of the places is that of the reference for videos', () => {
  const all = {
    data: { video_url: 'https://a.example/1' },
    video_url: 'https://a.example/2',
    url: 'https://a.example/3',
    result_url: 'https://a.example/4',
    output: { url: 'https://a.example/5' },
    metadata: { url: 'https://a.example/6' },
  };
  const read = (answer: JsonObject) => resultsRead('video', answer);
  expect(read(all)).toEqual(['https://a.example/1']);
  expect(read({ ...all, data: {} })).toEqual(['https://a.example/2']);
  expect(read({ url: all.url, result_url: all.result_url, output: all.output })).toEqual(['https://a.example/3']);
  expect(read({ result_url: all.result_url, output: all.output })).toEqual(['https://a.example/4']);
  expect(read({ metadata: all.metadata, output: all.output })).toEqual(['https://a.example/5']);
});

it('reads the last step of a task, since those before it are not final', () => {
  const step = (name: string) => ({ step: name, result_url: `https://a.example/${name}` });
  expect(resultsRead('video', { task_chain: [step('draft'), step('final')] })).toEqual(['https://a.example/final']);
});

describe('several results', () => {
  const two = ['https://a.example/1', 'https://a.example/2'];
  const items = two.map((url) => ({ url }));

  it('are read from the list, not from the field that shows only the first', () => {
    expect(resultsRead('image', { url: two[0] ?? '', output: items })).toEqual(two);
    expect(resultsRead('image', { created: 1, data: items })).toEqual(two);
    expect(resultsRead('image', { imageUrl: two[0] ?? '', imageUrls: two })).toEqual(two);
    expect(resultsRead('image', { code: 1, result: two })).toEqual(two);
    expect(resultsRead('music', { code: 'success', data: two.map((url) => ({ audio_url: url })) })).toEqual(two);
  });

  it('of several records are read from each, wherever it has its own, and not from one that failed', () => {
    const [first = '', second = ''] = two;
    const data = [
      { id: 'a', status: 'succeeded', audio_url: first },
      { id: 'b', status: 'failed', url: 'https://a.example/reason' },
      { id: 'c', status: 'completed', output: [{ type: 'audio', url: second }] },
    ];
    expect(resultsRead('music', { code: 'success', data })).toEqual(two);
  });

  it('leave out files of another type, such as the cover of a video', () => {
    const [first = '', second = ''] = two;
    const output = [
      { type: 'image', url: first },
      { type: 'video', url: second },
    ];
    expect(resultsRead('video', { output })).toEqual([second]);
    expect(resultsRead('image', { output })).toEqual([first]);
    expect(resultsRead('music', { output })).toEqual(two);
  });
});

/** How a record may show its result, for any kind: the places of the reference, and those it uses for one record or another. */
const shownAt: Readonly<Record<string, (url: string) => JsonObject>> = {
  'data.video_url': (url) => ({ data: { video_url: url } }),
  video_url: (url) => ({ video_url: url }),
  url: (url) => ({ url }),
  result_url: (url) => ({ result_url: url }),
  'output.url': (url) => ({ output: { url } }),
  'output[].url': (url) => ({ output: [{ type: 'file', url }] }),
  'output[]': (url) => ({ output: [url] }),
  'metadata.url': (url) => ({ metadata: { url } }),
  'data.result_url': (url) => ({ data: { result_url: url } }),
  'data.output[].url': (url) => ({ data: { output: [{ url }] } }),
  'data: the address': (url) => ({ data: url }),
  'result: the address': (url) => ({ result: url }),
  'result[]': (url) => ({ result: [url] }),
  imageUrl: (url) => ({ imageUrl: url }),
  imageUrls: (url) => ({ imageUrls: [url] }),
  audio_url: (url) => ({ audio_url: url }),
  audioUrl: (url) => ({ audioUrl: url }),
  'task_chain[].result_url': (url) => ({ task_chain: [{ step: 'generation' }, { step: 'policy', result_url: url }] }),
};

/** What an answer may put around its record, or its records. */
const wrapped: Readonly<Record<string, (records: JsonObject[]) => JsonObject>> = {
  data: (records) => ({ code: 'success', message: '', data: one(records) }),
  'a list in data': (records) => ({ code: 'success', data: records }),
  result: (records) => ({ code: 1, result: one(records) }),
  output: (records) => ({ request_id: 'r', output: one(records) }),
  'data.data': (records) => ({ code: 'success', data: { data: one(records) } }),
  'a list in data.data': (records) => ({ data: { data: records, total: records.length } }),
  'data.result': (records) => ({ code: 'success', data: { result: one(records) } }),
};
const one = (records: JsonObject[]): Json => (records.length === 1 ? (records[0] ?? null) : records);

const statuses: Readonly<Record<string, JsonObject>> = {
  succeeded: { status: 'succeeded' },
  SUCCESS: { status: 'SUCCESS', progress: '100%' },
  none: {},
};

const endings: Readonly<Record<string, string>> = { moving: 'mp4', still: 'png', sound: 'mp3', words: 'md' };

describe('every record', () => {
  const shapes = fc.record({
    kind: fc.constantFrom(...Kind.options),
    place: fc.constantFrom(...Object.keys(shownAt)),
    wrapper: fc.constantFrom('none', ...Object.keys(wrapped)),
    status: fc.constantFrom(...Object.keys(statuses)),
    count: fc.integer({ min: 1, max: 3 }),
    named: fc.boolean(),
  });

  it('is read in every place, in every wrapper, alone or in a list, with a status or without', () => {
    fc.assert(
      fc.property(shapes, ({ kind, place, wrapper, status, count, named }) => {
        const urls = Array.from({ length: wrapper === 'none' ? 1 : count }, (_, index) => {
          const ending = endings[kindSpecs[kind].medium] ?? '';
          return `https://cdn.example/${String(index)}.${ending}?sig=a%2Fb`;
        });
        const records = urls.map((url, index) => ({
          ...(named && { task_id: `t${String(index)}` }),
          ...statuses[status],
          ...shownAt[place]?.(url),
        }));
        const answer = wrapped[wrapper]?.(records) ?? records[0] ?? {};
        const task = readTask(answer, (record) => resultsRead(kind, record).length > 0);
        expect(task?.status).toBe('succeeded');
        expect(resultsRead(kind, answer)).toEqual(urls);
      }),
      { numRuns: 2000 },
    );
  });

  it('is left alone before it is done', () => {
    const unfinished = fc.constantFrom(
      'pending',
      'submitted',
      'running',
      'QUEUED',
      'IN_PROGRESS',
      'failed',
      'CANCELED',
    );
    fc.assert(
      fc.property(shapes, unfinished, ({ kind, place, wrapper }, status) => {
        const record = { task_id: 't', status, ...shownAt[place]?.('https://cdn.example/preview.mp4') };
        const answer = wrapped[wrapper]?.([record]) ?? record;
        expect(readTask(answer, () => true)?.status).not.toBe('succeeded');
        expect(resultsRead(kind, answer)).toEqual([]);
      }),
    );
  });

  it('without a status is not done before it shows a result, nor while it says how far it is, nor beside an error', () => {
    const read = (answer: JsonObject) => readTask(answer, (record) => resultsRead('video', record).length > 0);
    expect(read({ id: 't', output: [] })).toBeNull();
    expect(read({ data: [{ id: 'a', url: signed }, { id: 'b' }] })).toBeNull();
    expect(read({ id: 't', progress: '45%', url: signed })).toBeNull();
    expect(read({ id: 't', error: { message: 'No' }, url: signed })).toBeNull();
    expect(read({ id: 't', progress: 0.45, url: signed })).toBeNull();
    expect(read({ id: 't', progress: '100%', url: signed })?.status).toBe('succeeded');
  });

  it('without a status is no more done because its wrapper says that the call went well', () => {
    const read = (answer: JsonObject) => readTask(answer, (record) => resultsRead('video', record).length > 0)?.status;
    expect(read({ status: 'success', data: { id: 't' } })).toBeUndefined();
    expect(read({ status: 'ok', data: { id: 't', url: signed } })).toBe('succeeded');
    expect(read({ status: 'fine', data: { id: 't', url: signed } })).toBe('succeeded');
    expect(read({ status: 'fine', data: { id: 't' } })).toBe('pending');
    expect(read({ status: 'running', data: { id: 't', url: signed } })).toBe('pending');
    expect(read({ status: 'running', data: [{ id: 't', status: 'succeeded', url: signed }] })).toBe('pending');
    expect(read({ status: 'failed', data: { id: 't', url: signed } })).toBe('failed');
  });

  it('that repeats the addresses of its request has its result elsewhere', () => {
    const source = 'https://mine.example/source.mp4';
    const record = { status: 'succeeded', video_url: source, audioUrl: source, result_url: signed };
    expect(resultsRead('video', record, new Set([source]))).toEqual([signed]);
    expect(resultsRead('music', { video_url: source, audioUrl: source }, new Set([source]))).toEqual([]);
  });

  it('is not taken for done by its cover', () => {
    const cover = 'https://cdn.example/cover.png';
    expect(resultsRead('music', { id: 'a', imageUrl: cover, image_url: cover, audio_url: '' })).toEqual([]);
    expect(resultsRead('video', { id: 'a', status: 'succeeded', imageUrls: [cover] })).toEqual([]);
  });

  it('may hold the result itself', () => {
    const sound = Buffer.alloc(300, 7);
    const text = sound.toString('base64');
    const content = `content ${sound.toString('latin1')}`;
    expect(resultsRead('speech', { audio: text })).toEqual([content]);
    expect(resultsRead('speech', { code: 'success', data: { audio: text } })).toEqual([content]);
    expect(resultsRead('speech', { data: text })).toEqual([content]);
    expect(resultsRead('image', { status: 'succeeded', output: [{ b64_json: text }] })).toEqual([content]);
    expect(resultsRead('text', { status: 'succeeded', data: { text: 'a' } })).toEqual(['content a']);
  });
});

describe('a hostile answer', () => {
  const nested = (depth: number, inside: Json, name = 'data'): Json =>
    depth === 0 ? inside : { [name]: nested(depth - 1, inside, name) };

  it('is read to a limited depth', () => {
    expect(resultsRead('video', nested(4, { url: signed }))).toEqual([signed]);
    expect(resultsRead('video', nested(100, { url: signed }))).toEqual([]);
    expect(readTaskIds(nested(100, { task_id: 't' }))).toBeNull();
    expect(readTask(nested(100, { status: 'succeeded' }) as JsonObject, () => false)).toBeNull();
  });

  it('costs no more than its length', () => {
    const names = ['data', 'output', 'result', 'results', 'images', 'imageUrls'];
    const wide = (depth: number): Json =>
      depth === 0 ? { note: 'x' } : Object.fromEntries(names.map((name) => [name, [wide(depth - 1), wide(depth - 1)]]));
    const started = process.cpuUsage();
    for (const kind of Kind.options) resultsRead(kind, wide(4));
    resultsRead(
      'image',
      Array.from({ length: 200_000 }, () => ({ note: 'x' })),
    );
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(3000);
  });

  it('gives a take no more results than it can hold', () => {
    const data = Array.from({ length: 5000 }, (_, index) => ({ url: `https://cdn.example/${String(index)}` }));
    expect(resultsRead('image', { data })).toHaveLength(1000);
    expect(
      readTaskIds({ data: data.map((_, index) => ({ task_id: `t${String(index)}` })) })?.otherTaskIds,
    ).toHaveLength(100);
  });
});

describe('the id of a task', () => {
  it.each<[string, JsonObject]>([
    ['id', { id: 't' }],
    ['task_id', { task_id: 't' }],
    ['data', { code: 'success', data: 't' }],
    ['data.task_id', { code: 'success', data: { task_id: 't' } }],
    ['a list in data', { code: 'success', data: [{ id: 'r', task_id: 't' }] }],
    ['result', { code: 1, result: 't' }],
    ['output.task_id', { request_id: 'r', output: { task_id: 't', task_status: 'PENDING' } }],
    ['data.output.id', { data: { output: { id: 't' } } }],
    ['response.task.id', { response: { task: { id: 't' } } }],
  ])('is found in %s', (_place, answer) => {
    expect(readTaskIds(answer)).toEqual({ taskId: 't' });
  });

  it('is none where an error stands, or an address', () => {
    expect(readTaskIds({ code: 'error', data: 'quota' })).toBeNull();
    expect(readTaskIds({ output: 'https://cdn.example/1.mp4' })).toBeNull();
    expect(readTaskIds({ output: 'done' })).toBeNull();
  });
});
