import { firstPollDelay, nextPollDelay } from '../../src/engine/machine/expected-end.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { openDatabase } from '../../src/engine/db/open.ts';
import { ServiceStore } from '../../src/engine/db/service-store.ts';
import type { Finding } from '../finding.ts';
import { quantile, spreadOf } from '../measure.ts';
import type { MeasureRow } from '../row.ts';
import { SimulatedTime } from '../simulated-time.ts';

const TaskTimes = z.object({ about: z.string(), times: z.record(z.string(), z.array(z.number())) });
const FILE = join(import.meta.dirname, '..', 'data', 'task-times.json');
const FIXED_MS = 5000;
/** One task of each model is accepted every so often, ms. */
const ACCEPTED_EVERY_MS = 4000;

/** A task of the file, in the run's own time. */
interface Task {
  readonly model: string;
  readonly acceptedAt: number;
  readonly doneAt: number;
}

/** What following the tasks came to. Delays are ms from a result being there to its being noticed. */
interface Followed {
  readonly polls: number;
  readonly delays: readonly number[];
}

/**
 * How often tasks are asked about, and how late their results are noticed, by our own pacing and by a poller that asks
 * every five seconds. Time is counted, not waited for; what is usual is learned on the way, from nothing at the start.
 */
export const measure: MeasureRow = ({ rounds, folder }) => {
  const { times } = TaskTimes.parse(JSON.parse(readFileSync(FILE, 'utf8')));
  const tasks = tasksOf(times);
  const fixed = followEveryFiveSeconds(tasks);
  const ours = Array.from({ length: rounds }, (_, round) => followAsWeDo(tasks, join(folder, `data-${round}`)));
  const findings = [
    compare(
      'Polls sent for 1,600 tasks',
      '',
      ours.map(({ polls }) => polls),
      fixed.polls,
      0.4,
    ),
    compare('95th percentile of the delay', ' s', ours.map(p95), p95(fixed), 1.2),
  ];
  return Promise.resolve(findings);
};

/** Tasks in the order they are accepted. */
function tasksOf(times: Readonly<Record<string, readonly number[]>>): Task[] {
  return Object.entries(times)
    .flatMap(([model, taken]) =>
      taken.map((ms, index) => {
        const acceptedAt = index * ACCEPTED_EVERY_MS;
        return { model, acceptedAt, doneAt: acceptedAt + ms };
      }),
    )
    .sort((a, b) => a.acceptedAt - b.acceptedAt);
}

function followEveryFiveSeconds(tasks: readonly Task[]): Followed {
  const polls = tasks.map(({ acceptedAt, doneAt }) => Math.ceil((doneAt - acceptedAt) / FIXED_MS));
  const delays = tasks.map(({ acceptedAt, doneAt }, index) => acceptedAt + (polls[index] ?? 0) * FIXED_MS - doneAt);
  return { polls: polls.reduce((sum, count) => sum + count, 0), delays };
}

/** Every poll of every task, in the order of time, since each result teaches the polls that come after it. */
function followAsWeDo(tasks: readonly Task[], dataFolder: string): Followed {
  const db = openDatabase(dataFolder);
  const store = new ServiceStore(db);
  const delays: number[] = [];
  let polls = 0;
  const turns = new SimulatedTime();
  const timesOf = (task: Task) => store.learnedTaskTimes('bench', task.model);
  const pollAt = (task: Task, at: number, lastLook: number, before: number): void =>
    turns.at(at, () => {
      polls += 1;
      if (at < task.doneAt) {
        const elapsed = at - task.acceptedAt;
        const wait = nextPollDelay(timesOf(task), { elapsed, polls: before }, Math.random);
        return pollAt(task, at + wait, at, before + 1);
      }
      delays.push(at - task.doneAt);
      store.learnTaskTime('bench', task.model, (lastLook + at) / 2 - task.acceptedAt);
    });
  for (const task of tasks) {
    const { acceptedAt } = task;
    turns.at(acceptedAt, () => pollAt(task, acceptedAt + firstPollDelay(timesOf(task)), acceptedAt, 0));
  }
  turns.run();
  db.close();
  return { polls, delays };
}

const p95 = ({ delays }: Followed): number =>
  quantile(
    delays.toSorted((a, b) => a - b),
    0.95,
  ) / 1000;

function compare(what: string, unit: string, ours: readonly number[], fixed: number, atMost: number): Finding {
  const ratio = spreadOf(ours.map((value) => value / fixed));
  const written = (value: number) => `${value.toLocaleString('en', { maximumFractionDigits: 1 })}${unit}`;
  return {
    what,
    ours: written(spreadOf(ours).median),
    peer: `${written(fixed)}, a poll every 5 s`,
    ratio,
    goal: `ratio ≤ ${atMost}`,
    met: ratio.median <= atMost,
  };
}
