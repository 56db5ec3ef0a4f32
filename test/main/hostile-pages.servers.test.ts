import { systemClock } from '../../src/host/process-environment.ts';
import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createPages } from '../../src/main/pages.ts';
import { MemoryLog } from '../support/world.ts';

const SMUGGLED = 'POST /rpc/queue/pause HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n';

const forward = new URL('../../src/main/forward.ts', import.meta.url).href;

it('a hostile environment sends no media through a proxy', async () => {
  const heard: string[] = [];
  const listen = (name: string) =>
    createServer((_request, response) => {
      heard.push(name);
      response.end();
    });
  const servers = [listen('engine'), listen('proxy')] as const;
  const engine = await socketOf(servers[0]);
  await new Promise<void>((resolve) => servers[1].listen(0, '127.0.0.1', resolve));
  const proxy = `http://127.0.0.1:${(servers[1].address() as AddressInfo).port}`;
  const script = `const { forwardToEngine } = await import('${forward}');
      await forwardToEngine(new Request('dailies://app/media/t1/1'), '${engine}');
      process.exit();`;
  const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy, NO_PROXY: '' };
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env });
  expect(await new Promise((ended) => child.once('exit', ended))).toBe(0);
  expect(heard).toEqual(['engine']);
  for (const server of servers) server.close();
});

async function socketOf(server: Server): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'dailies-hostile-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await new Promise<void>((resolve) => server.listen(join(folder, 'engine.sock'), resolve));
  return join(folder, 'engine.sock');
}

describe('a hostile page of ours', () => {
  let server: Server;
  let asked: string[];
  let load: (path: string, init?: RequestInit & { duplex?: 'half' }) => Promise<Response>;

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      request.resume();
      request.on('end', () => response.end('media'));
      request.on('error', () => undefined);
    });
    const socket = await socketOf(server);
    const files = { answer: () => Promise.resolve(null) };
    const pages = createPages(files, { socket: () => Promise.resolve(socket) }, systemClock, new MemoryLog());
    load = (path, init) => pages(new Request(`dailies://app${path}`, init));
  });

  afterEach(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  it.each([
    '/media/\\..\\..\\rpc/queue/pause',
    '/media\\..\\rpc/queue/pause',
    '/media/..\\rpc/queue/pause',
    '/upload/\\../rpc/queue/pause',
    '/media/../rpc/queue/pause',
    '/media/%2e%2e/rpc/queue/pause',
    '/media/.%2E/rpc/queue/pause',
    '//media/../rpc/queue/pause',
    '/media/\t../rpc/queue/pause',
  ])('comes to no procedure of the engine at %j', async (path) => {
    const response = await load(path, { method: 'POST' });
    expect([403, 404, 405]).toContain(response.status);
    expect(asked.filter((line) => !/^POST \/media\//.test(line) || line.includes('rpc'))).toEqual([]);
  });

  it('has no second request carried along behind a body that says it is shorter', async () => {
    const answer = load('/upload?name=a.png', {
      method: 'PUT',
      headers: { 'content-length': '4' },
      body: `abcd${SMUGGLED}`,
    });
    await answer.catch(() => undefined);
    // Its connection is used again, if that is still possible.
    await load('/media/t1/1').catch(() => undefined);
    expect(asked.filter((line) => line.includes('rpc'))).toEqual([]);
  });

  it.each(['DELETE', 'OPTIONS', 'POST', 'PATCH'])('has none carried along by a %s either', async (method) => {
    const response = await load('/media/t1/1', { method, body: SMUGGLED });
    expect(response.status).toBe(405);
    expect(asked).toEqual([]);
  });

  it('gets an answer though its body is shorter than it says', async () => {
    const headers = { 'content-length': '400' };
    expect((await load('/upload?name=a.png', { method: 'PUT', headers, body: 'abcd' })).status).toBe(200);
  });

  it.each(['TRACE', 'CONNECT', 'rpc / HTTP/1.1'])('makes no request of its own kind: %s', async (method) => {
    const response = await Promise.resolve()
      .then(() => load('/media/t1/1', { method }))
      .catch(() => null);
    expect(asked.filter((line) => line.includes('rpc'))).toEqual([]);
    expect(response === null || response.status >= 400 || asked.length === 1).toBe(true);
  });
});
