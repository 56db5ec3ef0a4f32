import { mkdirSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type WebHost, MAX_CONNECTIONS } from '../../src/server/web/host.ts';
import { ownerIn, Peers } from '../../src/server/web/guard.ts';
import { enter, headersOf } from '../support/entry.ts';
import { asOther, isRoot, OTHER_USER } from '../support/other-user.ts';
import { Served } from './support.ts';

let served: Served;
let host: WebHost;

beforeAll(async () => {
  served = await Served.open();
  mkdirSync(served.windowFolder);
  writeFileSync(join(served.windowFolder, 'index.html'), '<!doctype html>');
  host = await served.web();
  return () => served.close();
});

/** Makes a request over a socket of one family or the other; prints the status. */
const requesting = (address: string, headers: object): string =>
  `require('node:http').request({ host: '${address}', port: ${host.port}, path: '/rpc/projects/list', method: 'POST',
     headers: ${JSON.stringify({ host: `127.0.0.1:${host.port}`, ...headers })} }, ({ statusCode }) => {
       console.log(statusCode); process.exit(); }).end('{}');`;

describe('another user of this machine', () => {
  it.runIf(process.platform === 'linux' && isRoot).each(['127.0.0.1', '::ffff:127.0.0.1'])(
    'is refused at %s, even with the pass',
    async (address) => {
      const headers = { 'content-type': 'application/json', ...headersOf(await enter(host.newEntry())) };
      expect(await asOther(requesting(address, headers))).toBe('403');
      const own = await fetch(`${host.address}/rpc/projects/list`, { method: 'POST', headers, body: '{}' });
      expect(own.status).toBe(200);
    },
  );

  it('is known by the table of connections, at both families of sockets', () => {
    const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
    const line = (from: string, to: string, uid: number) =>
      `   1: ${from} ${to} 01 00000000:00000000 00:00000000 00000000  ${uid}        0 4711 1 0 20 4 30 10 -1\n`;
    const mapped = (end: string) => `0000000000000000FFFF0000${end}`;
    const [client, server] = ['0500007F:9C40', '0100007F:1248'];
    const tables = [
      head + line(server, client, 1) + line('0100007F:9C40', server, 2) + line(client, server, 1000),
      head + line(mapped('0100007F:9C41'), mapped(server), 1001),
    ];
    const to = ['127.0.0.1', 0x1248] as const;
    expect(ownerIn(tables, ['127.0.0.5', 0x9c40], to)).toBe(1000);
    expect(ownerIn(tables, ['::ffff:127.0.0.1', 0x9c41], to)).toBe(1001);
    expect(ownerIn(tables, ['127.0.0.1', 0x9c42], to)).toBeNull();
    expect(ownerIn(['', ''], ['127.0.0.5', 0x9c40], to)).toBeNull();
  });

  it.runIf(process.platform === 'linux')('is anyone whose connection no table names', async () => {
    const peers = new Peers(() => Promise.resolve('   1: 0100007F:0009 0100007F:0002 01 0:0 0:0 0  0 0\n'));
    const socket = { remoteAddress: '127.0.0.1', remotePort: 1, localAddress: '127.0.0.1', localPort: 2 };
    expect(await peers.isOtherUser(socket as unknown as Socket)).toBe(true);
  });

  it.runIf(process.platform === 'linux')('costs one reading for many connections at once', async () => {
    let readings = 0;
    const text = Promise.withResolvers<string>();
    const peers = new Peers(() => {
      readings += 1;
      return text.promise;
    });
    const ends = { remoteAddress: '127.0.0.1', remotePort: 1, localAddress: '127.0.0.1', localPort: 2 };
    const sockets = Array.from({ length: 1000 }, () => ({ ...ends }) as unknown as Socket);
    const judged = Promise.all([...sockets, ...sockets].map((socket) => peers.isOtherUser(socket)));
    text.resolve(`   1: 0100007F:0001 0100007F:0002 01 0:0 0:0 0  ${OTHER_USER} 0\n`);
    expect(new Set(await judged)).toEqual(new Set([true]));
    // Two tables, for the first connection and then for all that came while they were read.
    expect(readings).toBe(4);
  });

  it('is not looked for where the system cannot tell: the pass alone opens', async () => {
    const peers = new Peers(() => Promise.reject(new Error('there is no such table')));
    const socket = { remoteAddress: '127.0.0.1', remotePort: 1, localAddress: '127.0.0.1', localPort: 2 };
    expect(await peers.isOtherUser(socket as unknown as Socket)).toBe(false);
  });
});

it('connections that ask for nothing make room for those that do: 1,200 of them do not silence the host, nor end a stream @night', async () => {
  const headers = { 'content-type': 'application/json', ...headersOf(await enter(host.newEntry())) };
  const stream = await fetch(`${host.address}/rpc/events/changes`, { method: 'POST', headers, body: '{}' });
  const reader = stream.body?.getReader();
  await reader?.read();
  const idle: Socket[] = [];
  onTestFinished(() => idle.forEach((socket) => socket.destroy()));
  let closed = 0;
  const connect = async (index: number): Promise<void> => {
    const socket = createConnection(host.port, '127.0.0.1');
    idle.push(socket);
    socket.on('error', () => undefined);
    // Only who reads hears that the other end has closed.
    socket.resume();
    socket.once('close', () => (closed += 1));
    await new Promise((connected) => socket.once('connect', connected));
    // Half of a request is as idle as none.
    if (index % 2 === 0) socket.write('GET / HTTP/1.1\r\nHost: ');
  };
  // As many at once as the system keeps in line: the others would be connections of ours alone.
  for (let start = 0; start < 1200; start += 200) {
    await Promise.all(Array.from({ length: 200 }, (_none, index) => connect(index)));
    await expect.poll(() => closed, { timeout: 20_000 }).toBeGreaterThanOrEqual(start + 200 - MAX_CONNECTIONS);
  }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      fetch(`${host.address}/rpc/projects/list`, { method: 'POST', headers, body: '{}' }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(stream.body?.locked).toBe(true);
  served.services.engine.queue.pause();
  expect((await reader?.read())?.done).toBe(false);
  await reader?.cancel();
});
