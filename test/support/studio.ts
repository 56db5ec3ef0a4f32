import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { inject } from 'vitest';
import { Client } from 'pg';
import { parseStudioUrl, type StudioAddress } from '../../src/studio/address.ts';
import { connectStudio, NOTHING_SEEN, type StudioDatabase } from '../../src/studio/database.ts';
import type {
  GrantRequest,
  HeldTake,
  NewStudioTake,
  StudioAccount,
  StudioBatch,
  StudioFact,
  StudioSeen,
} from '../../src/studio/types.ts';
import { MemoryLog } from './memory-log.ts';
import { TEMPLATE } from './studio-server.ts';

export const hasPostgres = inject('postgres') !== null;

export const ACCOUNT: StudioAccount = { name: 'main', address: 'https://service.test' };

interface Server {
  readonly folder: string;
  readonly port: number;
}

export type TestStudio = Awaited<ReturnType<typeof newStudio>>;

/** A studio in a new database, with an admin (`postgres`) and the logins `anna`, `ben` and `cleo`. */
export async function newStudio(server: Server | null = inject('postgres')) {
  if (server === null) throw new Error('There is no PostgreSQL.');
  const { folder, port } = server;
  const database = `studio_${randomUUID().replaceAll('-', '')}`;
  const query = async (text: string, values: unknown[] = [], login = 'postgres', name = database) => {
    const client = new Client({ host: folder, port, database: name, user: login });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  await query(`CREATE DATABASE ${database} TEMPLATE ${TEMPLATE}`, [], 'postgres', 'postgres');
  // A copy of a database counts as a restore; this one is meant.
  await query('UPDATE dailies.studio SET id = gen_random_uuid(), origin = dailies.current_origin()');
  const addressFor = (login: string) =>
    parseStudioUrl(
      `postgres://${login}@/${database}?${new URLSearchParams({ host: folder, port: String(port) }).toString()}`,
    ).address;
  const opened: StudioDatabase[] = [];
  const open = async (
    login: string,
    machine: string | null,
    { seen = NOTHING_SEEN, address = addressFor(login) }: { seen?: StudioSeen; address?: StudioAddress } = {},
  ) => {
    const studio = await connectStudio({
      ...{ address, password: null, logger: new MemoryLog(), seen },
      machine: machine === null ? null : { name: machine, instance: `folder of ${machine}` },
    });
    opened.push(studio);
    return studio;
  };
  const admin = await open('postgres', null);
  return {
    ...{ database, query, addressFor, open, admin },
    /** A machine of a person whose name is that of the login. */
    async machine(login: string, name = `${login}'s`): Promise<StudioDatabase> {
      const visitor = await open(login, null);
      await visitor.join(login, name, `folder of ${name}`);
      await visitor.close();
      return open(login, name);
    },
    /** The database is left to the end of the server: to drop one takes longer than a test. */
    async close(): Promise<void> {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}

export const batchOf = (name = 'night', project = 'film'): StudioBatch => ({
  id: `batch-${name}`,
  name,
  project: { id: `project-${project}`, name: project, root: 'nas', path: project },
  list: [],
});

export const takesOf = (count: number, more: Partial<NewStudioTake> = {}): NewStudioTake[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: randomUUID(), shotKey: `s${index + 1}`, account: ACCOUNT, model: 'm1', priceMicros: 1000, priority: 0 },
    ...{ isHeld: false, waits: false, spec: { prompt: 'a cat' } },
    ...more,
  }));

/** No waiting between requests. */
export const unlimited = { submits: 1_000_000, polls: 1000, uploads: 1000 };

/** A machine's answers about one take, with the sequence of its outbox. */
export function teller(studio: StudioDatabase) {
  let sequence = 0;
  return (take: { readonly id: string; readonly epoch: number }, fact: object): Promise<number> => {
    sequence += 1;
    return studio.report([{ sequence, takeId: take.id, epoch: take.epoch, at: 0, ...fact } as StudioFact]);
  };
}

export const requestFor = (
  { id, epoch, model, priceMicros, account }: HeldTake,
  more: Partial<GrantRequest> = {},
): GrantRequest => ({
  ...{ takeId: id, attemptId: randomUUID(), epoch, bodyHash: 'hash', model, priceMicros, account, ...more },
});

/** A way to the server that can be cut at the worst moments. */
export async function cuttableWay({ folder, port }: Server = inject('postgres') as Server) {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isAnswerLost = false;
  const cut = (pair: readonly [Socket, Socket]): void => {
    pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  };
  const way = createServer((client) => {
    const server = connect({ path: `${folder}/.s.PGSQL.${port}` });
    const pair = [client, server] as const;
    pairs.add(pair);
    for (const socket of pair) socket.on('error', () => cut(pair)).on('close', () => cut(pair));
    client.on('data', (data) => server.write(data));
    server.on('data', (data) => {
      if (!isAnswerLost) return void client.write(data);
      isAnswerLost = false;
      cut(pair);
    });
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  return {
    port: (way.address() as AddressInfo).port,
    /** The next answer of the server is lost, after what it says was done. */
    loseNextAnswer(): void {
      isAnswerLost = true;
    },
    cutAll: (): void => pairs.forEach(cut),
    async close(): Promise<void> {
      pairs.forEach(cut);
      way.close();
      await once(way, 'close');
    },
  };
}
