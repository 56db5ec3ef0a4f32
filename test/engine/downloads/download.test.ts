import type { ResumePoint } from '../../../src/engine/db/output-store.ts';
import { linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pass } from '../../support/fake-clock.ts';
import { placeOf } from '../../support/places.ts';
import { bench, bytesOf, cutAfter, file, serve, sha256, status, until, type Answer } from './support.ts';
import { folderOfTest } from '../../support/folders.ts';

const MEGABYTE = 1024 * 1024;
const content = bytesOf(3 * MEGABYTE + 17);
const small = bytesOf(5000, 7);

describe('a download that goes well', () => {
  it('leaves the very bytes in the part and says their hash', async () => {
    const { origin, heard } = await serve(file(content));
    const { downloader, partPath, request } = bench();
    const seen: number[] = [];
    const outcome = await downloader.download(request(`${origin}/a.mp4?sig=1`, { onProgress: (n) => seen.push(n) }));
    expect(outcome).toEqual({
      type: 'complete',
      bytes: content.length,
      sha256: sha256(content),
      contentType: 'video/mp4',
      etag: '"v1"',
    });
    expect(readFileSync(partPath).equals(content)).toBe(true);
    expect(heard[0]?.url).toBe('/a.mp4?sig=1');
    expect(heard[0]?.headers['accept-encoding']).toBe('identity');
    expect(seen.at(-1)).toBe(content.length);
  });

  it('persists a large file now and then, and a small one not at all', async () => {
    const { origin } = await serve(file(content));
    const { get, persisted } = bench({ syncEveryBytes: MEGABYTE });
    await get(origin);
    expect(persisted.length).toBeGreaterThan(0);
    for (const point of persisted) {
      expect(point.offset).toBeGreaterThanOrEqual(MEGABYTE);
      expect(point).toMatchObject({ etag: '"v1"', length: content.length });
    }
    const other = bench();
    await other.downloader.download(other.request(`${origin}/a`));
    expect(other.persisted).toEqual([]);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('has the file in the part when it came as %s although it was asked not to', async (encoding, pack) => {
    const packed = pack(content.subarray(0, MEGABYTE));
    const { origin, heard } = await serve(
      (_request, response) => {
        response.writeHead(200, { etag: '"v1"', 'content-encoding': encoding, 'content-length': packed.length });
        response.write(packed.subarray(0, 1000), () => response.destroy());
      },
      (_request, response) =>
        response
          .writeHead(200, { etag: '"v1"', 'content-encoding': encoding, 'content-length': packed.length })
          .end(packed),
    );
    const { get, partPath, persisted } = bench();
    expect(await get(origin)).toMatchObject({ type: 'retry' });
    expect(persisted).toEqual([]);
    expect(await get(origin)).toMatchObject({
      type: 'complete',
      bytes: MEGABYTE,
      sha256: sha256(content.subarray(0, MEGABYTE)),
    });
    expect(heard[1]?.headers.range).toBeUndefined();
    expect(readFileSync(partPath).equals(content.subarray(0, MEGABYTE))).toBe(true);
    expect(readdirSync(dirname(partPath))).toEqual([basename(partPath)]);
  });

  it('refuses a file that grows beyond the limit once it is decompressed', async () => {
    const packed = gzipSync(Buffer.alloc(5 * MEGABYTE));
    const { origin } = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    );
    expect(await bench().get(origin, { maxBytes: MEGABYTE })).toMatchObject({
      type: 'refused',
      complaint: { code: 'download_too_large' },
    });
  });

  it('skips an interim answer', async () => {
    const { origin } = await serve((_request, response) => {
      response.writeContinue();
      response.end(small);
    });
    expect(await bench().get(origin)).toMatchObject({
      type: 'complete',
      sha256: sha256(small),
    });
  });

  it('takes a body without any announced length', async () => {
    const { origin } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.write(small.subarray(0, 100));
      response.end(small.subarray(100));
    });
    expect(await bench().get(origin)).toMatchObject({
      type: 'complete',
      sha256: sha256(small),
    });
  });

  it('is patient with a slow drip, however long the whole takes', async () => {
    const total = 20;
    let next: () => void = () => {};
    const { origin } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': total });
      let sent = 0;
      next = () => response.write(small.subarray(sent, ++sent));
      next();
    });
    const { clock, get } = bench();
    let received = 0;
    const outcome = get(origin, { onProgress: (bytes) => (received = bytes) });
    for (let sent = 1; sent <= total; sent += 1) {
      await until(() => received === sent);
      clock.advance(50_000);
      next();
    }
    expect(await outcome).toMatchObject({ type: 'complete', bytes: total });
  });
});

describe('a download that breaks off', () => {
  it('is cut by a closed connection, keeps what came and goes on from there', async () => {
    const { origin, heard } = await serve(cutAfter(2 * MEGABYTE, content), file(content));
    const { get, partPath, persisted } = bench();
    const first = await get(origin);
    expect(first).toMatchObject({ type: 'retry', complaint: { code: 'download_truncated' } });
    const point = persisted.at(-1);
    expect(point?.offset).toBeGreaterThan(0);
    expect(point).toMatchObject({ etag: '"v1"', length: content.length });

    const second = await get(origin, { resume: point ?? null });
    expect(second).toMatchObject({ type: 'complete', bytes: content.length, sha256: sha256(content) });
    expect(heard[1]?.headers).toMatchObject({ range: `bytes=${point?.offset}-`, 'if-range': '"v1"' });
    expect(readFileSync(partPath).equals(content)).toBe(true);
  });

  it('is cut inside a chunked body', async () => {
    const { origin } = await serve((_request, response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' });
      response.write(small, () => response.destroy());
    });
    expect(await bench().get(origin)).toMatchObject({
      type: 'retry',
      complaint: { code: 'download_truncated' },
    });
  });

  it('is reset before any answer', async () => {
    const { origin } = await serve((request) => request.socket.resetAndDestroy());
    const { get } = bench();
    expect(await get(origin)).toMatchObject({ type: 'retry', retryAfterMs: null });
  });

  it('finds nobody at the address', async () => {
    const { downloader, request } = bench();
    expect(await downloader.download(request('http://127.0.0.1:9/a'))).toMatchObject({
      type: 'retry',
      complaint: { code: 'ECONNREFUSED' },
    });
  });

  it('ends a try after a minute without a byte, and keeps what came', async () => {
    const { origin } = await serve((_request, response) => {
      response.writeHead(200, { etag: '"v1"', 'content-length': content.length });
      response.write(small);
    });
    const { clock, get, persisted } = bench();
    let received = 0;
    const outcome = get(origin, { onProgress: (bytes) => (received = bytes) });
    await until(() => received === small.length);
    await pass(clock, 71_000);
    expect(await outcome).toMatchObject({ type: 'retry', complaint: { code: 'download_stalled' } });
    expect(persisted).toEqual([{ offset: small.length, etag: '"v1"', length: content.length }]);
  });

  it('goes on with what came while the process stood still', async () => {
    let finish: () => void = () => {};
    const { origin, heard } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': small.length }).write(small.subarray(0, 100));
      finish = () => response.end(small.subarray(100));
    });
    const { clock, get } = bench();
    let received = 0;
    const outcome = get(origin, { onProgress: (bytes) => (received = bytes) });
    await until(() => received === 100);
    finish();
    // The rest is in the socket, and the timers fire before it is read.
    clock.advance(66_000);
    expect(await outcome).toMatchObject({ type: 'complete', sha256: sha256(small) });
    expect(heard).toHaveLength(1);
  });

  it('ends a try when no answer comes at all', async () => {
    const { origin, heard } = await serve(() => {});
    const { clock, get } = bench();
    const outcome = get(origin);
    await until(() => heard.length === 1);
    await pass(clock, 71_000);
    expect(await outcome).toMatchObject({ type: 'retry', complaint: { code: 'download_stalled' } });
  });

  it('stops at once when aborted, with what came on the disk', async () => {
    const { origin } = await serve((_request, response) => {
      response.writeHead(200, { etag: '"v1"', 'content-length': content.length });
      response.write(small);
    });
    const { get, partPath, persisted } = bench();
    const stop = new AbortController();
    let received = 0;
    const onProgress = (bytes: number): void => void (received = bytes);
    const outcome = get(origin, { signal: stop.signal, onProgress });
    await until(() => received === small.length);
    stop.abort();
    expect(await outcome).toEqual({ type: 'aborted' });
    expect(persisted.at(-1)?.offset).toBe(small.length);
    expect(readFileSync(partPath).equals(small)).toBe(true);
  });

  it('does not keep a point that nobody could check later', async () => {
    const { origin } = await serve((_request, response) => {
      response.writeHead(200, { etag: 'W/"weak"', 'content-length': 10_000 });
      response.write(small, () => response.destroy());
    });
    const { get, persisted } = bench();
    expect((await get(origin)).type).toBe('retry');
    expect(persisted).toEqual([]);
  });
});

describe('a resumed download', () => {
  const half = { offset: 2 * MEGABYTE, etag: '"v1"', length: content.length };

  async function resume(answers: Answer[], part: Buffer = content.subarray(0, half.offset), point: ResumePoint = half) {
    const server = await serve(...answers);
    const tools = bench();
    writeFileSync(tools.partPath, part);
    const outcome = await tools.downloader.download(tools.request(`${server.origin}/a`, { resume: point }));
    return { ...tools, ...server, outcome };
  }
  const whole = { type: 'complete', bytes: content.length, sha256: sha256(content) };

  it('cuts off what may never have reached the disk', async () => {
    const dirty = Buffer.concat([content.subarray(0, half.offset), bytesOf(5000, 99)]);
    const { outcome, partPath } = await resume([file(content)], dirty);
    expect(outcome).toMatchObject(whole);
    expect(readFileSync(partPath).equals(content)).toBe(true);
  });

  it('goes by the date of the last change where there is no strong ETag', async () => {
    const lastModified = 'Mon, 05 Jan 2026 10:00:00 GMT';
    const point = { offset: half.offset, etag: 'W/"weak"', lastModified };
    const { outcome, heard } = await resume(
      [
        (_request, response) => {
          const range = `bytes ${half.offset}-${content.length - 1}/${content.length}`;
          response.writeHead(206, { 'last-modified': lastModified, 'content-range': range });
          response.end(content.subarray(half.offset));
        },
      ],
      undefined,
      point,
    );
    expect(outcome).toMatchObject(whole);
    expect(heard[0]?.headers['if-range']).toBe(lastModified);
  });

  it('starts over when the part is shorter than what was stored', async () => {
    const { outcome, heard, persisted } = await resume([file(content)], content.subarray(0, 1000));
    expect(outcome).toMatchObject(whole);
    expect(heard[0]?.headers.range).toBeUndefined();
    expect(persisted[0]).toEqual({ offset: 0 });
  });

  it('starts over when the server ignores the range', async () => {
    const ignoring: Answer = (_request, response) =>
      response.writeHead(200, { etag: '"v1"', 'content-length': content.length }).end(content);
    const { outcome, heard, persisted } = await resume([ignoring]);
    expect(outcome).toMatchObject(whole);
    expect(heard).toHaveLength(1);
    // Forgotten first: a crash in between must not find an offset for bytes of another file.
    expect(persisted[0]).toEqual({ offset: 0 });
  });

  it('starts over when the file at the address has changed', async () => {
    const changed = bytesOf(2_500_000, 3);
    const { outcome } = await resume([file(changed, '"v2"')]);
    expect(outcome).toMatchObject({ type: 'complete', sha256: sha256(changed), etag: '"v2"' });
  });

  it('starts over when a range of another file comes although it was asked not to', async () => {
    const other: Answer = (_request, response) => {
      const range = `bytes ${half.offset}-${content.length - 1}/${content.length}`;
      response.writeHead(206, { etag: '"v2"', 'content-range': range }).end(content.subarray(half.offset));
    };
    const { outcome, heard } = await resume([other, file(content, '"v2"')]);
    expect(outcome).toMatchObject(whole);
    expect(heard[1]?.headers.range).toBeUndefined();
  });

  it.each([
    ['starts elsewhere', `bytes 0-${content.length - 1}/${content.length}`],
    ['is of a file of another length', `bytes ${half.offset}-${content.length}/${content.length + 1}`],
    ['says nothing', 'nonsense'],
  ])('starts over when the range that comes %s', async (_what, range) => {
    const wrong: Answer = (_request, response) =>
      response.writeHead(206, { etag: '"v1"', 'content-range': range }).end(content.subarray(half.offset));
    const { outcome } = await resume([wrong, file(content)]);
    expect(outcome).toMatchObject(whole);
  });

  it('is whole already when the server has nothing more', async () => {
    const { outcome, heard } = await resume([file(content)], content, { offset: content.length, etag: '"v1"' });
    expect(outcome).toMatchObject(whole);
    expect(heard[0]?.headers.range).toBe(`bytes=${content.length}-`);
  });

  it('sends no request when the part is complete', async () => {
    const { outcome, heard } = await resume([file(content)], content, { ...half, offset: content.length });
    expect(outcome).toMatchObject(whole);
    expect(heard).toEqual([]);
  });

  it('starts over when the server has less than the part', async () => {
    const shorter = content.subarray(0, MEGABYTE);
    const { outcome } = await resume([file(shorter)]);
    expect(outcome).toMatchObject({ type: 'complete', bytes: MEGABYTE, sha256: sha256(shorter) });
  });

  it('keeps the part when a page comes instead', async () => {
    const page: Answer = (_request, response) => response.writeHead(200).end('<!DOCTYPE html><title>Sorry</title>');
    const { outcome, partPath } = await resume([page]);
    expect(outcome).toMatchObject({ type: 'retry', complaint: { code: 'download_not_media' } });
    expect(readFileSync(partPath).equals(content.subarray(0, half.offset))).toBe(true);
  });
});

describe('an answer that is no file', () => {
  async function answered(answer: Answer) {
    const { origin } = await serve(answer);
    return bench().get(origin);
  }

  it('is a page with status 200, by its type or by its start', async () => {
    const notMedia = { type: 'retry', complaint: { code: 'download_not_media' } };
    const typed = file(Buffer.from('please log in'), '"v1"', 'text/html; charset=utf-8');
    expect(await answered(typed)).toMatchObject(notMedia);
    const disguised = file(Buffer.from('\n<!-- x --> <!doctype HTML><p>Log in'), '"v1"', 'video/mp4');
    expect(await answered(disguised)).toMatchObject(notMedia);
  });

  it('is empty', async () => {
    expect(await answered(file(Buffer.alloc(0)))).toMatchObject({
      type: 'retry',
      complaint: { code: 'download_empty' },
    });
    expect(await answered(status(204))).toMatchObject({ type: 'retry' });
  });

  it.each(['gzip', 'br', 'compress'])('says %s of bytes that are not', async (encoding) => {
    const packed: Answer = (_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(small);
    expect(await answered(packed)).toMatchObject({ type: 'retry', complaint: { code: 'download_encoded' } });
  });

  it.each([400, 401, 403, 404, 410])('is status %i: the address has expired', async (code) => {
    expect(await answered(status(code))).toMatchObject({ type: 'expired', httpStatus: code });
  });

  it.each([500, 502, 503, 408])('is status %i: worth asking again', async (code) => {
    const outcome = await answered(status(code, { 'retry-after': '7' }));
    expect(outcome).toMatchObject({ type: 'retry', retryAfterMs: 7000, complaint: { httpStatus: code } });
  });

  it('is 429, with the floor it names', async () => {
    expect(await answered(status(429, { 'retry-after': '120' }))).toMatchObject({
      type: 'throttled',
      retryAfterMs: 120_000,
    });
    expect(await answered(status(429))).toMatchObject({ type: 'throttled', retryAfterMs: null });
  });
});

describe('limits', () => {
  it('refuses a file announced as too large without taking it', async () => {
    const { origin } = await serve(file(content));
    expect(await bench().get(origin, { maxBytes: 1000 })).toMatchObject({
      type: 'refused',
      complaint: { code: 'download_too_large' },
    });
  });

  it('refuses a file that grows too large without having said so', async () => {
    const { origin } = await serve((_request, response) => {
      response.writeHead(200);
      response.write(content.subarray(0, MEGABYTE));
      response.end(content.subarray(MEGABYTE));
    });
    expect(await bench().get(origin, { maxBytes: MEGABYTE })).toMatchObject({
      type: 'refused',
      complaint: { code: 'download_too_large' },
    });
  });

  it('leaves the reserve of the disk alone and says how much is needed', async () => {
    const { origin } = await serve(file(content));
    expect(
      await bench({ disk: { freeBytes: () => Promise.resolve(content.length + 99) } }).get(origin, {
        minFreeBytes: 100,
      }),
    ).toMatchObject({ type: 'disk_full', neededBytes: content.length + 100 });
  });

  it('hands on what its own caller’s store throws', async () => {
    const { origin } = await serve(cutAfter(5000, content));
    const persist = (): void => {
      throw new Error('database is locked');
    };
    await expect(bench().get(origin, { persist })).rejects.toThrow('database is locked');
  });

  it('says that a person must act when the part cannot be written', async () => {
    const { origin } = await serve(file(small));
    const partPath = join(folderOfTest(), 'no such folder', 'a.part');
    expect(await bench().get(origin, { part: placeOf(partPath) })).toMatchObject({
      type: 'refused',
      complaint: { code: 'ENOENT' },
    });
  });
});

describe('what already stands at the path of the part', () => {
  it('is never followed when it is a link', async () => {
    const { origin } = await serve(file(small));
    const { get, partPath } = bench();
    const victim = join(folderOfTest(), 'victim');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, partPath);
    expect((await get(origin)).type).toBe('complete');
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readFileSync(partPath).equals(small)).toBe(true);
  });

  it('is not written through when it is a second name of a published take', async () => {
    const { origin } = await serve(file(small));
    const { get, partPath } = bench();
    const published = join(folderOfTest(), 'shot_t1.mp4');
    writeFileSync(published, 'published');
    linkSync(published, partPath);
    expect((await get(origin)).type).toBe('complete');
    expect(readFileSync(published, 'utf8')).toBe('published');
  });
});
