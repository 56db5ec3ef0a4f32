import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/demo/service.ts';
import { finishedVideo, networkError, resultUrl, startBench } from './support.ts';
import type { Bench } from './support.ts';

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

  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=100-', 100, undefined],
    ['bytes=-5', -5, undefined],
  ])('serves the range %s', async (range, from, to) => {
    const { url, whole } = await startDownload();
    const response = await part(url, range);
    expect(response.status).toBe(206);
    expect(await bytesOf(response)).toEqual(whole.subarray(from, to));
    const first = from < 0 ? whole.length + from : from;
    const last = (to ?? whole.length) - 1;
    expect(response.headers.get('content-range')).toBe(
      `bytes ${String(first)}-${String(last)}/${String(whole.length)}`,
    );
  });

  it('serves a range only of the content the client already has', async () => {
    const { url, whole } = await startDownload();
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    expect((await part(url, 'bytes=10-', { 'if-range': etag })).status).toBe(206);
    const other = await part(url, 'bytes=10-', { 'if-range': '"other"' });
    expect([other.status, await bytesOf(other)]).toEqual([200, whole]);
  });

  it('refuses a range outside the file', async () => {
    const { url, whole } = await startDownload();
    const response = await part(url, 'bytes=9999999-');
    expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${String(whole.length)}`]);
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
    download.bench.service.faults.add({ match: { path: '/media/*' }, do: fault });
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

  it('may stall after some bytes', async () => {
    const { bench, url, whole } = await startWith({ fault: 'stall', afterBytes: 1000 });
    const reader = (await fetch(url)).body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? [])).toEqual(whole.subarray(0, 1000));
    expect(bench.service.ledger.downloads().at(-1)?.ending).toBe('hung');
    await reader?.cancel();
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

  it('may come drop by drop', async () => {
    const { bench, url, whole } = await startWith({ fault: 'drip', bytes: 20_000, pauseMs: 500 });
    const body = fetch(url).then(bytesOf);
    for (let pause = 0; pause < Math.ceil(whole.length / 20_000) - 1; pause++) {
      while (bench.clock.sleeping === 0) await turn();
      bench.clock.advance(500);
    }
    expect(await body).toEqual(whole);
  });

  it('may be told a range that is not the one that is sent', async () => {
    const { url, whole } = await startWith({ fault: 'wrong-range' });
    const response = await part(url, 'bytes=10-19');
    expect([response.status, await bytesOf(response)]).toEqual([206, whole.subarray(10, 20)]);
    expect(response.headers.get('content-range')).toBe(`bytes 17-26/${String(whole.length + 7)}`);
  });

  it('may get the whole file instead of a range, or no range at all', async () => {
    const { bench, url, whole } = await startWith({ fault: 'ignore-range' });
    const ignored = await part(url, 'bytes=10-');
    expect([ignored.status, await bytesOf(ignored)]).toEqual([200, whole]);
    bench.service.faults.add({ do: { fault: 'range-not-satisfiable' } });
    expect((await part(url, 'bytes=10-')).status).toBe(416);
  });

  it('may find other content from one request to the next', async () => {
    const { bench, url, whole } = await startDownload();
    const before = await part(url, 'bytes=0-9');
    const etag = before.headers.get('etag') ?? '';
    bench.service.faults.add({ match: { path: '/media/*' }, do: { fault: 'changed-content' } });
    const after = await part(url, 'bytes=10-', { 'if-range': etag });
    expect([after.status, after.headers.get('etag') === etag]).toEqual([200, false]);
    const changed = await bytesOf(after);
    expect(changed.equals(whole)).toBe(false);
    expect(await bytesOf(await fetch(url))).toEqual(changed);
  });

  it.each([403, 404, 410])('may find its address expired with %i until the task is polled', async (status) => {
    const { bench, id, url } = await startWith({ fault: 'expired', status });
    expect((await fetch(url)).status).toBe(status);
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(await resultUrl(bench, id))).status).toBe(200);
  });

  it.each<[string, Fault, number, string]>([
    ['an HTML page', { fault: 'html' }, 200, '<!doctype html>'],
    ['nothing', { fault: 'empty' }, 200, ''],
    ['an error', { fault: 'status', status: 503, body: 'Try later' }, 503, 'Try later'],
  ])('may get %s', async (_case, fault, status, start) => {
    const { url } = await startWith(fault);
    const response = await fetch(url);
    const text = await response.text();
    expect([response.status, text.slice(0, start.length), text === '']).toEqual([status, start, start === '']);
  });

  it('may get the file under a wrong type', async () => {
    const { url, whole } = await startWith({ fault: 'content-type', value: 'text/plain' });
    const response = await fetch(url);
    expect([response.headers.get('content-type'), await bytesOf(response)]).toEqual(['text/plain', whole]);
  });

  it('may get a file of a format that nobody expected', async () => {
    const { url, whole } = await startWith({ fault: 'format', as: 'avif' });
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('image/avif');
    expect((await bytesOf(response)).toString('latin1', 4, 12)).toBe('ftypavif');
    expect(await bytesOf(await fetch(url))).toEqual(whole);
  });

  it('may find its address under another path, or not named at all', async () => {
    const { bench, id, whole } = await startDownload();
    const named = async (order: number[], moved: boolean): Promise<string[]> => {
      bench.service.faults.add({ match: { path: '/v1/videos/*' }, do: { fault: 'results', order, moved } });
      const { json } = await bench.get(`/v1/videos/${id}`);
      return (json.output as { url: string }[]).map((output) => output.url);
    };
    expect(await named([2], false)).toEqual([]);
    const [moved = ''] = await named([1], true);
    expect(new URL(moved).pathname).toMatch(/;\d+$/);
    expect(await bytesOf(await fetch(moved))).toEqual(whole);
  });

  it('may be asked to wait', async () => {
    const { url } = await startWith({ fault: 'rate-limit', seconds: 3 });
    const response = await fetch(url);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3']);
  });

  it('may be sent elsewhere', async () => {
    const { bench, url, whole } = await startWith({ fault: 'redirect', to: 'same' });
    expect(await bytesOf(await fetch(url))).toEqual(whole);
    const here = new URL(url);
    const places: [string, string][] = [
      ['other', `http://localhost:${here.port}${here.pathname}${here.search}`],
      ['private', `http://10.255.255.1${here.pathname}${here.search}`],
      ['loop', `${here.pathname}${here.search}`],
      ['https://cdn.example/file', 'https://cdn.example/file'],
    ];
    for (const [to, location] of places) {
      bench.service.faults.add({ match: { path: '/media/*' }, do: { fault: 'redirect', to, status: 307 } });
      const response = await fetch(url, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).toEqual([307, location]);
    }
  });
});
