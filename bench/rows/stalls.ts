import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { Changes } from '../../src/contract/events.ts';
import { findingsOf } from '../finding.ts';
import { inTurnsBy, type ManySided } from '../measure.ts';
import { readyToChange, type JobChanges } from '../job-changes.ts';
import type { MeasureRow } from '../row.ts';

/** How long each side is watched in one round, ms. */
const WATCHED_MS = 1500;
const MAX_ROUNDS = 3;
/** How finely waits are told apart, ms. */
const RESOLUTION_MS = 1;

type Figure = 'wait' | 'busy';
/** Work that is to be watched, once all is ready for it. */
type Work = () => Promise<unknown>;

/**
 * What the engine's work does to the process that has the window, at a thousand job changes a second: how long whatever comes
 * in waits there until it is looked at, and how much of the process's time is taken. Ours passes messages on from an engine
 * that is elsewhere; the peer is the same work in the process itself. It decided where the desktop app keeps its engine.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  let runs = 0;
  const side = (name: string, prepare: (changes: JobChanges) => Work | Promise<Work>): ManySided<Figure> => ({
    name,
    async measure() {
      const path = join(folder, String((runs += 1)));
      mkdirSync(path);
      return watched(await prepare({ folder: path, ms: WATCHED_MS }));
    },
  });
  const compared = await inTurnsBy<Figure>(
    Math.min(rounds, MAX_ROUNDS),
    ['wait', 'busy'],
    side('elsewhere', inThread),
    [
      side('in the same process', (changes) => {
        const change = readyToChange(changes);
        return () => change(read);
      }),
    ],
  );
  const ms = { name: 'ms', digits: 1 };
  return [
    ...findingsOf(
      '1,000 job changes a second, engine elsewhere: wait for the process with the window, p99',
      ms,
      compared.wait,
      [{ atMost: 0.5 }],
    ),
    ...findingsOf('… share of its time that is taken', { name: '%', digits: 1 }, compared.busy, [{ atMost: 0.5 }]),
  ];
};

async function inThread(changes: JobChanges): Promise<Work> {
  const worker = new Worker(new URL('../job-changes.ts', import.meta.url), { workerData: changes });
  await once(worker, 'message');
  return () =>
    new Promise((resolve) => {
      worker.on('message', (message: string) => {
        if (message === 'done') resolve(message);
        else read(message);
      });
      worker.postMessage('go');
    });
}

/** What a process does with a message besides passing it on. */
function read(message: string): void {
  Changes.parse(JSON.parse(message));
}

async function watched(work: Work): Promise<Readonly<Record<Figure, number>>> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const before = performance.eventLoopUtilization();
  delay.enable();
  await work();
  delay.disable();
  const { utilization } = performance.eventLoopUtilization(before);
  return { wait: delay.percentile(99) / 1e6, busy: utilization * 100 };
}
