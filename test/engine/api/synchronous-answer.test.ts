import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json.ts';
import { openSpool } from '../../../src/engine/api/spool.ts';
import { placeOf } from '../../support/places.ts';
import { answer, bench, httpAnswer, imageRequest, type Script } from './support.ts';
import { folderOfSuite } from '../../support/folders.ts';

const folder = folderOfSuite();

/** Bytes as they are, after their head. */
const sent =
  (body: Buffer, headers: Record<string, string>): Script =>
  (socket) => {
    socket.write(httpAnswer(200, '', { ...headers, 'content-length': String(body.length) }));
    socket.write(body);
  };

describe('a synchronous answer', () => {
  const body = { created: 1, data: [{ b64_json: 'aGVsbG8='.repeat(20_000) }] };

  it('is the result, with its ids', async () => {
    await using at = await bench(
      answer(200, { data: [{ url: 'https://media/1.png?sig=1' }] }, { 'x-request-id': 'r' }),
    );
    expect(await at.client.submit(imageRequest)).toEqual({
      type: 'answered',
      body: Buffer.from('{"data":[{"url":"https://media/1.png?sig=1"}]}'),
      json: { data: [{ url: 'https://media/1.png?sig=1' }] },
      begins: '{"data":[{"url":"https://media/1.png?sig=1"}]}',
      requestId: 'r',
    });
  });

  it('lies on disk as it was sent', async () => {
    await using at = await bench(answer(200, body));
    const path = join(folder, 'whole.json');
    const spool = openSpool(placeOf(path), at.log);
    expect(await at.client.submit(imageRequest, { spool })).toMatchObject({
      type: 'answered',
      body: Buffer.from(JSON.stringify(body)),
    });
    expect(await readFile(path, 'utf8')).toBe(JSON.stringify(body));
    expect(spool.isWhole).toBe(true);
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('is the result, and is on disk as it is meant, when it came as %s', async (encoding, pack) => {
    await using at = await bench(sent(pack(JSON.stringify(body)), { 'content-encoding': encoding }));
    const path = join(folder, 'packed.json');
    const spool = openSpool(placeOf(path), at.log);
    expect(await at.client.submit(imageRequest, { spool })).toMatchObject({ type: 'answered', json: body });
    expect(await readFile(path, 'utf8')).toBe(JSON.stringify(body));
    expect(spool.isWhole).toBe(true);
    expect(await readdir(folder)).not.toContain('packed.json.arriving');
  });

  it.each([
    ['is no gzip', Buffer.from('{"data":[{"url":"https://media/1.png"}]}')],
    ['is half of one', gzipSync(JSON.stringify(body)).subarray(0, 60)],
  ])('is unclear when it is marked as gzip and %s, and every byte of it is on disk', async (_what, raw) => {
    await using at = await bench(sent(raw, { 'content-encoding': 'gzip' }));
    const path = join(folder, 'lie.json');
    const spool = openSpool(placeOf(path), at.log);
    expect(await at.client.submit(imageRequest, { spool })).toMatchObject({
      type: 'unclear',
      complaint: { httpStatus: 200, code: 'bad_encoding', message: expect.saying(/gzip/) },
    });
    expect(await readFile(path)).toEqual(raw);
  });

  it('is unclear when it grows beyond any answer, and is on disk as it came', async () => {
    const raw = gzipSync(Buffer.alloc(5_000_000));
    const limits = { json: 1000, result: 1_000_000 };
    await using at = await bench(sent(raw, { 'content-encoding': 'gzip' }), { limits });
    const path = join(folder, 'bomb.json');
    const spool = openSpool(placeOf(path), at.log);
    expect(await at.client.submit(imageRequest, { spool })).toMatchObject({
      type: 'unclear',
      complaint: { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' },
    });
    expect(await readFile(path)).toEqual(raw);
  });

  it('replaces what an earlier run left at its place', async () => {
    const path = join(folder, 'again.json');
    await using long = await bench(answer(200, body));
    await long.client.submit(imageRequest, { spool: openSpool(placeOf(path), long.log) });
    await using short = await bench(answer(200, { data: [] }));
    await short.client.submit(imageRequest, { spool: openSpool(placeOf(path), short.log) });
    expect(await readFile(path, 'utf8')).toBe('{"data":[]}');
  });

  it('leaves what came of it on disk when it is cut', async () => {
    await using at = await bench((socket) => {
      socket.end(httpAnswer(200, '{"data":[{"url":"https://media/1.png"', { 'content-length': '900' }));
    });
    const path = join(folder, 'cut.json');
    const spool = openSpool(placeOf(path), at.log);
    expect(await at.client.submit(imageRequest, { spool })).toMatchObject({ type: 'unclear' });
    expect(spool.isWhole).toBe(false);
    expect(await readFile(`${path}.arriving`, 'utf8')).toContain('https://media/1.png');
  });

  it('writes no file for an answer that is no success', async () => {
    await using at = await bench(answer(400, { error: { message: 'No' } }));
    const path = join(folder, 'refused.json');
    expect(await at.client.submit(imageRequest, { spool: openSpool(placeOf(path), at.log) })).toMatchObject({
      type: 'refused',
    });
    expect(await readdir(folder)).not.toContain('refused.json');
  });

  it('is still an answer when the disk fails, and says so', async () => {
    await using at = await bench(answer(200, body));
    const path = join(folder, 'no such folder', 'answer.json');
    const spool = openSpool(placeOf(path), at.log);
    expect(await at.client.submit(imageRequest, { spool })).toMatchObject({ type: 'answered' });
    expect(spool.isWhole).toBe(false);
    expect(at.log.lines.join()).toContain('could not be kept on disk');
  });

  it.each<[string, unknown]>([
    ['an error', { error: { message: 'The picture was refused', code: 'policy' } }],
    ['an error in the style of music', { code: 'error', message: 'The picture was refused', data: null }],
  ])('is unclear when it is %s with status 200', async (_what, said) => {
    await using at = await bench(answer(200, said));
    expect(await at.client.submit(imageRequest)).toMatchObject({
      type: 'unclear',
      complaint: { message: expect.saying(/The picture was refused/) },
    });
  });

  it('is an answer though nobody knows its shape: what it holds is not for the client to say', async () => {
    const text = 'Your picture is ready.';
    await using at = await bench(answer(200, text));
    expect(await at.client.submit(imageRequest)).toEqual({ type: 'answered', body: Buffer.from(text), begins: text });
  });

  it('is unclear when it is empty', async () => {
    await using at = await bench(answer(200, ''));
    expect(await at.client.submit(imageRequest)).toMatchObject({ type: 'unclear', complaint: { httpStatus: 200 } });
  });

  it.each<[string, JsonObject]>([
    ['an id and a final status', { id: 'img_1', status: 'succeeded' }],
    ['an error about another picture', { error: { message: 'One of two was refused' } }],
    ['an empty error', { error: {} }],
  ])('is a result though it carries %s', async (_what, facts) => {
    const done = { ...facts, data: [{ url: 'https://media/1.png' }] };
    await using at = await bench(answer(200, done));
    expect(await at.client.submit(imageRequest)).toMatchObject({
      type: 'answered',
      body: Buffer.from(JSON.stringify(done)),
    });
  });
});
