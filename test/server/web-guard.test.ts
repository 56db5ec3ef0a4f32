import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebHost } from '../../src/server/web/host.ts';
import { startWebHost } from '../../src/server/web/host.ts';
import { newEntryCode } from '../../src/server/web/entry-codes.ts';
import { readToken, takeToken } from '../../src/server/web/token.ts';
import { Served, tokenOf } from './support.ts';

let served: Served;
let host: WebHost;

beforeAll(async () => {
  served = await Served.open();
  mkdirSync(join(served.windowFolder, 'assets'), { recursive: true });
  writeFileSync(join(served.windowFolder, 'index.html'), '<!doctype html><title>Dailies</title>');
  writeFileSync(join(served.windowFolder, 'assets', 'main-1a2b.js'), 'export {};');
  writeFileSync(join(served.world.folder, 'secret.txt'), 'secret');
  host = await served.web();
});

afterAll(() => served.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Sent as it stands: no client of ours tidies the path or adds a header. */
function send(path: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: host.port, path, method, headers }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(pieces).toString('utf8'),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const cookie = () => ({ cookie: `dailies_${host.port}=${tokenOf(host)}` });
const call = (headers: Record<string, string>) =>
  send('/rpc/projects/list', { 'content-type': 'application/json', ...headers }, 'POST', '{}');

describe('the first visit', () => {
  it('puts the token into a cookie no script can read, and out of the address bar', async () => {
    const { status, headers } = await send(`/?token=${tokenOf(host)}`);
    expect(status).toBe(303);
    expect(headers.location).toBe('/');
    expect(headers['set-cookie']).toEqual([`dailies_${host.port}=${tokenOf(host)}; Path=/; HttpOnly; SameSite=Strict`]);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('with the token of an earlier run is told so', async () => {
    const { status, body, headers } = await send(`/?token=${'A'.repeat(43)}`);
    expect(status).toBe(401);
    expect(body).toContain('earlier run');
    expect(headers['set-cookie']).toBeUndefined();
  });
});

describe('a code for the first visit', () => {
  const now = () => served.services.host.clock.now();

  it('opens once', async () => {
    const path = `/?enter=${newEntryCode(tokenOf(host), now())}`;
    expect((await send(path)).headers['set-cookie']).toEqual([
      `dailies_${host.port}=${tokenOf(host)}; Path=/; HttpOnly; SameSite=Strict`,
    ]);
    const again = await send(path);
    expect(again.status).toBe(401);
    expect(again.headers['set-cookie']).toBeUndefined();
  });

  it('that was used leads a browser that is in to the window all the same', async () => {
    const path = `/?enter=${newEntryCode(tokenOf(host), now())}`;
    await send(path);
    const again = await send(path, cookie());
    expect([again.status, again.headers.location]).toEqual([303, '/']);
    expect(again.headers['set-cookie']).toBeUndefined();
    expect((await send(`/?token=${'A'.repeat(43)}`, cookie())).status).toBe(303);
  });

  it.each([
    ['of another token', () => newEntryCode('A'.repeat(43), now())],
    ['of long ago', () => newEntryCode(tokenOf(host), now() - 600_000)],
    ['of the far future', () => newEntryCode(tokenOf(host), now() + 600_000)],
    [
      'that was made to last',
      () => newEntryCode(tokenOf(host), now()).replace(/^\d+/, (until) => `${Number(until) + 1}`),
    ],
    ['without a proof', () => newEntryCode(tokenOf(host), now()).replace(/[^.]+$/, '')],
    ['that is empty', () => ''],
  ])('opens nothing when it is one %s', async (_kind, code) => {
    const { status, headers } = await send(`/?enter=${code()}`);
    expect(status).toBe(401);
    expect(headers['set-cookie']).toBeUndefined();
  });
});

describe('without the token', () => {
  it.each(['/', '/rpc/projects/list', '/media/x/1', '/thumb/x/1', '/assets/main-1a2b.js', '/upload?name=a'])(
    'nothing is had at %s',
    async (path) => {
      expect((await send(path)).status).toBe(401);
    },
  );

  it.each([
    ['a wrong cookie', { cookie: `dailies_1=${'A'.repeat(43)}` }],
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['a wrong bearer', { authorization: `Bearer ${'A'.repeat(43)}` }],
    ['a piece of the token', { authorization: 'Bearer A' }],
  ])('%s opens nothing', async (_what, headers) => {
    expect((await call({ ...headers, 'x-dailies': '1' })).status).toBe(401);
  });
});

describe('with the token', () => {
  it('a request of our own page is answered', async () => {
    expect((await call({ ...cookie(), origin: host.address, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await call({ authorization: `Bearer ${tokenOf(host)}`, 'x-dailies': '1' })).status).toBe(200);
  });

  it.each([
    ['another name that leads here', { host: 'dailies.example' }],
    ['another port of this name', { host: '127.0.0.1:1' }],
    ['no port', { host: '127.0.0.1' }],
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['https at this port', { origin: 'https://127.0.0.1' }],
    ['an origin that hides', { origin: 'null' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another port', { 'sec-fetch-site': 'same-site' }],
  ])('%s is refused', async (_what, headers: Record<string, string>) => {
    expect((await call({ ...cookie(), 'x-dailies': '1', ...headers })).status).toBe(403);
    expect((await send('/', { ...cookie(), ...headers })).status).toBe(403);
  });

  it('a form cannot change anything: it says neither where it comes from nor what it is', async () => {
    expect((await call(cookie())).status).toBe(403);
    expect((await send('/peaks/x/1', cookie(), 'PUT', '[]')).status).toBe(403);
  });

  it('procedures are posted and nothing else', async () => {
    expect((await send('/rpc/projects/list', cookie())).status).toBe(405);
    expect((await send('/rpc/none/such', { ...cookie(), 'x-dailies': '1' }, 'POST', '{}')).status).toBe(404);
  });

  it('a body that says it is too large is not read', async () => {
    const headers = {
      ...cookie(),
      'x-dailies': '1',
      'content-type': 'application/json',
      'content-length': '999999999',
    };
    const status = await new Promise((resolve) => {
      const sent = request({ host: '127.0.0.1', port: host.port, path: '/rpc/drafts/open', method: 'POST', headers });
      sent.on('response', (answer) => resolve(answer.statusCode));
      sent.on('error', () => undefined);
      sent.write('{');
    });
    expect(status).toBe(413);
  });
});

describe('a caller that goes away in the middle', () => {
  it('is no failure of ours', async () => {
    const headers = { ...cookie(), 'x-dailies': '1', 'content-type': 'application/json' };
    const sent = request({ host: '127.0.0.1', port: host.port, path: '/rpc/projects/open', method: 'POST', headers });
    sent.on('error', () => undefined);
    sent.write('{');
    await new Promise((connected) => sent.on('socket', (socket) => socket.on('connect', connected)));
    expect((await call({ ...cookie(), 'x-dailies': '1' })).status).toBe(200);
    sent.destroy();
    // The next answers come after its end was noticed.
    for (let turn = 0; turn < 3; turn += 1) await call({ ...cookie(), 'x-dailies': '1' });
    expect(served.world.log.lines.filter((line) => line.includes('in a way it should not'))).toEqual([]);
  });
});

describe('the window’s files', () => {
  it('are served with their type; those with a hash in their name for ever', async () => {
    const page = await send('/', cookie());
    expect(page).toMatchObject({ status: 200, body: '<!doctype html><title>Dailies</title>' });
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['cache-control']).toBe('no-cache');
    const script = await send('/assets/main-1a2b.js', cookie());
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.headers['cache-control']).toContain('immutable');
  });

  it('answer the address of a view with the page, and of no file with nothing', async () => {
    expect((await send('/review/some-take', cookie())).body).toContain('<title>Dailies</title>');
    expect((await send('/assets/other.js', cookie())).status).toBe(404);
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/assets/%00secret.txt',
    '//secret.txt',
    '/%252e%252e/secret.txt',
  ])('are all there is: %s leads nowhere', async (path) => {
    const { body } = await send(path, cookie());
    expect(body).not.toContain('secret');
  });

  it('carry a policy that lets nothing foreign in, as every answer does', async () => {
    for (const path of ['/', '/assets/main-1a2b.js', '/media/none/1', '/nothing.js']) {
      const { headers } = await send(path, cookie());
      const policy = String(headers['content-security-policy']).split('; ');
      expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]));
      expect(policy).toEqual(
        expect.arrayContaining(["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"]),
      );
      expect(policy.filter((rule) => /unsafe|\*|http|(script|style)-src.*(data:|blob:)/.test(rule))).toEqual([]);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
    expect((await send('/')).headers['content-security-policy']).toBeDefined();
  });
});

describe('the host', () => {
  it('listens on loopback alone, and says so in its address', () => {
    expect(host.address).toBe(`http://127.0.0.1:${host.port}`);
  });

  it('keeps its token, 256 bits of it, in a file only its owner may read', () => {
    const file = join(served.world.dataFolder, 'web-token');
    expect(Buffer.from(tokenOf(host), 'base64url')).toHaveLength(32);
    expect(readFileSync(file, 'utf8')).toBe(tokenOf(host));
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readToken(served.world.dataFolder)).toBe(tokenOf(host));
  });

  it('takes over the token of a run that was killed, and drops its own when it ends', async () => {
    const folder = join(served.world.folder, 'other-data');
    mkdirSync(folder);
    const left = takeToken(folder);
    const services = { ...served.services, host: { ...served.services.host, dataFolder: folder } };
    const next = await startWebHost({ services, windowFolder: served.windowFolder, port: 0 });
    expect(tokenOf(next)).toBe(left);
    await next.close();
    expect(existsSync(join(folder, 'web-token'))).toBe(false);
    expect(takeToken(folder)).not.toBe(left);
  });

  it('says which port is taken', async () => {
    const again = startWebHost({ services: served.services, windowFolder: served.windowFolder, port: host.port });
    await expect(again).rejects.toMatchObject({ code: 'port_taken' });
  });

  it('is found where the run before was, also when that was not the usual port', async () => {
    const folder = join(served.world.folder, 'moved-data');
    mkdirSync(folder);
    const services = { ...served.services, host: { ...served.services.host, dataFolder: folder } };
    const first = await startWebHost({ services, windowFolder: served.windowFolder, port: 0 });
    await first.close();
    const second = await startWebHost({ services, windowFolder: served.windowFolder });
    try {
      expect(second.port).toBe(first.port);
      const beside = await startWebHost({ services, windowFolder: served.windowFolder });
      await beside.close();
      expect(beside.port).not.toBe(first.port);
    } finally {
      await second.close();
    }
  });

  it('takes the usual port, or any, when what was noted of the run before is no port', async () => {
    const folder = join(served.world.folder, 'odd-data');
    mkdirSync(folder);
    writeFileSync(join(folder, 'web-port'), 'eighty');
    const services = { ...served.services, host: { ...served.services.host, dataFolder: folder } };
    const odd = await startWebHost({ services, windowFolder: served.windowFolder });
    await odd.close();
    expect(odd.port).toBeGreaterThan(0);
  });

  it('ends streams of events when it closes, at once', async () => {
    const other = await startWebHost({ services: served.services, windowFolder: served.windowFolder, port: 0 });
    const headers = { authorization: `Bearer ${tokenOf(other)}`, 'x-dailies': '1', 'content-type': 'application/json' };
    const stream = await fetch(`${other.address}/rpc/events/changes`, { method: 'POST', headers, body: '{}' });
    const reading = stream.text();
    const before = performance.now();
    await other.close();
    expect(await reading).toContain('"resync":true');
    expect(performance.now() - before).toBeLessThan(900);
  });
});
