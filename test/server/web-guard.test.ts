import { mkdirSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startWebHost, type WebHost } from '../../src/server/web/host.ts';
import { proofFor, EntryCodes } from '../../src/server/web/guard.ts';
import { enter, headersOf, type Entered } from '../support/entry.ts';
import { Served } from './support.ts';

let served: Served;
let host: WebHost;

beforeAll(async () => {
  served = await Served.open();
  mkdirSync(join(served.windowFolder, 'assets'), { recursive: true });
  writeFileSync(join(served.windowFolder, 'index.html'), '<!doctype html><title>Dailies</title>');
  writeFileSync(join(served.windowFolder, 'assets', 'main-1a2b.js'), 'export {};');
  writeFileSync(join(served.world.folder, 'secret.txt'), 'secret');
  host = await served.web();
  entered = await enter(host.newEntry());
  return () => served.close();
});

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

let entered: Entered;
const pass = () => headersOf(entered);
const cookie = () => ({ cookie: entered.cookie });
const call = (headers: Record<string, string>) =>
  send('/rpc/projects/list', { 'content-type': 'application/json', ...headers }, 'POST', '{}');
const codeOf = (entry: string): string => new URL(entry).hash.replace('#enter=', '');
const use = (code: string, headers: Record<string, string> = {}) =>
  send('/enter', { authorization: `Bearer ${code}`, ...headers }, 'POST');

describe('the first visit', () => {
  it('exchanges a code for the pass of calls, and a cookie for media that no script can read', async () => {
    const { status, headers, body } = await use(codeOf(host.newEntry()));
    expect(status).toBe(200);
    expect(Buffer.from(body, 'base64url')).toHaveLength(32);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(new RegExp(`^dailies_${host.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`)),
    ]);
    expect(String(headers['set-cookie'])).not.toContain(body);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('has its code where browsers send it to nobody', () => {
    const { pathname, search, hash } = new URL(host.newEntry());
    expect([pathname, search]).toEqual(['/', '']);
    expect(hash).toMatch(/^#enter=[\w-]{32}$/);
  });

  it('uses a code up: it opens once', async () => {
    const code = codeOf(host.newEntry());
    expect((await use(code)).status).toBe(200);
    const again = await use(code);
    expect(again.status).toBe(401);
    expect(again.headers['set-cookie']).toBeUndefined();
  });

  it('is over for a code after two minutes', () => {
    const codes = new EntryCodes();
    const [early, late] = [codes.issue(0), codes.issue(0)];
    expect(codes.take(early, 120_000)).toBe(true);
    expect(codes.take(late, 120_001)).toBe(false);
    expect(codes.take(late, 0)).toBe(false);
  });

  it.each([
    ['nobody gave', 'A'.repeat(32)],
    ['that is empty', ''],
    ['of odd letters', '%00%0a'],
  ])('opens nothing by a code %s', async (_kind, code) => {
    const { status, headers } = await use(code);
    expect(status).toBe(401);
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('is made by a page of ours alone, even with a code', async () => {
    const code = codeOf(host.newEntry());
    expect((await use(code, { origin: 'http://127.0.0.1:1' })).status).toBe(403);
    expect((await use(code, { 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await use(code, { host: 'dailies.example' })).status).toBe(403);
    expect((await use(code)).status).toBe(200);
  });
});

describe('without the pass', () => {
  it.each([
    ['POST', '/rpc/projects/list'],
    ['POST', '/rpc/settings/get'],
    ['GET', '/rpc/projects/list'],
    ['GET', '/media/x/1'],
    ['GET', '/thumb/x/1'],
    ['GET', '/asset/x'],
    ['PUT', '/thumb/x/1'],
    ['PUT', '/upload?name=a'],
    ['GET', '/upload?name=a'],
    ['DELETE', '/'],
    ['POST', '/'],
  ])('%s %s gives nothing', async (method, path) => {
    expect((await send(path, {}, method)).status).toBe(401);
  });

  it.each([
    ['a wrong cookie', { cookie: `dailies_1=${'A'.repeat(43)}` }],
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['a wrong bearer', { authorization: `Bearer ${'A'.repeat(43)}` }],
    ['a piece of a secret', { authorization: 'Bearer A' }],
  ])('%s opens nothing', async (_what, headers) => {
    expect((await call(headers)).status).toBe(401);
  });

  it.each(['/%72pc/projects/list', '/%72eport/x/1', '/%6dedia/x/1', '/%75pload?name=a'])(
    'a path that says the same in other letters is not let through: %s',
    async (path) => {
      expect((await send(path)).status).toBe(401);
    },
  );

  it('the window’s own files are for all: they hold nothing of anybody', async () => {
    expect((await send('/')).body).toBe('<!doctype html><title>Dailies</title>');
    expect((await send('/assets/main-1a2b.js')).status).toBe(200);
  });
});

describe('a cookie, which a browser sends to every port of this machine', () => {
  it.each([
    ['POST', '/rpc/projects/list'],
    ['POST', '/rpc/settings/get'],
    ['POST', '/rpc/settings/setKey'],
    ['POST', '/rpc/events/changes'],
    ['PUT', '/upload?name=a'],
    ['PUT', '/thumb/x/1'],
    ['PUT', '/peaks/x/1'],
  ])('opens no call: %s %s', async (method, path) => {
    const ofPage = { origin: host.address, 'sec-fetch-site': 'same-origin' };
    expect((await send(path, { ...cookie(), ...ofPage }, method, '{}')).status).toBe(401);
  });

  it('opens media to look at', async () => {
    for (const path of ['/media/x/1', '/thumb/x/1', '/peaks/x/1', '/asset/x', '/asset-thumb/x'])
      expect((await send(path, cookie())).status).toBe(404);
    expect((await send('/cell-thumb/x/0/0', cookie())).status).toBe(204);
  });

  it('that another port has replaced comes back with the next call', async () => {
    const [name = ''] = entered.cookie.split('=');
    const replaced = { cookie: `${name}=${'x'.repeat(43)}` };
    expect((await send('/media/x/1', replaced)).status).toBe(401);
    expect((await send('/media/x/1', { cookie: `${replaced.cookie}; ${entered.cookie}` })).status).toBe(404);
    const ofPage = { origin: host.address, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    const { headers } = await send(
      '/rpc/projects/list',
      { ...headersOf(entered), ...ofPage, ...replaced },
      'POST',
      '{}',
    );
    expect(String(headers['set-cookie'])).toContain(entered.cookie);
  });

  it('is no pass, and the pass is no cookie', async () => {
    const [name = '', value = ''] = entered.cookie.split('=');
    expect((await call({ authorization: `Bearer ${value}` })).status).toBe(401);
    expect((await send('/media/x/1', { cookie: `${name}=${entered.pass}` })).status).toBe(401);
  });
});

describe('with the pass', () => {
  it('a call of our own page is answered', async () => {
    expect((await call({ ...pass(), origin: host.address, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await call(pass())).status).toBe(200);
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
    expect((await call({ ...pass(), ...headers })).status).toBe(403);
    expect((await send('/', { ...cookie(), ...headers })).status).toBe(403);
    expect((await send('/media/x/1', { ...cookie(), ...headers })).status).toBe(403);
  });

  it('procedures are posted and nothing else', async () => {
    expect((await send('/rpc/projects/list', pass())).status).toBe(405);
    expect((await send('/rpc/none/such', pass(), 'POST', '{}')).status).toBe(404);
  });

  it('a body that says it is too large is not read', async () => {
    const headers = { ...pass(), 'content-type': 'application/json', 'content-length': '999999999' };
    const status = await new Promise((resolve) => {
      const sent = request({ host: '127.0.0.1', port: host.port, path: '/rpc/drafts/open', method: 'POST', headers });
      sent.on('response', (answer) => resolve(answer.statusCode));
      sent.on('error', () => undefined);
      sent.write('{');
    });
    expect(status).toBe(413);
  });
});

describe('a visit that a file or a link of another site has led to', () => {
  const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  it('gets the window, as a page of its own', async () => {
    const { status, headers } = await send('/', visit);
    expect(status).toBe(200);
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
  });

  it.each([
    ['a frame', 'GET', '/', { ...visit, 'sec-fetch-dest': 'iframe' }],
    ['a picture', 'GET', '/icon.svg', { ...visit, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['media', 'GET', '/media/x/1', visit],
    ['a form', 'POST', '/', visit],
    ['a form that calls', 'POST', '/rpc/queue/pause', visit],
  ])('gets nothing as %s', async (_what, method, path, headers) => {
    expect((await send(path, { ...cookie(), ...headers }, method)).status).toBe(403);
  });
});

describe('a page that is open while the host ends', () => {
  const start = (port: number) => startWebHost({ services: served.services, windowFolder: served.windowFolder, port });
  const prove = async ({ address }: Entered, challenge: string) =>
    (await fetch(`${address}/prove?challenge=${challenge}`, { method: 'POST' })).text();

  it('can check that the host that answers is the one that let it in', async () => {
    const challenge = 'a challenge';
    expect(await prove(entered, challenge)).toBe(proofFor(entered.pass, challenge));
    expect(await prove(entered, 'another')).not.toBe(proofFor(entered.pass, challenge));
  });

  it('has nothing that opens the next run: pass, cookie and unused codes are of one run alone', async () => {
    const first = await start(0);
    const window = await enter(first.newEntry());
    const unused = first.newEntry();
    await first.close();
    const second = await start(first.port);
    try {
      expect(second.address).toBe(first.address);
      const headers = { 'content-type': 'application/json', ...headersOf(window) };
      const called = await fetch(`${second.address}/rpc/projects/list`, { method: 'POST', headers, body: '{}' });
      const looked = await fetch(`${second.address}/media/x/1`, { headers: { cookie: window.cookie } });
      expect([called.status, looked.status]).toEqual([401, 401]);
      await expect(enter(unused)).rejects.toThrow('This link was used or has expired.');
      expect(await prove(window, 'x')).not.toBe(proofFor(window.pass, 'x'));
    } finally {
      await second.close();
    }
  });
});

it('a caller that goes away in the middle is no failure of ours', async () => {
  const headers = { ...pass(), 'content-type': 'application/json' };
  const to = { host: '127.0.0.1', port: host.port, path: '/rpc/projects/open', agent: false };
  const sent = request({ ...to, method: 'POST', headers });
  sent.on('error', () => undefined);
  sent.write('{');
  await new Promise((connected) => sent.on('socket', (socket) => socket.on('connect', connected)));
  expect((await call(pass())).status).toBe(200);
  sent.destroy();
  // The next answers come after its end was noticed.
  for (let turn = 0; turn < 3; turn += 1) await call(pass());
  expect(served.world.log.lines.filter((line) => line.includes('in a way it should not'))).toEqual([]);
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

  it('ends streams of events when it closes', async () => {
    const other = await startWebHost({ services: served.services, windowFolder: served.windowFolder, port: 0 });
    const headers = { ...headersOf(await enter(other.newEntry())), 'content-type': 'application/json' };
    const stream = await fetch(`${other.address}/rpc/events/changes`, { method: 'POST', headers, body: '{}' });
    const reading = stream.text();
    await other.close();
    expect(await reading).toContain('"resync":true');
  });
});
