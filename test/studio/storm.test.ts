import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFailed, onTestFinished } from 'vitest';
import { compileCache, inOneFile } from '../faults/support/one-file.ts';
import type { ShotSpec } from '../../src/contract/shot.ts';
import { shot } from '../engine/db/seed.ts';
import { openDatabaseReadOnly } from '../../src/engine/db/open.ts';
import { startPostgres } from '../support/postgres.ts';
import { hasPostgres } from '../support/studio.ts';
import { makeTemplate } from '../support/studio-server.ts';
import { closableWay, openShared, type Shared, withoutLimits } from './machines.ts';
import type { StormOrder } from './storm-child.ts';

const STORM_MS = Number(process.env['STORM_MS'] ?? 600_000);
/** One clock is so much off, ms. */
const AHEAD_MS = 10 * 60_000;

interface StormOptions {
  readonly workers: number;
  readonly ms: number;
  readonly takesASecond: number;
  /** When the database is restarted, and when it is restored, as shares of the time. */
  readonly restarts: readonly number[];
  readonly restore: number;
}

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;
const between = (least: number, most: number): number => least + Math.random() * (most - least);

/** A machine in a process of its own, which is killed, stopped and cut off, and comes back. */
class StormMachine {
  readonly #order: StormOrder;
  readonly #child: string;
  readonly way: Awaited<ReturnType<typeof closableWay>>;
  #process: ChildProcess | null = null;
  isDead = false;

  constructor(child: string, way: StormMachine['way'], order: StormOrder) {
    this.#child = child;
    this.way = way;
    this.#order = order;
  }

  get name(): string {
    return this.#order.name;
  }

  start(): void {
    const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
    this.#process = spawn(process.execPath, [this.#child, JSON.stringify(this.#order)], {
      ...{ env, stdio: ['ignore', 'ignore', process.env['STORM_LOG'] === '1' ? 'inherit' : 'ignore'] },
    });
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }
}

async function states({ studio }: Shared): Promise<Record<string, number>> {
  const rows = await studio.query('SELECT state, count(*)::int AS n FROM dailies.takes GROUP BY 1');
  return Object.fromEntries(rows.map(({ state, n }) => [state, n])) as Record<string, number>;
}

/** Of three rows one is a film, one a still, and one waits for a pick of that still. */
function rowOf(index: number): ShotSpec {
  if (index % 3 === 1) return shot(index);
  const still = String(index - 1).padStart(4, '0');
  const waits = index % 3 === 0 && { waitFor: 'pick' as const, params: { image: `Shot://${still}` } };
  return shot(index, { kind: 'image', model: 'image-demo', params: {}, ...waits });
}

async function storm({ workers, ms, takesASecond, restarts, restore }: StormOptions): Promise<void> {
  const server = await startPostgres({ isDurable: true });
  onTestFinished(() => server.stop());
  await makeTemplate(server);
  const shared = await openShared({ server, speed: { videoMs: 8000, jitter: 0.5 } });
  const { studio, service, nas, folder } = shared;
  const since = Date.now();
  const child = await inOneFile(join(import.meta.dirname, 'storm-child.ts'), 'storm-child');
  const machines = await Promise.all(
    Array.from({ length: workers }, async (_, index) => {
      const way = await closableWay(shared);
      const name = `w${String(index + 1)}`;
      return new StormMachine(child, way, {
        ...{ name, dataFolder: join(folder, name), nas, serviceUrl: service.url, key: service.apiKey, url: way.url },
        ...{ since, ahead: index === 1 ? AHEAD_MS : 0 },
      });
    }),
  );
  onTestFinished(async () => void (await Promise.all(machines.map((machine) => machine.end('SIGKILL')))));
  const desk = await shared.machine('desk').start();
  // A service that is not always well: refusals for a moment, and answers that are lost.
  service.faults.add({
    match: { method: 'POST', path: '/v1/videos', times: 3 },
    do: { fault: 'rate-limit', seconds: 0.5 },
  });

  let handed = 0;
  const list: ShotSpec[] = [];
  const handOver = async (count: number): Promise<void> => {
    for (let added = 0; added < count; added += 1) list.push(rowOf(list.length + 1));
    await desk.handOver(list);
    handed = list.length;
  };
  await handOver(workers * 2);
  await withoutLimits(shared, desk);
  for (const machine of machines) machine.start();

  const began = Date.now();
  let downMs = 0;
  /** The share of the storm that is over; while the database is down, on a busy machine for long, it stands still. */
  const over = (): number => (Date.now() - began - downMs) / ms;
  const kinds = { kill: 0, stop: 0, cut: 0, dead: 0, restart: 0, restore: 0 };
  const busy = new Set<StormMachine>();
  const doing: Promise<void>[] = [];
  const free = (): StormMachine | undefined => pick(machines.filter((machine) => !busy.has(machine)));
  const withOne = (work: (machine: StormMachine) => Promise<void>): void => {
    const machine = free();
    if (!machine) return;
    busy.add(machine);
    doing.push(work(machine).finally(() => busy.delete(machine)));
  };
  const declareDead = async (machine: StormMachine): Promise<void> => {
    kinds.dead += 1;
    await studio.admin.declareDead(machine.name).catch(() => undefined);
  };
  const restartAt = [...restarts];
  let backup: string | null = null;
  let restored = false;
  let isDatabaseDown = false;

  const restartDatabase = async (): Promise<void> => {
    isDatabaseDown = true;
    kinds.restart += 1;
    await server.end('SIGQUIT');
    if (backup === null) {
      backup = mkdtempSync(join(server.folder, 'backup-'));
      await copied(server.data, join(backup, 'data'));
    }
    await wait(between(200, 1000));
    await server.start();
    isDatabaseDown = false;
  };
  const restoreDatabase = async (): Promise<void> => {
    if (backup === null) return;
    isDatabaseDown = true;
    kinds.restore += 1;
    await server.end('SIGQUIT');
    rmSync(server.data, { recursive: true });
    await copied(join(backup, 'data'), server.data);
    await server.start();
    isDatabaseDown = false;
    restored = true;
  };
  const reconcile = async (): Promise<void> => {
    // Every machine has to say what it knows; those that stand still come back by themselves.
    await desk.worker?.member.tell();
    for (let tries = 0; tries < 300; tries += 1) {
      const missing = await studio.admin.reconcile().then(
        (answer) => answer.missing,
        () => null,
      );
      if (missing?.length === 0) return;
      await wait(100);
    }
    throw new Error('The studio could not be reconciled.');
  };

  // The desk tells what it handed over, too.
  await desk.work();
  /** A person at the desk picks each still that they see. */
  const pickStills = (): void => {
    const stills = desk.jobs().filter(({ kind, state, shot: key }) => {
      return kind === 'image' && state === 'saved' && Number(key) % 3 === 2;
    });
    for (const { id } of stills) {
      if (desk.engine.stores.review.verdict(id)?.flag !== 'pick') desk.engine.review.judge([id], { flag: 'pick' });
    }
  };
  let moreAt = Date.now() + 1000;
  while (over() < 1) {
    await wait(between(40, 160));
    if (Date.now() >= moreAt && !isDatabaseDown) {
      moreAt = Number.POSITIVE_INFINITY;
      pickStills();
      void handOver(takesASecond)
        .catch(() => undefined)
        .finally(() => (moreAt = Date.now() + 1000));
    }
    const downAt = Date.now();
    if (over() > (restartAt[0] ?? Number.POSITIVE_INFINITY)) {
      restartAt.shift();
      await restartDatabase();
      downMs += Date.now() - downAt;
      continue;
    }
    if (!restored && over() > restore) {
      await Promise.all(doing);
      await restoreDatabase();
      await reconcile();
      downMs += Date.now() - downAt;
      continue;
    }
    const what = Math.random();
    if (what < 0.3) {
      withOne(async (machine) => {
        kinds.kill += 1;
        await machine.end('SIGKILL');
        if (Math.random() < 0.3) await declareDead(machine);
        await wait(between(50, 800));
        machine.start();
        await wait(1500);
      });
    } else if (what < 0.6) {
      withOne(async (machine) => {
        kinds.stop += 1;
        machine.signal('SIGSTOP');
        if (Math.random() < 0.3) await declareDead(machine);
        await wait(between(100, 2500));
        machine.signal('SIGCONT');
        await wait(500);
        // One that was declared dead only joins again when it is started again.
        await machine.end(Math.random() < 0.5 ? 'SIGKILL' : 'SIGTERM');
        machine.start();
      });
    } else if (what < 0.8) {
      withOne(async ({ way }) => {
        kinds.cut += 1;
        way.setOpen(false);
        await wait(between(20, 1500));
        way.setOpen(true);
      });
    }
  }
  await Promise.all(doing);
  service.faults.clear();
  // What was cut off is handed over by starting the list again.
  for (let isDone = false; !isDone; await wait(100)) {
    isDone = await handOver(0).then(
      () => true,
      () => false,
    );
  }
  // Calm: each that was declared dead joins again.
  for (const machine of machines) {
    await machine.end('SIGTERM');
    machine.start();
  }
  /** Rows whose still nobody can pick: what became of it, a person has to decide. */
  const stuck = (): string[] => {
    const unpicked = desk.jobs().filter(({ shot: key, flag }) => Number(key) % 3 === 2 && flag !== 'pick');
    return unpicked.map(({ shot: key }) => String(Number(key) + 1).padStart(4, '0'));
  };
  const settled = async (): Promise<string> => {
    pickStills();
    const left = await studio.query(
      `SELECT machine, state, count(*)::int AS n FROM dailies.takes
      WHERE state IN ('waiting', 'held', 'granted', 'sent') AND NOT (waits AND shot_key = ANY ($1)) GROUP BY 1, 2 ORDER BY 1, 2`,
      [stuck()],
    );
    const there = left.map(({ machine, state, n }) => `${String(n)} ${String(state)} at ${String(machine)}`);
    return [...there, ...left.flatMap(({ machine }) => localStates(join(folder, String(machine))))].join();
  };
  onTestFailed(() => {
    const errors = desk.log.lines.filter((line) => line.startsWith('error'));
    process.stderr.write(`${errors.join('\n')}\n`);
  });
  await expect.poll(settled, { timeout: 240_000, interval: 200 }).toBe('');
  await Promise.all(machines.map((machine) => machine.end('SIGTERM')));
  const { done = 0, unclear = 0, cancelled = 0, waiting = 0 } = await states(shared);
  const counts = [...shared.posts().values()];
  const doubled = counts.filter((count) => count > 1).length;
  const report = {
    ...kinds,
    handed,
    posts: counts.length,
    saved: shared.files().length,
    done,
    unclear,
    cancelled,
    ...{ waiting, doubled },
  };
  process.stderr.write(`storm: ${JSON.stringify(report)}\n`);
  expect(doubled).toBe(0);
  // None is lost: each is saved, or a person decides about it.
  expect(done + unclear + waiting).toBe(handed);
  expect(waiting).toBeLessThanOrEqual(stuck().length);
  const sent = new Set(shared.posts().keys());
  expect(stuck().filter((key) => sent.has(`Shot ${String(Number(key))}`))).toEqual([]);
  expect(cancelled).toBe(0);
  expect(shared.files().length).toBeGreaterThanOrEqual(done);
}

/** What a machine itself thinks of its takes, where a storm does not end. */
function localStates(dataFolder: string): string[] {
  const db = openDatabaseReadOnly(dataFolder);
  if (db === null) return [];
  const rows = db.facts.all<{ state: string; paused: string; n: number }>`SELECT state, paused, is_here, COUNT(*) AS n
    FROM studio_takes JOIN jobs ON jobs.id = job_id WHERE step IS NOT NULL OR state = 'submit_unknown' GROUP BY 1, 2, 3`;
  db.close();
  return rows.map((row) => JSON.stringify(row));
}

/** A copy belongs to whom its original belongs to: PostgreSQL reads nothing else. */
async function copied(original: string, copy: string): Promise<void> {
  await once(spawn('cp', ['-a', original, copy]), 'exit');
}

describe.runIf(hasPostgres)('a storm', () => {
  it('of ten minutes doubles nothing and loses nothing @night', { timeout: 1_500_000 }, () =>
    storm({ workers: 8, ms: STORM_MS, takesASecond: 5, restarts: [0.2, 0.5, 0.9], restore: 0.7 }),
  );
});
