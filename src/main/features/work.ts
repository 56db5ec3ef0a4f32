import type { Text } from '../../contract/messages/message.ts';
import type { BatchView } from '../../contract/batch.ts';
import { nextRun, sumOf, takesOf } from '../../contract/counts.ts';
import type { QueueView } from '../../contract/events.ts';
import type { Counts } from '../../contract/job.ts';
import type { ProjectView } from '../../contract/project.ts';

/** The work of the engine at its last reading. */
export interface Work {
  /** The takes of the present run; it lasts until another one begins after the queue was idle. */
  readonly run: Counts;
  /** Takes that need a decision, of every project. */
  readonly undecided: number;
  readonly paused: boolean;
  /** Something goes on by itself, if only after a wait. */
  readonly goesOn: boolean;
  /** Why nothing goes on before the person acts, unless they paused it themselves; else null. */
  readonly halted: Text | null;
  /** Batches that have ended since the last reading. */
  readonly ended: readonly BatchView[];
}

/** What one reading of the engine found. */
export interface Reading {
  readonly queue: QueueView;
  readonly projects: readonly ProjectView[];
  /** Of every project that has, or had at the reading before, something unfinished. */
  readonly batches: readonly BatchView[];
}

/** The state between two readings. */
export interface Remembered {
  readonly run: ReadonlyMap<string, Counts>;
  readonly underWay: ReadonlySet<string>;
  readonly projects: ReadonlySet<string>;
}

export const nothingRemembered: Remembered = { run: new Map(), underWay: new Set(), projects: new Set() };

/** Combines a reading with the one before. Pure. */
export function workOf(before: Remembered, { queue, projects, batches }: Reading): [Work, Remembered] {
  const run = nextRun(before.run, batches);
  const unfinished = batches.filter(({ counts }) => counts.unfinished > 0);
  const work: Work = {
    run: sumOf(run.values()),
    undecided: projects.reduce((sum, { counts }) => sum + counts.unknown, 0),
    paused: queue.pausedByUser,
    goesOn: queue.goesOn,
    halted: haltOf(queue),
    ended: batches.filter(({ id, counts }) => counts.unfinished === 0 && before.underWay.has(id)),
  };
  return [
    work,
    {
      run,
      underWay: new Set(unfinished.map(({ id }) => id)),
      projects: new Set([...unfinished, ...batches.filter(({ id }) => run.has(id))].map(({ projectId }) => projectId)),
    },
  ];
}

function haltOf({ goesOn, counts, status }: QueueView): Text | null {
  if (goesOn || counts.unfinished === 0) return null;
  const gate = status.gates.find(({ reason, until }) => until === null && reason !== 'paused_by_user');
  return gate?.message ?? null;
}

/** Projects whose batches must be read again. Pure. */
export const projectsToRead = (before: Remembered, projects: readonly ProjectView[]): string[] =>
  projects.filter(({ id, counts }) => counts.unfinished > 0 || before.projects.has(id)).map(({ id }) => id);

/** Share of the run that will not change by itself any more, 0 to 1; null while nothing runs. Pure. */
export function shareOf({ run }: Work): number | null {
  const total = takesOf(run);
  return run.unfinished === 0 || total === 0 ? null : (total - run.unfinished) / total;
}
