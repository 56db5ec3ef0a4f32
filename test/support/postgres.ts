import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findPostgres, ordinaryUser } from '../../scripts/find-postgres.ts';

const run = promisify(execFile);

export interface PostgresOptions {
  /** For tests that kill the server: each commit is on the disk. */
  readonly isDurable?: boolean;
}

/**
 * A PostgreSQL of our own: an ordinary user's, with its data in a temporary folder, on a socket there and on a free port of
 * the loopback. Everyone on the socket is who they say; over the port, passwords are asked for.
 */
export async function startPostgres({ isDurable = false }: PostgresOptions = {}) {
  const bin = findPostgres();
  if (bin === null) throw new Error('No PostgreSQL was found.');
  const user = ordinaryUser();
  // Short: the path of a socket may have a hundred bytes.
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { ...user, env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TZ: 'UTC' }, cwd: folder };
  const setup = [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    '--no-sync',
    '-E',
    'UTF8',
  ];
  await run(join(bin, 'initdb'), setup, options);
  const port = await freePort();
  let server: ChildProcess | null = null;

  const start = async (): Promise<void> => {
    const settings = {
      ...{ unix_socket_directories: folder, listen_addresses: '127.0.0.1', port, max_connections: 200 },
      ...{ fsync: isDurable ? 'on' : 'off', synchronous_commit: isDurable ? 'on' : 'off', jit: 'off' },
      ...{ log_min_messages: 'fatal', shared_buffers: '64MB', autovacuum_naptime: '10s' },
    };
    const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(bin, 'postgres'), ['-D', data, ...given], { ...options, stdio: 'ignore' });
    server = child;
    while (!(await answers(folder, port))) {
      if (child.exitCode !== null) throw new Error('PostgreSQL ended while it started.');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  await start();

  return {
    ...{ folder, port, data, start },
    /** `SIGQUIT` ends it as a power failure would; `SIGINT` ends connections and closes its files. */
    end,
    url: (database: string, login = 'postgres') =>
      `postgres://${login}@/${database}?${new URLSearchParams({ host: folder, port: String(port) }).toString()}`,
    tcpUrl: (database: string, login = 'postgres', at = port) => `postgres://${login}@127.0.0.1:${at}/${database}`,
    async query(database: string, text: string, values: unknown[] = [], login = 'postgres') {
      const client = new Client({ host: folder, port, database, user: login });
      await client.connect();
      try {
        const { rows } = await client.query<Record<string, unknown>>(text, values);
        return rows;
      } finally {
        await client.end();
      }
    },
    async stop(): Promise<void> {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(host: string, port: number): Promise<boolean> {
  const client = new Client({ host, port, database: 'postgres', user: 'postgres' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
