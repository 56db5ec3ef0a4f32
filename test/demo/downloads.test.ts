import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../support/demo/service.ts';
import { finishedVideo, networkError, resultUrl, startBench, type Bench } from './support.ts';

const BYTES = 50_000;

interface Download {
  bench: Bench;
  id: string;
  url: string;
  whole: Buffer;
}

/** A finished video of `BYTES` bytes or a little more, downloaded once in peace. */
async function startDownload(): Promise<Download> {
  const bench = await startBench({ tinyBytes: BYTES });
  const { id, url } = await finishedVideo(bench);
  return { bench, id, url, whole: await bytesOf(await fetch(url)) };
}

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

function part(url: string, range: string, more: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { headers: { range, ...more } });
}

describe('a result address', () => {
  it('serves the whole file with its length, type and validator', async () => {
    const { url, whole } = await startDownload();
    const response = await fetch(url, { method: 'HEAD' });
    expect(response.headers.get('content-length')).toBe(String(whole.length));
    expect(response.headers.get('content-type')).toBe('video/mp4');
    expect(response.headers.get('etag')).toMatch(/^"\w+"$/);
    expect(await bytesOf(response)).toHaveLength(0);
  });

  it('serves ranges, of the content the client already has, and none outside the file', async () => {
    const { url, whole } = await startDownload();
    const total = whole.length;
    for (const [range, from, to] of [
      ['bytes=0-9', 0, 10],
      ['bytes=100-', 100, total],
      ['bytes=-5', total - 5, total],
    ] as const) {
      const response = await part(url, range);
      expect([response.status, await bytesOf(response)]).toEqual([206, whole.subarray(from, to)]);
      expect(response.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${total}`);
    }
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    expect((await part(url, 'bytes=10-', { 'if-range': etag })).status).toBe(206);
    const other = await part(url, 'bytes=10-', { 'if-range': '"other"' });
    expect([other.status, await bytesOf(other)]).toEqual([200, whole]);
    const outside = await part(url, 'bytes=9999999-');
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${total}`]);
  });

  it.each([
    ['the query is decoded', (url: string) => url.replace('%2F', '/')],
    ['a plus becomes a blank', (url: string) => url.replace(/\+/g, '%20')],
    ['a part is dropped', (url: string) => url.replace(/&name=.*/, '')],
    ['parts are reordered', (url: string) => url.replace(/(expires=\d+)&(signature=\w+)/, '$2&$1')],
    ['another output is asked for', (url: string) => url.replace('/1.mp4', '/2.mp4')],
  ])('is refused when %s', async (_change, rewrite) => {
    const { url } = await startDownload();
    expect(rewrite(url)).not.toBe(url);
    expect((await fetch(rewrite(url))).status).toBe(403);
  });

  it('runs out, and the task hands out a new one with each poll', async () => {
    const bench = await startBench({ resultTtlMs: 1000 });
    const { id, url } = await finishedVideo(bench);
    bench.clock.advance(1000);
    expect((await fetch(url)).status).toBe(403);
    const fresh = await resultUrl(bench, id);
    expect(fresh).not.toBe(url);
    expect((await fetch(fresh)).status).toBe(200);
  });

  it('may be on another origin, where no key has any business', async () => {
    const bench = await startBench({ mediaOrigin: 'separate' });
    const { url } = await finishedVideo(bench);
    expect(new URL(url).origin).not.toBe(bench.service.url);
    await fetch(url);
    expect(bench.service.ledger.leakedKeys()).toEqual([]);
    await fetch(url, { headers: { authorization: 'Bearer demo-key' } });
    expect(bench.service.ledger.leakedKeys()).toMatchObject([
      { origin: 'media', headers: { authorization: 'masked' } },
    ]);
  });
});

describe('a download that meets a fault', () => {
  async function startWith(fault: Fault): Promise<Download> {
    const download = await startDownload();
    download.bench.fault({ path: '/media/*' }, fault);
    return download;
  }

  it.each<[string, Fault, string]>([
    ['cut before its announced length', { fault: 'cut', afterBytes: 1000 }, 'cut'],
    ['cut between two chunks', { fault: 'cut', afterBytes: 1000, framing: 'chunked' }, 'cut'],
    ['reset in the middle', { fault: 'reset', afterBytes: 1000 }, 'reset'],
    ['reset before the first byte', { fault: 'reset' }, 'reset'],
  ])('may be %s', async (_case, fault, ending) => {
    const { bench, url } = await startWith(fault);
    expect(await networkError(fetch(url).then(bytesOf))).not.toBe('no error');
    expect(bench.service.ledger.downloads().at(-1)?.ending).toBe(ending);
    expect((await fetch(url)).status).toBe(200);
  });

  it('may be longer than announced', async () => {
    const { url, whole } = await startWith({ fault: 'overlong', extraBytes: 10 });
    const { hostname, port, pathname, search } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
    const answer = await buffer(socket);
    const bodyStart = answer.indexOf('\r\n\r\n') + 4;
    expect(answer.toString('latin1', 0, bodyStart)).toContain(`content-length: ${String(whole.length)}`);
    expect(answer.length - bodyStart).toBe(whole.length + 10);
  });

  it.each([403, 404, 410])('may find its address expired with %i until the task is polled', async (status) => {
    const { bench, id, url } = await startWith({ fault: 'expired', status });
    expect((await fetch(url)).status).toBe(status);
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(await resultUrl(bench, id))).status).toBe(200);
  });
});
