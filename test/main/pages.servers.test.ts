import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPages } from '../../src/main/pages.ts';
import { MemoryLog } from '../support/world.ts';
import { t } from '../../src/contract/messages/words.ts';

const SECRET = 'what no page may see';
const ORIGIN = 'dailies://app';

describe('what is answered under our scheme', () => {
  const log = new MemoryLog();
  /** Every wait is over at once. */
  const clock = { sleep: () => Promise.resolve() };
  let folder: string;
  let server: Server;
  let asked: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  let give: (response: ServerResponse) => void;
  let load: (path: string, init?: RequestInit & { duplex?: 'half' }) => Promise<Response>;

  beforeEach(async () => {
    asked = [];
    give = (response) => response.end('media');
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
        give(response);
      });
    });
    folder = mkdtempSync(join(tmpdir(), 'dailies-pages-'));
    const socket = join(folder, 'engine.sock');
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const files = {
      answer: (pathname: string) => Promise.resolve(pathname === '/' ? new Response('<!doctype html>') : null),
    };
    const pages = createPages(files, { socket: () => Promise.resolve(socket) }, clock, log);
    load = (path, init) => pages(new Request(path.startsWith('/') ? `${ORIGIN}${path}` : path, init));
  });

  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  it('is the window’s own files, with the policy of the web host', async () => {
    const response = await load('/');
    expect(await response.text()).toBe('<!doctype html>');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await load('/nothing.js')).status).toBe(404);
    expect((await load('/', { method: 'POST' })).status).toBe(405);
    expect(asked).toEqual([]);
  });

  it('is media by way of the engine, without what else it has said', async () => {
    give = (response) => {
      response.writeHead(206, {
        'content-range': 'bytes 2-3/9',
        'content-type': 'video/mp4',
        'set-cookie': `dailies=${SECRET}`,
        connection: 'keep-alive',
        'x-inside': SECRET,
      });
      response.end('ab');
    };
    const response = await load('/media/t1/1?download', {
      headers: { range: 'bytes=2-3', cookie: 'a=b', authorization: 'Bearer nonsense', 'x-forwarded-for': '::1' },
    });
    expect(asked).toMatchObject([{ method: 'GET', url: '/media/t1/1?download', headers: { range: 'bytes=2-3' } }]);
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
    expect(asked[0]?.headers).not.toHaveProperty('cookie');
    expect(asked[0]?.headers).not.toHaveProperty('x-forwarded-for');
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe('bytes 2-3/9');
    expect(await response.text()).toBe('ab');
    expect(JSON.stringify([...response.headers])).not.toContain(SECRET);
    expect(response.headers.get('connection')).toBeNull();
  });

  it('takes what a page sends as it comes, and gives back the answer', async () => {
    give = (response) => response.writeHead(409, { 'content-type': 'application/json' }).end('{"code":"x"}');
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('bytes'));
        controller.close();
      },
    });
    const response = await load('/upload?name=a.png', {
      method: 'PUT',
      body,
      duplex: 'half',
      headers: { origin: ORIGIN, 'content-type': 'image/png' },
    });
    expect(asked).toMatchObject([{ method: 'PUT', url: '/upload?name=a.png', body: 'bytes' }]);
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 409, body: { code: 'x' } });
  });

  it.each([204, 304])('may be no more than a status: %s', async (status) => {
    give = (response) => response.writeHead(status, { etag: '"1"' }).end();
    const response = await load('/thumb/t1/1?w=320');
    expect({ status: response.status, body: response.body, etag: response.headers.get('etag') }).toEqual({
      status,
      body: null,
      etag: '"1"',
    });
  });

  it('ends at the engine when the page has seen enough', async () => {
    const closed = Promise.withResolvers<string>();
    give = (response) => {
      response.on('close', () => closed.resolve('closed'));
      const more = (): void => {
        while (response.write(Buffer.alloc(64 * 1024)));
        response.once('drain', more);
      };
      more();
    };
    const response = await load('/media/t1/1');
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(await closed.promise).toBe('closed');
  });

  it('ends at the engine when the page goes away while it sends', async () => {
    const cut = Promise.withResolvers<boolean>();
    server.once('request', (request: IncomingMessage) => {
      request.once('error', () => undefined);
      request.once('close', () => cut.resolve(!request.complete));
    });
    let pieces = 0;
    const body = new ReadableStream({
      async pull(controller) {
        pieces += 1;
        if (pieces === 1) return controller.enqueue(new Uint8Array(1024));
        while (server.listenerCount('request') > 1) await setImmediate();
        controller.error(new Error('the page is gone'));
      },
    });
    const headers = { origin: ORIGIN, 'content-type': 'image/png' };
    const response = await load('/upload?name=a.png', { method: 'PUT', body, duplex: 'half', headers });
    expect(await cut.promise).toBe(true);
    expect(response.status).toBe(503);
  });

  it.each([
    ['another origin', '/media/t1/1', { origin: 'https://example.com' }],
    ['a page of another site', '/media/t1/1', { 'sec-fetch-site': 'cross-site' }],
    ['another host of our scheme', 'dailies://other/media/t1/1', {}],
    ['an origin that hides', '/', { origin: 'null' }],
  ])('is nothing for %s', async (_who, path, headers) => {
    const response = await load(path, { headers: headers as Record<string, string> });
    expect(response.status).toBe(403);
    expect(asked).toEqual([]);
  });

  it.each(['/rpc/settings/get', '/mediax/1', '/Media/1/1', '/%6dedia/1/1', '/..%2f..%2fetc/passwd'])(
    'has no page at %s',
    async (path) => {
      expect((await load(path)).status).toBe(404);
      expect(asked).toEqual([]);
    },
  );

  it('never leads the engine out of its paths', async () => {
    expect((await load('/media/../rpc/settings/get')).status).toBe(404);
    await load('/media/%2e%2e/%2e%2e/etc/passwd');
    await load('/media/..%2f..%2frpc/x');
    expect(asked.map(({ url }) => url).filter((url) => !url.startsWith('/media/'))).toEqual([]);
  });

  it('is asked of the next engine when one dies over it', async () => {
    const answers = [
      (response: ServerResponse) => response.destroy(),
      (response: ServerResponse) => response.end('media'),
    ];
    give = (response) => void answers.shift()?.(response);
    expect(await (await load('/media/t1/1', { headers: { range: 'bytes=0-' } })).text()).toBe('media');
    expect(asked.map(({ headers }) => headers.range)).toEqual(['bytes=0-', 'bytes=0-']);
  });

  it('is sent once when it was sent', async () => {
    give = (response) => response.destroy();
    expect((await load('/upload?name=a.png', { method: 'PUT', body: 'bytes' })).status).toBe(503);
    expect(asked).toHaveLength(1);
  });

  it('says so when the engine does not answer', async () => {
    give = (response) => response.destroy();
    const response = await load('/media/t1/1');
    expect(response.status).toBe(503);
    expect(await response.text()).toBe(t('window.noAnswer'));
  });
});
