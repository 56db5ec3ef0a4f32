import { errorSaying } from '../../support/saying.ts';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { serviceErrorFor } from '../../../src/engine/api/errors.ts';
import { createServiceClient, type ServiceClient } from '../../../src/engine/api/client.ts';
import { directly, toProxies } from '../../../src/engine/api/proxies.ts';
import { videos } from '../../../src/engine/api/resources/requests.ts';
import { listening, proxyTo } from '../../support/proxy.ts';
import { clockOfTest, httpAnswer, KEY, type Script, scriptedServer, unlimitedQueues } from './support.ts';
import { MemoryLog } from '../../support/memory-log.ts';

const accepted: Script = (socket, request) =>
  socket.end(httpAnswer(200, request.method === 'GET' ? { data: [] } : { id: 'task_1', status: 'submitted' }));

async function service(script: Script): Promise<{ port: number; posts: () => number; paths: () => string[] }> {
  const server = await scriptedServer(script);
  onTestFinished(() => server.close());
  return {
    port: Number(new URL(server.url).port),
    posts: () => server.requests.filter(({ method }) => method === 'POST').length,
    paths: () => server.requests.map(({ method, path }) => `${method} ${path}`),
  };
}

const log = new MemoryLog();

function clientAt(baseUrl: string, env: Record<string, string>): ServiceClient {
  const client = createServiceClient({
    queues: unlimitedQueues(clockOfTest()),
    baseUrl,
    apiKey: () => KEY,
    clock: clockOfTest(),
    logger: log,
    timeouts: { connectMs: 5000, submitMs: 60_000, answerMs: 60_000, getMs: 30_000 },
    routesTo: toProxies(env),
  });
  onTestFinished(() => client.close());
  return client;
}

const body = { model: 'vgen-2.0-nt', prompt: 'A harbour', duration: 4 };
const submit = (client: ServiceClient) => client.submit(videos.create(body));

describe('a service behind a proxy', () => {
  it('gets exactly one POST through a tunnel of its own, and the proxy never the key', async () => {
    const { port, posts } = await service(accepted);
    const proxy = await proxyTo({ to: port });
    const client = clientAt(`http://service.test:${String(port)}`, { HTTP_PROXY: `127.0.0.1:${String(proxy.port)}` });
    expect(await submit(client)).toMatchObject({ type: 'accepted', taskId: 'task_1' });
    expect(posts()).toBe(1);
    expect(proxy.asked.map(({ way }) => way)).toEqual([`service.test:${String(port)}`]);
    expect(JSON.stringify(proxy.asked)).not.toContain(KEY);
  });

  it('is asked for its models through it too', async () => {
    const { port, paths } = await service(accepted);
    const proxy = await proxyTo({ to: port });
    const client = clientAt(`http://service.test:${String(port)}`, {
      http_proxy: `http://127.0.0.1:${String(proxy.port)}/`,
    });
    await client.models.list();
    expect(paths()).toEqual(['GET /v1/models']);
    expect(proxy.asked).toHaveLength(1);
  });

  it.each([
    { status: 407, words: /requires a user name and a password/ },
    { status: 403, words: /refused the connection \(403\)/ },
  ])('was certainly sent nothing when the proxy answers $status', async ({ status, words }) => {
    const { port, posts } = await service(accepted);
    const proxy = await proxyTo({ to: port, status });
    const client = clientAt(`http://service.test:${String(port)}`, { HTTP_PROXY: `127.0.0.1:${String(proxy.port)}` });
    const outcome = await submit(client);
    expect(outcome).toMatchObject({ type: 'never_sent', complaint: { code: 'proxy', message: expect.saying(words) } });
    expect(posts()).toBe(0);
    // The text says what to do; the address of the service has no part in it.
    if (outcome.type === 'never_sent') expect(serviceErrorFor(outcome.complaint).remedy).toBe('');
  });

  it('was certainly sent nothing when there is no proxy, or none that can be used', async () => {
    const gone = await proxyTo({ to: 9 });
    for (const [proxy, words] of [
      ['http://127.0.0.1:9', /cannot be reached \(ECONNREFUSED\)/],
      ['socks5://127.0.0.1:1080', /socks5:\/\/, which is not supported/],
      [`http://127.0.0.1:${String(gone.port)}`, /cannot be reached/],
    ] as const) {
      const client = clientAt('http://service.test', { ALL_PROXY: proxy });
      expect(await submit(client)).toMatchObject({
        type: 'never_sent',
        complaint: { code: 'proxy', message: expect.saying(words) },
      });
    }
  });

  it('leaves the fate of a POST unknown when the tunnel breaks behind it', async () => {
    const { port } = await service(() => undefined);
    const proxy = await proxyTo({ to: port, breaksAfter: 1 });
    const client = clientAt(`http://service.test:${String(port)}`, { HTTP_PROXY: `127.0.0.1:${String(proxy.port)}` });
    expect(await submit(client)).toMatchObject({ type: 'unclear' });
    expect(proxy.asked).toHaveLength(1);
  });

  it('has its proxy left at once when a POST is given up before there is a tunnel', async () => {
    const proxy = await proxyTo({ to: 9, silent: true });
    const client = clientAt('http://service.test', { HTTP_PROXY: `127.0.0.1:${String(proxy.port)}` });
    const stop = new AbortController();
    const sending = client.submit(videos.create(body), { signal: stop.signal });
    await expect.poll(() => proxy.asked).toHaveLength(1);
    stop.abort();
    expect(await sending).toMatchObject({ type: 'never_sent', complaint: { code: 'stopped' } });
    await expect.poll(() => proxy.open()).toBe(0);
  });

  it('has its proxy left at once when the client is closed', async () => {
    const proxy = await proxyTo({ to: 9, silent: true });
    const client = clientAt('http://service.test', { HTTP_PROXY: `127.0.0.1:${String(proxy.port)}` });
    const asking = client.probe();
    await expect.poll(() => proxy.asked).toHaveLength(1);
    await client.close();
    expect(await asking).toBe(false);
    await expect.poll(() => proxy.open()).toBe(0);
  });

  it('is reached with the name and password of the address, which stand in no word about it', async () => {
    const { port } = await service(accepted);
    const proxy = await proxyTo({ to: port, status: 502 });
    const env = { HTTP_PROXY: `http://studio:p%40ss@127.0.0.1:${String(proxy.port)}` };
    const outcome = await submit(clientAt(`http://service.test:${String(port)}`, env));
    const [asked] = proxy.asked;
    expect(asked?.headers['proxy-authorization']).toBe(`Basic ${Buffer.from('studio:p@ss').toString('base64')}`);
    expect(JSON.stringify([outcome, log.lines])).not.toMatch(/p%40ss|p@ss/);
  });

  it('speaks with us in secret: its certificate is checked through the tunnel', async (context) => {
    const { key, cert } = certificate(context, 'service.test');
    const server = createSecureServer({ key, cert }, (request, response) => {
      request.resume().on('end', () => response.end(JSON.stringify({ id: 'task_1', status: 'submitted' })));
    });
    const port = await listening(server);
    onTestFinished(() => void server.close());
    const proxy = await proxyTo({ to: port });
    const env = { HTTPS_PROXY: `http://127.0.0.1:${String(proxy.port)}` };
    expect(await submit(clientAt(`https://service.test:${String(port)}`, env))).toMatchObject({
      type: 'never_sent',
      complaint: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
    const usual = getCACertificates('default');
    onTestFinished(() => setDefaultCACertificates(usual));
    setDefaultCACertificates([...usual, cert]);
    expect(await submit(clientAt(`https://service.test:${String(port)}`, env))).toMatchObject({ type: 'accepted' });
    expect(await submit(clientAt(`https://other.test:${String(port)}`, env))).toMatchObject({
      type: 'never_sent',
      complaint: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    });
  });
});

/** A certificate for a name, signed by itself. */
function certificate(context: TestContext, name: string): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'dailies-cert-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert].concat([
        '-subj',
        `/CN=${name}`,
        '-addext',
        `subjectAltName=DNS:${name}`,
      ]),
      { stdio: 'pipe' },
    );
  } catch {
    return context.skip('no certificate can be made here: openssl is not installed');
  }
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

describe('which proxy the environment names', () => {
  const way = (env: Record<string, string>, url: string) => toProxies(env)(new URL(url))[0]?.href ?? null;
  const env = { HTTPS_PROXY: 'http://proxy.studio:3128', NO_PROXY: '.studio.example, *.local 10.0.0.7:8443,cache' };

  it('is told by the protocol of the target', () => {
    expect(way(env, 'https://service.example/v1')).toBe('http://proxy.studio:3128/');
    expect(way(env, 'http://service.example/v1')).toBeNull();
    expect(way({ ALL_PROXY: 'proxy.studio:3128' }, 'http://service.example')).toBe('http://proxy.studio:3128/');
    expect(way({ https_proxy: 'http://small:1', HTTPS_PROXY: 'http://large:1' }, 'https://x.example')).toBe(
      'http://small:1/',
    );
  });

  it.each([
    'https://studio.example',
    'https://nas.studio.example',
    'https://nas.local',
    'https://10.0.0.7:8443',
    'https://cache',
  ])('is none for %s, which the environment leaves out', (url) => {
    expect(way(env, url)).toBeNull();
  });

  it.each([
    { url: 'https://[2001:db8::7]', noProxy: '2001:DB8:0:0::7' },
    { url: 'https://[2001:db8::7]:8443', noProxy: 'cache, 2001:db8::7' },
    { url: 'https://[2001:db8::7]:8443', noProxy: '[2001:db8::7]:8443' },
    { url: 'https://[2001:db8::7]', noProxy: '[2001:db8::7]' },
  ])('is none for $url where NO_PROXY is $noProxy', ({ url, noProxy: exempt }) => {
    expect(way({ ...env, NO_PROXY: exempt }, url)).toBeNull();
  });

  it.each([
    { url: 'https://[2001:db8::7]', noProxy: '[2001:db8::7]:8443' },
    { url: 'https://[2001:db8::7]:8', noProxy: '2001:db8::8' },
    { url: 'https://[2001:db8::7]:7', noProxy: '2001:db8:' },
  ])('is one for $url where NO_PROXY is $noProxy', ({ url, noProxy: exempt }) => {
    expect(way({ ...env, NO_PROXY: exempt }, url)).not.toBeNull();
  });

  it.each(['https://notstudio.example', 'https://10.0.0.7', 'https://cache.example'])('is one for %s', (url) => {
    expect(way(env, url)).not.toBeNull();
  });

  it.each([
    'http://127.0.0.1:4680',
    'http://127.9.9.9',
    'http://localhost:1',
    'http://demo.localhost',
    'http://[::1]:1',
  ])('is none for %s, which is this machine', (url) => {
    expect(way({ ALL_PROXY: 'http://proxy.studio:3128' }, url)).toBeNull();
  });

  it.each(['http://proxy.studio:31280000', 'http://studio:p@ss@proxy studio', 'http://'])(
    'is told when %s is none, rather than that everything goes around it',
    (proxy) => {
      const reading = () => toProxies({ HTTPS_PROXY: proxy });
      expect(reading).toThrow(errorSaying(/HTTPS_PROXY is not the address of a proxy/));
      expect(reading).not.toThrow('p@ss');
      expect(() => toProxies({ all_proxy: proxy })).toThrow(errorSaying(/ALL_PROXY is not the address of a proxy/));
    },
  );

  it.each(['http://studio:50%off@proxy.studio', 'http://100%@proxy.studio'])(
    'says so when a percent sign in %s encodes nothing',
    (proxy) => {
      const reading = () => toProxies({ HTTPS_PROXY: proxy });
      expect(reading).toThrow(errorSaying(/HTTPS_PROXY has a percent sign.*%25/));
      expect(reading).not.toThrow(/50%|100%/);
    },
  );

  it('is none for anything where NO_PROXY is a star, and where nothing is named', () => {
    expect(way({ ...env, NO_PROXY: '*' }, 'https://service.example')).toBeNull();
    expect(way({ HTTPS_PROXY: ' ' }, 'https://service.example')).toBeNull();
    expect(directly()).toEqual([null]);
  });
});
