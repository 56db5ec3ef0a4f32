import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json.ts';
import { Kind } from '../../../src/contract/kinds/kind.ts';
import { readResultOf } from '../../../src/engine/kinds/index.ts';

const signed = 'https://cdn.example/out?sig=a%2Fb+c&name=%E2%9C%93';

const places: [string, JsonObject][] = [
  ['data.video_url', { data: { video_url: signed } }],
  ['video_url', { video_url: signed }],
  ['url', { url: signed }],
  ['result_url', { result_url: signed }],
  ['output.url', { output: { url: signed } }],
  ['output[0].url', { output: [{ type: 'video', url: signed }] }],
  ['metadata.url', { metadata: { url: signed } }],
  ['data.result_url', { data: { result_url: signed } }],
  ['task_chain[].result_url', { task_chain: [{ step: 'generation' }, { step: 'x', result_url: signed }] }],
];

describe.each(Kind.options)('the result of a %s task', (kind) => {
  it.each(places)('is found at %s, complete with its query', (_place, answer) => {
    expect(readResultOf(kind, { id: 't', status: 'succeeded', error: null, ...answer })).toEqual([signed]);
  });

  it('is empty when there is none', () => {
    expect(readResultOf(kind, { id: 't', status: 'succeeded', output: [], result_url: null, url: '' })).toEqual([]);
    expect(readResultOf(kind, { url: 'ftp://a.example/x', video_url: 7 })).toEqual([]);
  });

  it('counts one result once, wherever else it stands', () => {
    const output = [{ url: signed }];
    expect(readResultOf(kind, { url: signed, result_url: `${signed}&again`, output })).toHaveLength(1);
  });
});

describe('the order of the places', () => {
  it('is that of the reference for videos', () => {
    const all = {
      data: { video_url: 'https://a.example/1' },
      video_url: 'https://a.example/2',
      url: 'https://a.example/3',
      result_url: 'https://a.example/4',
      output: { url: 'https://a.example/5' },
      metadata: { url: 'https://a.example/6' },
    };
    const read = (answer: JsonObject) => readResultOf('video', answer);
    expect(read(all)).toEqual(['https://a.example/1']);
    expect(read({ ...all, data: {} })).toEqual(['https://a.example/2']);
    expect(read({ url: all.url, result_url: all.result_url, output: all.output })).toEqual(['https://a.example/3']);
    expect(read({ result_url: all.result_url, output: all.output })).toEqual(['https://a.example/4']);
    expect(read({ metadata: all.metadata, output: all.output })).toEqual(['https://a.example/5']);
  });
});

it('reads the last step of a task, since those before it are not final', () => {
  const step = (name: string) => ({ step: name, result_url: `https://a.example/${name}` });
  expect(readResultOf('video', { task_chain: [step('draft'), step('final')] })).toEqual(['https://a.example/final']);
});

describe('several results', () => {
  const two = ['https://a.example/1', 'https://a.example/2'];
  const items = two.map((url) => ({ url }));

  it('are read from the list, not from the field that shows only the first', () => {
    expect(readResultOf('image', { url: two[0] ?? '', output: items })).toEqual(two);
    expect(readResultOf('image', { created: 1, data: items })).toEqual(two);
    expect(readResultOf('image', { imageUrl: two[0] ?? '', imageUrls: two })).toEqual(two);
    expect(readResultOf('image', { code: 1, result: two })).toEqual(two);
    expect(readResultOf('music', { code: 'success', data: two.map((url) => ({ audio_url: url })) })).toEqual(two);
  });

  it('of several records are read from each, wherever it has its own, and not from one that failed', () => {
    const [first = '', second = ''] = two;
    const data = [
      { id: 'a', status: 'succeeded', audio_url: first },
      { id: 'b', status: 'failed', url: 'https://a.example/reason' },
      { id: 'c', status: 'completed', output: [{ type: 'audio', url: second }] },
    ];
    expect(readResultOf('music', { code: 'success', data })).toEqual(two);
  });

  it('leave out files of another type, such as the cover of a video', () => {
    const [first = '', second = ''] = two;
    const output = [
      { type: 'image', url: first },
      { type: 'video', url: second },
    ];
    expect(readResultOf('video', { output })).toEqual([second]);
    expect(readResultOf('image', { output })).toEqual([first]);
    expect(readResultOf('music', { output })).toEqual(two);
  });
});
