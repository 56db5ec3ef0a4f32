import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { parseStudioUrl } from '../../src/studio/address.ts';
import { connectStudio, NOTHING_SEEN, type StudioDatabase } from '../../src/studio/database.ts';
import { initStudio } from '../../src/studio/schema/migrate.ts';
import type { NewStudioTake, StudioBatch } from '../../src/studio/types.ts';
import { findPostgres } from '../../scripts/find-postgres.ts';
import { MemoryLog } from '../../test/support/memory-log.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { findingsOf, limitOf } from '../finding.ts';
import { inTurns, manyAtOnce, quantile, spreadOf, timed } from '../measure.ts';
import type { MeasureRow } from '../row.ts';

const MACHINES = 8;
/** Takes that one round hands over or grants, and how many a machine takes at once. */
const TAKES = 800;
const AT_ONCE = 10;
/** Batches whose way to a machine is timed in one round. */
const BATCHES = 40;

const ACCOUNT = { name: 'main', address: 'https://service.test' };
const perSecond = { name: '/s', digits: 0 };
const ms = { name: 'ms', digits: 0 };

/**
 * A studio on a PostgreSQL that syncs each commit. Bare pg-boss fetches and completes; a hand-over does that, and says in
 * the same transaction whose take it is. A grant checks rate, ceiling and four budgets of one account, so grants of one
 * account come one after the other, however many machines ask.
 */
export const measure: MeasureRow = async ({ rounds }) => {
  if (findPostgres() === null) return [];
  const server = await startPostgres({ isDurable: true });
  await server.query('postgres', 'CREATE DATABASE studio');
  const { address } = parseStudioUrl(server.url('studio'));
  await initStudio({ address, password: null, name: 'bench' }, 'UTC');
  const connect = (machine: string | null): Promise<StudioDatabase> =>
    connectStudio({
      ...{ address, password: null, logger: new MemoryLog(), seen: NOTHING_SEEN, connections: 1 },
      machine: machine === null ? null : { name: machine, instance: machine },
    });
  const admin = await connect(null);
  const names = Array.from({ length: MACHINES }, (_, index) => `machine ${index + 1}`);
  for (const name of names) await admin.join(`person of ${name}`, name, name);
  const machines = await Promise.all(names.map(connect));
  const [first] = machines as [StudioDatabase];
  await first.enqueue(batch(), []);
  await first.enqueue(batch(), takes(1));
  await first.takeNext(['nas'], [ACCOUNT], 1);
  await admin.setRate(ACCOUNT.name, { submits: 1_000_000, polls: 1000, uploads: 1000 });
  const bare = await bareBoss(server.folder, server.port);
  // A machine is handed no more takes than it has room for.
  const clear = () =>
    server.query(
      'studio',
      `UPDATE dailies.takes SET state = 'done', outcome = 'saved' WHERE state IN ('held', 'granted')`,
    );

  const handOver = await inTurns(
    rounds,
    {
      name: 'ours',
      async measure() {
        await clear();
        await first.enqueue(batch(), takes(TAKES));
        return rate(
          TAKES,
          await timed(() => manyAtOnce(TAKES / AT_ONCE, MACHINES, (index) => handed(machines, index))),
        );
      },
    },
    [bare],
  );
  const grants: number[] = [];
  const delays: number[] = [];
  const arrival: Arrival = { onWork: async () => undefined };
  const second = machines[1] as StudioDatabase;
  await second.listen(({ kind }) => void (kind === 'work' && arrival.onWork()));
  for (let round = 0; round <= rounds; round += 1) {
    await clear();
    const perGrant = await grantsPerSecond(first, machines);
    await clear();
    const delay = await delayToMachine(first, second, arrival);
    if (round > 0) {
      grants.push(perGrant);
      delays.push(delay);
    }
  }
  await Promise.all([admin, ...machines].map((each) => each.close()));
  await bare.close();
  await server.stop();
  return [
    ...findingsOf('Takes handed to 8 machines, 10 at once', perSecond, handOver, [{ atLeast: 0.8 }]),
    limitOf('Grants of one account to 8 machines', perSecond, spreadOf(grants), { atLeast: 500 }),
    limitOf('From the list to a machine, p95', ms, spreadOf(delays), { atMost: 100 }),
  ];
};

const rate = (count: number, took: number): number => (count / took) * 1000;

const handed = (machines: readonly StudioDatabase[], index: number): Promise<unknown> =>
  (machines[index % MACHINES] as StudioDatabase).takeNext(['nas'], [ACCOUNT], AT_ONCE);

async function grantsPerSecond(first: StudioDatabase, machines: readonly StudioDatabase[]): Promise<number> {
  await first.enqueue(batch(), takes(TAKES));
  const held = await Promise.all(
    machines.map(async (machine) => ({ machine, takes: await machine.takeNext(['nas'], [ACCOUNT], TAKES / MACHINES) })),
  );
  let granted = 0;
  const took = await timed(() =>
    Promise.all(
      held.map(async ({ machine, takes }) => {
        for (const { id, epoch } of takes) {
          const facts = { takeId: id, epoch, bodyHash: 'hash', model: 'm1', priceMicros: 1000, account: ACCOUNT };
          const { kind } = await machine.grant({ ...facts, attemptId: randomUUID() });
          if (kind === 'granted') granted += 1;
        }
      }),
    ),
  );
  if (granted !== TAKES) throw new Error(`${granted} of ${TAKES} were granted.`);
  return rate(granted, took);
}

/** From the moment that a person starts a batch of one take until another machine has it, p95 in ms. */
async function delayToMachine(from: StudioDatabase, to: StudioDatabase, arrival: Arrival): Promise<number> {
  const delays: number[] = [];
  for (let count = 0; count < BATCHES; count += 1) {
    const { promise, resolve } = Promise.withResolvers<null>();
    arrival.onWork = async () => {
      if ((await to.takeNext(['nas'], [ACCOUNT], AT_ONCE)).length > 0) resolve(null);
    };
    delays.push(
      await timed(async () => {
        await from.enqueue(batch(), takes(1));
        await promise;
      }),
    );
  }
  arrival.onWork = async () => undefined;
  return quantile(
    delays.toSorted((one, other) => one - other),
    0.95,
  );
}

interface Arrival {
  onWork(): Promise<void>;
}

/** pg-boss as its own documentation uses it, in a schema of its own. */
async function bareBoss(host: string, port: number) {
  const pool = new Pool({ host, port, database: 'studio', user: 'postgres', max: MACHINES });
  // The server may end a connection that the pool has let go already.
  pool.on('error', () => undefined);
  const db = {
    executeSql: async (text: string, values?: unknown[]) => ({
      rows: [await pool.query(text, values)].flat().flatMap(({ rows }) => rows as unknown[]),
    }),
  };
  const boss = new PgBoss({ schema: 'bare', db, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue('takes', { retryLimit: 0 });
  return {
    name: 'bare pg-boss',
    async measure(): Promise<number> {
      await boss.insert(
        'takes',
        Array.from({ length: TAKES }, () => ({ data: { take: randomUUID() } })),
      );
      const took = await timed(() =>
        manyAtOnce(TAKES / AT_ONCE, MACHINES, async () => {
          const jobs = await boss.fetch('takes', { batchSize: AT_ONCE });
          await boss.complete(
            'takes',
            jobs.map(({ id }) => id),
          );
        }),
      );
      return rate(TAKES, took);
    },
    async close(): Promise<void> {
      await boss.stop({ graceful: false });
      await pool.end();
    },
  };
}

const batch = (): StudioBatch => ({
  id: randomUUID(),
  name: 'night',
  project: { id: 'project', name: 'film', root: 'nas', path: 'film' },
  list: [],
});

const takes = (count: number): NewStudioTake[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: randomUUID(), shotKey: `s${index}`, account: ACCOUNT, model: 'm1', priceMicros: 1000, priority: 0 },
    ...{ isHeld: false, waits: false, spec: { prompt: 'a cat on a roof, at night, in the rain' } },
  }));
