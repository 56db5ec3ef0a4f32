import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { Client } from 'pg';
import { parseStudioUrl } from '../../src/studio/address.ts';
import { connectStudio, NOTHING_SEEN, type StudioDatabase } from '../../src/studio/database.ts';
import { initStudio } from '../../src/studio/schema/migrate.ts';
import type { NewStudioTake, StudioAccount, StudioBatch, StudioSeen } from '../../src/studio/types.ts';
import { MemoryLog } from './memory-log.ts';

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
  await query(`CREATE DATABASE ${database}`, [], 'postgres', 'postgres');
  const addressFor = (login: string) =>
    parseStudioUrl(
      `postgres://${login}@/${database}?${new URLSearchParams({ host: folder, port: String(port) }).toString()}`,
    ).address;
  const init = () => initStudio({ address: addressFor('postgres'), password: null, name: 'test' }, 'UTC');
  await init();
  for (const login of ['anna', 'ben', 'cleo']) {
    await query(`DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${login}') THEN CREATE ROLE ${login} LOGIN; END IF;
      GRANT dailies_worker TO ${login};
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`);
  }
  const opened: StudioDatabase[] = [];
  const open = async (
    login: string,
    machine: string | null,
    seen: StudioSeen = NOTHING_SEEN,
    address = addressFor(login),
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
    ...{ database, query, addressFor, init, open, admin },
    /** A machine of a person whose name is that of the login. */
    async machine(login: string, name = `${login}'s`): Promise<StudioDatabase> {
      const visitor = await open(login, null);
      await visitor.join(login, name, `folder of ${name}`);
      return open(login, name);
    },
    async close(): Promise<void> {
      await Promise.all(opened.map((each) => each.close()));
      await query(`DROP DATABASE ${database} WITH (FORCE)`, [], 'postgres', 'postgres');
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
    ...{ isHeld: false, spec: { prompt: 'a cat' } },
    ...more,
  }));

/** No waiting between requests. */
export const unlimited = { submits: 1_000_000, polls: 1000, uploads: 1000 };
