import { describe, expect, it, onTestFinished } from 'vitest';
import { createServiceClient, type ServiceClient } from '../../../src/engine/api/client.ts';
import { videos } from '../../../src/engine/api/resources/requests.ts';
import { routesFrom, routesInPac, type AskSystem } from '../../../src/engine/api/proxies.ts';
import type { RoutesTo } from '../../../src/engine/base/ports.ts';
import { errorSaying } from '../../support/saying.ts';
import { proxyTo } from '../../support/proxy.ts';
import { clockOfTest, httpAnswer, KEY, scriptedServer, unlimitedQueues } from './support.ts';
import { MemoryLog } from '../../support/memory-log.ts';

/** A service that is known by its name to proxies alone, and how many paid requests it got. */
async function service() {
  const server = await scriptedServer((socket) =>
    socket.end(httpAnswer(200, { id: 'task_1', status: 'submitted', data: [] })),
  );
  onTestFinished(() => server.close());
  const port = Number(new URL(server.url).port);
  return { port, posts: () => server.requests.filter(({ method }) => method === 'POST').length };
}

function clientAt(baseUrl: string, routesTo: RoutesTo): ServiceClient {
  const client = createServiceClient({
    queues: unlimitedQueues(clockOfTest()),
    baseUrl,
    apiKey: () => KEY,
    clock: clockOfTest(),
    logger: new MemoryLog(),
    timeouts: { connectMs: 5000, submitMs: 60_000, answerMs: 60_000, getMs: 30_000 },
    routesTo,
  });
  onTestFinished(() => client.close());
  return client;
}

const bySystem = (askSystem: AskSystem): RoutesTo => routesFrom({}, askSystem);

const submit = (client: ServiceClient) =>
  client.submit(videos.create({ model: 'vgen-2.0-nt', prompt: 'A harbour', duration: 4 }));

describe('a service behind a proxy that the settings of the system name', () => {
  it('is reached through it, and the system is asked again for each request', async () => {
    const { port, posts } = await service();
    const [first, second] = [await proxyTo({ to: port }), await proxyTo({ to: port })];
    const asked: string[] = [];
    let here = first;
    const client = clientAt(
      `http://service.test:${String(port)}/v9`,
      bySystem((origin) => {
        asked.push(origin);
        return Promise.resolve(`PROXY 127.0.0.1:${String(here.port)}`);
      }),
    );
    expect(await submit(client)).toMatchObject({ type: 'accepted' });
    // The laptop moves to another network.
    here = second;
    expect(await submit(client)).toMatchObject({ type: 'accepted' });
    expect(posts()).toBe(2);
    expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
    expect(asked).toEqual(Array.from({ length: 2 }, () => `http://service.test:${String(port)}`));
    expect(JSON.stringify([first.asked, second.asked])).not.toContain(KEY);
  });

  it('gets one POST by the first proxy that can be used', async () => {
    const { port, posts } = await service();
    const proxy = await proxyTo({ to: port });
    const answer = `PROXY 127.0.0.1:9;SOCKS5 127.0.0.1:9;PROXY 127.0.0.1:${String(proxy.port)}`;
    const client = clientAt(
      `http://service.test:${String(port)}`,
      bySystem(() => Promise.resolve(answer)),
    );
    expect(await submit(client)).toMatchObject({ type: 'accepted' });
    expect([posts(), proxy.asked.length]).toEqual([1, 1]);
  });

  it('is reached directly where the list of a proxy that is gone ends so', async () => {
    const { port, posts } = await service();
    const client = clientAt(`http://127.0.0.1:${String(port)}`, () => routesInPac('PROXY 127.0.0.1:9;DIRECT'));
    expect(await submit(client)).toMatchObject({ type: 'accepted' });
    expect(posts()).toBe(1);
  });

  it.each([403, 407])('is not reached around a proxy that answers %d', async (status) => {
    const { port, posts } = await service();
    const [refusing, other] = [await proxyTo({ to: port, status }), await proxyTo({ to: port })];
    const answer = `PROXY 127.0.0.1:${String(refusing.port)};PROXY 127.0.0.1:${String(other.port)}`;
    const client = clientAt(
      `http://service.test:${String(port)}`,
      bySystem(() => Promise.resolve(answer)),
    );
    expect(await submit(client)).toMatchObject({ type: 'never_sent', complaint: { code: 'proxy' } });
    expect([posts(), other.asked.length]).toEqual([0, 0]);
  });

  it.each([
    { answer: 'SOCKS5 proxy.studio:1080', words: /proxy\.studio:1080 uses socks5:\/\/, which is not supported/ },
    { answer: 'SOCKS proxy.studio:1080', words: /socks4:\/\/, which is not supported/ },
    { answer: 'PROXY 127.0.0.1:9', words: /127\.0\.0\.1:9 cannot be reached/ },
    { answer: '', words: /proxy settings of this computer cannot be read/ },
    { answer: null, words: /proxy settings of this computer cannot be read/ },
  ])('was certainly sent nothing where the system says "$answer"', async ({ answer, words }) => {
    const ask = () => (answer === null ? Promise.reject(new Error('The port is closed.')) : Promise.resolve(answer));
    expect(await submit(clientAt('http://service.test', bySystem(ask)))).toMatchObject({
      type: 'never_sent',
      complaint: { code: 'proxy', message: expect.saying(words) },
    });
  });

  it('is given up before the system has answered, and then nothing is opened', async () => {
    const { port, posts } = await service();
    const proxy = await proxyTo({ to: port });
    const answer = Promise.withResolvers<string>();
    const asked = Promise.withResolvers<null>();
    const client = clientAt(
      `http://service.test:${String(port)}`,
      bySystem(() => {
        asked.resolve(null);
        return answer.promise;
      }),
    );
    const stop = new AbortController();
    const sending = client.submit(videos.create({ model: 'vgen-2.0-nt', prompt: 'A harbour', duration: 4 }), {
      signal: stop.signal,
    });
    await asked.promise;
    stop.abort();
    expect(await sending).toMatchObject({ type: 'never_sent', complaint: { code: 'stopped' } });
    answer.resolve(`PROXY 127.0.0.1:${String(proxy.port)}`);
    await answer.promise;
    await new Promise(setImmediate);
    expect([posts(), proxy.asked.length]).toEqual([0, 0]);
  });
});

describe('the routes of a process', () => {
  const system: AskSystem = () => Promise.resolve('PROXY system.studio:3128');
  const route = async (env: Record<string, string>, url: string, ask: AskSystem | undefined = system) =>
    (await routesFrom(env, ask)(new URL(url))).map((each) => each?.href ?? null);

  it('are those of the environment where it names a proxy for anything, its exceptions included', async () => {
    const env = { HTTPS_PROXY: 'http://proxy.studio:3128', NO_PROXY: 'cdn.example' };
    expect(await route(env, 'https://service.example')).toEqual(['http://proxy.studio:3128/']);
    expect(await route(env, 'https://cdn.example')).toEqual([null]);
    expect(await route(env, 'http://service.example')).toEqual([null]);
  });

  it('are those of the system where the environment names none', async () => {
    expect(await route({ HTTPS_PROXY: ' ' }, 'https://service.example')).toEqual(['http://system.studio:3128/']);
    expect(await route({ NO_PROXY: '*' }, 'https://service.example')).toEqual(['http://system.studio:3128/']);
  });

  it('are direct where nothing can be asked', async () => {
    expect(await routesFrom({}, undefined)(new URL('https://service.example'))).toEqual([null]);
  });

  it.each(['http://127.0.0.1:4680', 'http://localhost:1', 'http://[::1]:1'])('are direct to %s', async (url) => {
    expect(await route({}, url)).toEqual([null]);
  });
});

describe('what a script of the network says', () => {
  it.each([
    ['DIRECT', [null]],
    ['PROXY a:80;PROXY b:8080;DIRECT', ['http://a/', 'http://b:8080/', null]],
    [' HTTPS [2001:db8::7]:3128 ; direct', ['https://[2001:db8::7]:3128/', null]],
    ['SOCKS a:1;SOCKS5 b:2', ['socks4://a:1', 'socks5://b:2']],
  ])('is read from %s', (answer, routes) => {
    expect(routesInPac(answer).map((route) => route?.href ?? null)).toEqual(routes);
  });

  it.each(['', ' ; ', 'PROXY', 'PROXY a b', 'FUNNEL a:1', 'PROXY a:999999', 'DIRECT;[https://a, https://b]'])(
    'is not guessed at: "%s"',
    (answer) => {
      expect(() => routesInPac(answer)).toThrow(errorSaying(/proxy settings of this computer cannot be read/));
    },
  );
});
