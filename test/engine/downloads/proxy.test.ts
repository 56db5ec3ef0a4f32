import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toProxies, routesFrom } from '../../../src/engine/api/proxies.ts';
import { proxyTo } from '../../support/proxy.ts';
import { bench, bytesOf, file, serve } from './support.ts';

const film = bytesOf(50_000);
const publicService = { origin: 'http://93.184.215.14', authorization: () => 'Bearer the-key' };
const portOf = (origin: string) => Number(new URL(origin).port);

async function behindProxy(address: string) {
  const server = await serve(file(film));
  const proxy = await proxyTo({ to: portOf(server.origin) });
  const { downloader, partPath, request } = bench({
    resolve: () => Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]),
    routesTo: toProxies({ ALL_PROXY: `http://127.0.0.1:${String(proxy.port)}` }),
  });
  const fetchIt = (url: string) => downloader.download(request(url, { service: publicService }));
  return { server, proxy, partPath, fetchIt };
}

describe('a result that is fetched through a proxy', () => {
  it('comes from the address that was checked: the proxy is not given the name to look up for itself', async () => {
    const { server, proxy, partPath, fetchIt } = await behindProxy('93.184.215.20');
    expect(await fetchIt('http://cdn.test/take.mp4?signature=secret')).toMatchObject({ type: 'complete' });
    expect(readFileSync(partPath).equals(film)).toBe(true);
    expect(proxy.asked.map(({ way }) => way)).toEqual(['93.184.215.20:80']);
    expect(server.heard).toMatchObject([{ headers: { host: 'cdn.test' } }]);
    expect(JSON.stringify(proxy.asked)).not.toMatch(/the-key|secret/);
  });

  it('comes from an IPv6 address too', async () => {
    const { proxy, fetchIt } = await behindProxy('2606:2800:21f:cb07::1');
    expect(await fetchIt('http://cdn.test:8080/take.mp4')).toMatchObject({ type: 'complete' });
    expect(proxy.asked.map(({ way }) => way)).toEqual(['[2606:2800:21f:cb07::1]:8080']);
  });

  it.each(['10.0.0.7', '169.254.169.254', 'fd00:ec2::254'])(
    'is refused at %s, and the proxy is not even asked',
    async (address) => {
      const { proxy, fetchIt } = await behindProxy(address);
      const refused = { type: 'refused', complaint: { code: 'address_refused' } };
      expect(await fetchIt('http://cdn.test/take.mp4')).toMatchObject(refused);
      expect(await fetchIt(`http://${address.includes(':') ? `[${address}]` : address}/take.mp4`)).toMatchObject(
        refused,
      );
      expect(proxy.asked).toEqual([]);
    },
  );
});

describe('a result that is fetched by what the settings of the system say', () => {
  async function bySystem(answerFor: (proxy: string) => string, address = '93.184.215.20') {
    const server = await serve(file(film));
    const proxy = await proxyTo({ to: portOf(server.origin) });
    const asked: string[] = [];
    const { downloader, request } = bench({
      resolve: () => Promise.resolve([{ address, family: 4 }]),
      routesTo: routesFrom({}, (origin) => {
        asked.push(origin);
        return Promise.resolve(answerFor(`PROXY 127.0.0.1:${String(proxy.port)}`));
      }),
    });
    const fetchIt = (url: string) => downloader.download(request(url, { service: publicService }));
    return { server, proxy, asked, fetchIt };
  }

  it('comes from the checked address, without the key, and the script hears no signature', async () => {
    const { server, proxy, asked, fetchIt } = await bySystem((through) => through);
    expect(await fetchIt('http://cdn.test/take.mp4?signature=secret')).toMatchObject({ type: 'complete' });
    expect(proxy.asked.map(({ way }) => way)).toEqual(['93.184.215.20:80']);
    expect(asked).toEqual(['http://cdn.test']);
    expect(server.heard).toHaveLength(1);
    expect(JSON.stringify([proxy.asked, server.heard.map(({ headers }) => headers)])).not.toMatch(/the-key|secret/);
  });

  it.each([
    { answer: 'its proxy', answerFor: (through: string) => through },
    { answer: 'no proxy', answerFor: () => 'DIRECT' },
    { answer: 'a proxy that is gone, else none', answerFor: () => 'PROXY 127.0.0.1:9;DIRECT' },
  ])('is refused at an address of the network inside, with $answer', async ({ answerFor }) => {
    const { server, proxy, fetchIt } = await bySystem(answerFor, '127.0.0.1');
    const url = `http://cdn.test:${String(portOf(server.origin))}/take.mp4`;
    expect(await fetchIt(url)).toMatchObject({ type: 'refused', complaint: { code: 'address_refused' } });
    expect(proxy.asked).toEqual([]);
    expect(server.heard).toEqual([]);
  });
});
