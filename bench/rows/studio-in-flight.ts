import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseStudioUrl } from '../../src/studio/address.ts';
import { connectStudio, NOTHING_SEEN } from '../../src/studio/database.ts';
import { initStudio } from '../../src/studio/schema/migrate.ts';
import { systemClock } from '../../src/host/process-environment.ts';
import { findPostgres } from '../../scripts/find-postgres.ts';
import { shots } from '../../test/engine/db/seed.ts';
import { Machine } from '../../test/studio/machine.ts';
import { MemoryLog } from '../../test/support/memory-log.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { limitOf } from '../finding.ts';
import { spreadOf, timed } from '../measure.ts';
import type { MeasureRow } from '../row.ts';
import { startServer } from '../start-server.ts';

const MACHINES = 8;
const SAMPLE_MS = 5000;
/** More take minutes to send: eight engines share this process. */
const TAKES = 400;

/**
 * Eight engines of this process that follow takes of a studio whose tasks never end, and how soon the others follow those
 * of a machine that was declared dead.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  if (findPostgres() === null) return [];
  const postgres = await startPostgres({ isDurable: true });
  await postgres.query('postgres', 'CREATE DATABASE studio');
  const { address } = parseStudioUrl(postgres.url('studio'));
  await initStudio({ address, password: null, name: 'bench' }, 'UTC');
  const service = await startServer();
  const nas = join(realpathSync(folder), 'nas');
  mkdirSync(join(nas, 'film'), { recursive: true });
  const access = { address, password: null, logger: new MemoryLog(), seen: NOTHING_SEEN };
  const admin = await connectStudio({ ...access, machine: null });
  const machines = Array.from({ length: MACHINES }, (_, index) => {
    const name = `machine${index}`;
    const settings = { concurrency: { submit: 8 } };
    return new Machine({
      ...{ name, dataFolder: join(folder, name), nas, address, settings },
      ...{ serviceUrl: service.url, key: 'key-of-a-bench', clock: systemClock },
    });
  });
  for (const machine of machines) await machine.start();
  const [first, ...others] = machines as [Machine, ...Machine[]];
  await first.handOver(shots(TAKES));
  const [account] = (await admin.status()).accounts;
  await admin.setRate(account?.name ?? '', { submits: 1_000_000, polls: 1000, uploads: 1000 });
  const sentBy = async (): Promise<ReadonlyMap<string | null, number>> => {
    const rows = await postgres.query(
      'studio',
      `SELECT machine, count(*)::int AS n FROM dailies.takes WHERE state = 'sent' GROUP BY 1`,
    );
    return new Map(rows.map(({ machine, n }) => [machine as string | null, n as number]));
  };
  const followed = async (): Promise<number> => {
    const counts = [...(await sentBy())].filter(([machine]) => machine !== null);
    return counts.reduce((sum, [, count]) => sum + count, 0);
  };
  for (const machine of machines) await machine.work();
  while ((await followed()) < TAKES) await wait(500);

  const commits: number[] = [];
  const counted = async (): Promise<number> => {
    const [row] = await postgres.query(
      'postgres',
      `SELECT xact_commit::int AS n FROM pg_stat_database WHERE datname = 'studio'`,
    );
    return row?.['n'] as number;
  };
  for (let sample = 0; sample < rounds * 3; sample += 1) {
    const before = await counted();
    await wait(SAMPLE_MS);
    commits.push(((await counted()) - before) / (SAMPLE_MS / 1000));
  }

  await first.kill();
  const took = await timed(async () => {
    await admin.declareDead('machine0');
    while ((await followed()) < TAKES) await wait(100);
  });
  await Promise.all(others.map((machine) => machine.stop()));
  await admin.close();
  service.stop();
  await postgres.stop();
  const count = TAKES.toLocaleString('en');
  return [
    limitOf(
      `${count} takes of a studio in flight on 8 machines: commits`,
      { name: '/s', digits: 1 },
      spreadOf(commits),
      {
        atMost: 50,
      },
    ),
    limitOf(
      '… those of one that was declared dead are followed by others',
      { name: 's', digits: 1 },
      spreadOf([took / 1000]),
      {
        atMost: 60,
      },
    ),
  ];
};
