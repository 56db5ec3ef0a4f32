import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/contract/json.ts';
import { addressesIn, readAnswer } from '../../../src/engine/kinds/index.ts';

const read = (body: Buffer | Json): string[] =>
  readAnswer({ kind: 'image', params: {} }, Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))).map(
    (part) => ('url' in part ? part.url : `content ${part.content().toString('latin1')}`),
  );

const one = 'https://cdn.example/1.png?sig=a%2Fb';
const two = 'https://cdn.example/2.png';
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
const inside = `content ${picture.toString('latin1')}`;
const long = Buffer.alloc(300, 7);

describe('the results of a synchronous answer', () => {
  it.each<[string, Json]>([
    ['data[].url', { created: 1, data: [{ url: one }, { url: two }] }],
    ['data[]', { data: [one, two] }],
    ['output[].url', { output: [{ url: one }, { url: two }] }],
    ['images[]', { images: [one, two] }],
    ['images[].url', { images: [{ url: one, width: 10 }, { url: two }] }],
    ['data.images[].image_url', { code: 'success', data: { images: [{ image_url: one }, { image_url: two }] } }],
    [
      'result.images[].image_url.url',
      { result: { images: [{ image_url: { url: one } }, { image_url: { url: two } }] } },
    ],
    ['imageUrls', { imageUrl: one, imageUrls: [one, two] }],
    ['a bare array of addresses', [one, two]],
    ['a bare array of objects', [{ image: one }, { image: two }]],
    ['a list in which one stands twice', [one, one, two]],
  ])('are all read in their order: %s', (_what, answer) => {
    expect(read(answer)).toEqual([one, two]);
  });

  it.each<[string, Json]>([
    ['url', { url: one }],
    ['image_url', { image_url: one }],
    ['image_url.url', { image_url: { url: one } }],
    ['image', { image: one }],
    ['data', { data: one }],
    ['data.url', { data: { url: one } }],
    ['output', { output: one }],
    ['result', { result: one }],
    ['a JSON text', one],
    ['a part of a candidate', { candidates: [{ content: { parts: [{ fileData: { fileUri: one } }] } }] }],
    ['metadata.url, a place of tasks', { metadata: { url: one } }],
  ])('are read when there is one: %s', (_what, answer) => {
    expect(read(answer)).toEqual([one]);
  });

  it.each<[string, Buffer | Json]>([
    ['the bytes of a picture', picture],
    ['data[].b64_json', { data: [{ b64_json: picture.toString('base64') }] }],
    ['a content beside its address', { data: [{ url: one, b64_json: picture.toString('base64') }] }],
    ['a data: address', { data: [{ url: `data:image/png;base64,${picture.toString('base64')}` }] }],
    ['a data: address alone', Buffer.from(`data:image/png;base64,${picture.toString('base64')}`)],
    ['image_base64', { image_base64: picture.toString('base64') }],
    [
      'a part beside words and a draft',
      {
        candidates: [
          {
            content: {
              parts: [
                { inlineData: { data: long.toString('base64') }, thought: true },
                { text: one },
                { inlineData: { mimeType: 'image/png', data: picture.toString('base64') } },
              ],
            },
          },
        ],
      },
    ],
  ])('are read from the answer itself: %s', (_what, answer) => {
    expect(read(answer)).toEqual([inside]);
  });

  it('are read when they are long texts of base64, or drawings', () => {
    expect(read({ images: [long.toString('base64')] })).toEqual([`content ${long.toString('latin1')}`]);
    expect(read(Buffer.from('<svg xmlns="x"/>'))).toEqual(['content <svg xmlns="x"/>']);
    expect(read({ image: 'data:image/svg+xml,%3Csvg/%3E' })).toEqual(['content <svg/>']);
  });

  it('keep their order when addresses and contents are mixed', () => {
    expect(read({ data: [{ url: one }, { b64_json: picture.toString('base64') }, { url: two }] })).toEqual([
      one,
      inside,
      two,
    ]);
  });

  it('leave out what is of another type', () => {
    expect(
      read({
        output: [
          { type: 'video', url: two },
          { type: 'image', url: one },
        ],
      }),
    ).toEqual([one]);
  });

  it.each<[string, Buffer | Json]>([
    ['a web page', Buffer.from('<html><body>https://cdn.example</body></html>')],
    ['a sentence', Buffer.from('Your picture is ready.')],
    ['a sentence with an address', { message: 'See https://help.example for more' }],
    ['nothing', {}],
    ['empty lists', { data: [], images: [] }],
    ['another kind of address', { url: 'ftp://a.example/x' }],
    ['an unfamiliar shape', { outcome: { files: [{ href: one }] } }],
  ])('are not made up from %s', (_what, answer) => {
    expect(read(answer)).toEqual([]);
  });

  it('always find a place to look for a result', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json().map(Buffer.from), fc.uint8Array().map(Buffer.from)), (body) => {
        for (const part of readAnswer({ kind: 'image', params: {} }, body)) if ('content' in part) part.content();
      }),
    );
  });
});

describe('the addresses in an answer nobody can read', () => {
  it('are found in JSON, however it is escaped, and in what was cut', () => {
    const cut = String.raw`{"outcome":{"files":[{"href":"https:\/\/cdn.example\/1?a=1\u0026b=2"},{"href":"https://cdn.example/2","x`;
    expect(addressesIn(Buffer.from(cut))).toEqual(['https://cdn.example/1?a=1&b=2', 'https://cdn.example/2']);
  });

  it('leave out the one at which an answer was cut off', () => {
    const cut = '["https://cdn.example/one.png?sig=1","https://cdn.example/two.png?si';
    expect(addressesIn(Buffer.from(cut), { isCut: true })).toEqual(['https://cdn.example/one.png?sig=1']);
    expect(addressesIn(Buffer.from(`${cut}g=2"`), { isCut: true })).toHaveLength(2);
  });

  it('are few, and none in bytes', () => {
    const many = Array.from({ length: 99 }, (_, index) => `https://cdn.example/${String(index)}`);
    expect(addressesIn(Buffer.from(JSON.stringify(many)))).toHaveLength(20);
    expect(addressesIn(Buffer.concat([picture, Buffer.from(one)]))).toEqual([]);
  });
});
