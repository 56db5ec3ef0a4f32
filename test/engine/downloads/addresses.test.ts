import { describe, expect, it } from 'vitest';
import { toReach } from '../../../src/engine/api/address.ts';
import { mayReach, reachOfHost, urlProblem, type Resolve } from '../../../src/engine/downloads/exchange.ts';
import { bench, bytesOf, file, redirectTo, serve, sha256, status } from './support.ts';

const small = bytesOf(5000);
const named =
  (...addresses: string[]): Resolve =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

describe('the reach of an address', () => {
  it.each([
    ['93.184.215.14', 'public'],
    ['2606:2800:21f:cb07::1', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.9.9.9', 'loopback'],
    ['::1', 'loopback'],
    ['[::1]', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd12:3456::1', 'private'],
    ['0.0.0.0', 'never'],
    ['::', 'never'],
    ['169.254.169.254', 'never'],
    ['fe80::1', 'never'],
    ['fec0::1', 'never'],
    ['224.0.0.1', 'never'],
    ['ff02::1', 'never'],
    ['255.255.255.255', 'never'],
    ['240.0.0.1', 'never'],
    ['100.100.100.200', 'never'],
    ['fd00:ec2::254', 'never'],
    ['::7f00:1', 'never'],
    ['64:ff9b:1::7f00:1', 'never'],
    ['64:ff9b:1:a9fe:a9:fe00:808:808', 'never'],
    ['nonsense', 'never'],
    ['', 'never'],
  ])('of %s is %s', (address, reach) => {
    expect(toReach(address)).toBe(reach);
  });

  it.each([
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:169.254.169.254', 'never'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['64:ff9b::a9fe:a9fe', 'never'],
    ['64:ff9b::5db8:d70e', 'public'],
    ['2002:7f00:1::', 'loopback'],
  ])('sees through %s to the IPv4 address in it: %s', (address, reach) => {
    expect(toReach(address)).toBe(reach);
  });

  it('opens, beyond the public, only itself', () => {
    expect(mayReach('public', 'public')).toBe(true);
    expect(mayReach('loopback', 'loopback')).toBe(true);
    expect(mayReach('private', 'private')).toBe(true);
    expect(mayReach('loopback', 'public')).toBe(true);
    expect(mayReach('public', 'private')).toBe(false);
    expect(mayReach('public', 'loopback')).toBe(false);
    expect(mayReach('private', 'loopback')).toBe(false);
    expect(mayReach('loopback', 'private')).toBe(false);
    expect(mayReach('never', 'never')).toBe(false);
  });

  it('of a name is the most local of its addresses', async () => {
    expect(await reachOfHost('studio.lan', named('93.184.215.14', '10.0.0.7'))).toBe('private');
    expect(await reachOfHost('127.0.0.1', named())).toBe('loopback');
    expect(await reachOfHost('link.local', named('169.254.1.1'))).toBe('never');
  });
});

describe('an address before anybody is asked', () => {
  it('is fetched by http or https alone, and carries nobody’s password', () => {
    expect(urlProblem(new URL('file:///etc/passwd'), null)?.code).toBe('address_scheme');
    expect(urlProblem(new URL('ftp://host/a'), null)?.code).toBe('address_scheme');
    expect(urlProblem(new URL('https://me:secret@host/a'), null)?.code).toBe('address_credentials');
    expect(urlProblem(new URL('https://host/a'), null)).toBeNull();
  });

  it('does not fall from https to http by a redirect', () => {
    const from = new URL('https://host/a');
    expect(urlProblem(new URL('http://host/a'), from)?.code).toBe('redirect_downgrade');
    expect(urlProblem(new URL('http://host/a'), new URL('http://host/b'))).toBeNull();
  });
});

describe('where a result may be fetched from', () => {
  const publicService = { origin: 'https://93.184.215.14', authorization: () => 'Bearer the-key' };
  const refused = { type: 'refused', complaint: { code: 'address_refused' } };

  it('is not this machine when the service is elsewhere, by address or by name', async () => {
    const { origin, heard } = await serve(file(small));
    const port = new URL(origin).port;
    const { downloader, request } = bench({ resolve: named('127.0.0.1') });
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', 'cdn.example'])
      expect(
        await downloader.download(request(`http://${host}:${port}/a`, { service: publicService })),
        host,
      ).toMatchObject(refused);
    expect(heard).toEqual([]);
  });

  it('is this machine when the service is on it too', async () => {
    const { origin } = await serve(file(small));
    const { downloader, request } = bench({ resolve: named('127.0.0.1') });
    const outcome = await downloader.download(
      request(`http://cdn.example:${new URL(origin).port}/a`, {
        service: { ...publicService, origin: 'http://studio.example' },
      }),
    );
    expect(outcome).toMatchObject({ type: 'complete', sha256: sha256(small) });
  });

  it('is never the metadata service of a cloud machine, not even by redirect', async () => {
    const { origin } = await serve(redirectTo('http://169.254.169.254/latest/meta-data/'));
    expect(await bench().get(origin)).toMatchObject(refused);
  });

  it('is not the studio’s network when a service on this machine redirects there', async () => {
    const { origin } = await serve(redirectTo('http://192.168.1.1/admin'));
    expect(await bench().get(origin)).toMatchObject(refused);
  });

  it('uses the allowed addresses of a name and leaves the others', async () => {
    const { origin } = await serve(file(small));
    const { downloader, request } = bench({ resolve: named('10.255.255.1', '127.0.0.1') });
    const service = { ...publicService, origin: 'http://127.0.0.1' };
    const outcome = await downloader.download(request(`http://cdn.example:${new URL(origin).port}/a`, { service }));
    expect(outcome.type).toBe('complete');
  });

  it('is asked of the resolver once, and that answer is the one connected to', async () => {
    const { origin } = await serve(file(small));
    let asked = 0;
    // A name that is harmless the first time and changes its mind afterwards.
    const rebinding: Resolve = () => named(asked++ === 0 ? '127.0.0.1' : '10.255.255.1')('');
    const { downloader, request } = bench({ resolve: rebinding });
    const service = { ...publicService, origin: 'http://127.0.0.1' };
    const outcome = await downloader.download(request(`http://cdn.example:${new URL(origin).port}/a`, { service }));
    expect(outcome.type).toBe('complete');
    expect(asked).toBe(1);
  });

  it('does not share connections between services of different reach', async () => {
    const { origin, heard } = await serve(file(small));
    const { get } = bench();
    expect((await get(origin)).type).toBe('complete');
    expect(await get(origin, { service: publicService })).toMatchObject(refused);
    expect(heard).toHaveLength(1);
  });
});

describe('redirects', () => {
  it('are followed, relative ones too', async () => {
    const { origin, heard } = await serve(redirectTo('/b?x=1'), redirectTo('c'), file(small));
    expect((await bench().get(origin)).type).toBe('complete');
    expect(heard.map(({ url }) => url)).toEqual(['/a', '/b?x=1', '/c']);
  });

  it('end after five', async () => {
    const { origin, heard } = await serve(redirectTo('/again'));
    expect(await bench().get(origin)).toMatchObject({
      type: 'refused',
      complaint: { code: 'redirect_loop' },
    });
    expect(heard).toHaveLength(6);
  });

  it('to another scheme are refused', async () => {
    const { origin } = await serve(redirectTo('file:///etc/passwd'));
    expect(await bench().get(origin)).toMatchObject({
      type: 'refused',
      complaint: { code: 'address_scheme' },
    });
  });
});

describe('the key', () => {
  it('is not sent where it is not asked for', async () => {
    const { origin, heard } = await serve(file(small));
    await bench().get(origin, { service: { origin, authorization: () => 'Bearer the-key' } });
    expect(heard[0]?.headers.authorization).toBeUndefined();
  });

  it.each([401, 403])('is sent once to the service’s own origin after a %i', async (code) => {
    const { origin, heard } = await serve(status(code), file(small));
    const service = { origin: `${origin}/prefix`, authorization: () => 'Bearer the-key' };
    expect((await bench().get(origin, { service })).type).toBe('complete');
    expect(heard.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer the-key']);
  });

  it('that is not accepted either means that the address has expired', async () => {
    const { origin, heard } = await serve(status(401));
    const service = { origin, authorization: () => 'Bearer the-key' };
    expect(await bench().get(origin, { service })).toMatchObject({
      type: 'expired',
      httpStatus: 401,
    });
    expect(heard).toHaveLength(2);
  });

  it('never goes to another origin, which may ask as it likes', async () => {
    const { origin, heard } = await serve(status(401));
    const service = { origin: 'http://127.0.0.1:9', authorization: () => 'Bearer the-key' };
    expect((await bench().get(origin, { service })).type).toBe('expired');
    expect(heard.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it('is left behind when the service redirects elsewhere', async () => {
    const foreign = await serve(status(401));
    const own = await serve(status(401), redirectTo(`${foreign.origin}/file`));
    const { downloader, request } = bench();
    const service = { origin: own.origin, authorization: () => 'Bearer the-key' };
    expect((await downloader.download(request(`${own.origin}/a`, { service }))).type).toBe('expired');
    expect(own.heard.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer the-key']);
    expect(foreign.heard.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it('is not lent to a stranger who redirects to the service', async () => {
    const own = await serve(status(401));
    const foreign = await serve(redirectTo(`${own.origin}/v1/tasks/other`));
    const { downloader, request } = bench();
    const service = { origin: own.origin, authorization: () => 'Bearer the-key' };
    expect((await downloader.download(request(`${foreign.origin}/a`, { service }))).type).toBe('expired');
    expect(own.heard.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});
