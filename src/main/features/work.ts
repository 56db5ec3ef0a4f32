import type { Text } from '../../contract/messages/message.ts';
import { type BatchView, nextRun, sumOf, countTakes } from '../../contract/batch.ts';
import { continuesByItself, type QueueView } from '../../contract/events.ts';
import type { Counts } from '../../contract/job.ts';
import type { ProjectView } from '../../contract/project.ts';
import { toMessage } from '../../engine/base/errors.ts';
import type { Desktop } from '../desktop.ts';

export interface Work {
  /** The takes of the present run; it lasts until another one begins after the queue was idle. */
  readonly run: Counts;
  readonly undecided: number;
  readonly paused: boolean;
  /** Something goes on by itself, if only after a wait. */
  readonly hasPendingWork: boolean;
  /** Why nothing goes on before the person acts, unless they paused it themselves; else null. */
  readonly halted: Text | null;
  readonly ended: readonly BatchView[];
}

interface Reading {
  readonly queue: QueueView;
  readonly projects: readonly ProjectView[];
  /** Of every project that has, or had at the reading before, something unfinished. */
  readonly batches: readonly BatchView[];
}

interface Remembered {
  readonly run: ReadonlyMap<string, Counts>;
  readonly underWay: ReadonlySet<string>;
  readonly projects: ReadonlySet<string>;
}

const nothingRemembered: Remembered = { run: new Map(), underWay: new Set(), projects: new Set() };

function workFor(before: Remembered, { queue, projects, batches }: Reading): [Work, Remembered] {
  const run = nextRun(before.run, batches);
  const unfinished = batches.filter(({ counts }) => counts.unfinished > 0);
  const work: Work = {
    run: sumOf(run.values()),
    undecided: projects.reduce((sum, { counts }) => sum + counts.unknown, 0),
    paused: queue.pausedByUser,
    hasPendingWork: continuesByItself(queue),
    halted: queue.run.is === 'halted' ? queue.run.gate.message : null,
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

const projectsToRead = (before: Remembered, projects: readonly ProjectView[]): string[] =>
  projects.filter(({ id, counts }) => counts.unfinished > 0 || before.projects.has(id)).map(({ id }) => id);

/** Share of the run that will not change by itself any more, 0 to 1; null while nothing runs. Pure. */
export function toShare({ run }: Work): number | null {
  const total = countTakes(run);
  return run.unfinished === 0 || total === 0 ? null : (total - run.unfinished) / total;
}

/** The engine is read at most this often, ms: dock and tray need no more. */
const READ_EVERY_MS = 1000;
/** While something runs, the engine is asked this often even without events: it may have died, ms. */
const ASK_EVERY_MS = 5 * 60_000;
/** An engine that has not answered after this time counts as idle, ms. */
const TIMEOUT_MS = 60_000;

/** Calls `listener` after each reading of the engine. Returns what ends that: it reads nothing more, and keeps nothing alive. */
export function watchWork(
  { client, clock, listen, logger }: Pick<Desktop, 'client' | 'clock' | 'listen' | 'logger'>,
  listener: (work: Work) => void,
): () => void {
  const ended = new AbortController();
  let before = nothingRemembered;
  let last: Work | null = null;
  let isReading = false;
  let isWanted = false;

  const slept = (ms: number, signal = ended.signal): Promise<boolean> =>
    clock.sleep(ms, { signal }).then(
      () => true,
      () => false,
    );

  const tell = (work: Work): void => {
    if (ended.signal.aborted) return;
    last = work;
    listener(work);
  };

  const read = async (): Promise<void> => {
    try {
      const [queue, projects] = await Promise.all([client.queue.view(), client.projects.list()]);
      const ids = projectsToRead(before, projects);
      const batches = await Promise.all(ids.map((projectId) => client.batches.list({ projectId })));
      const [work, remembered] = workFor(before, { queue, projects, batches: batches.flat() });
      before = remembered;
      tell(work);
    } catch (error) {
      // The engine ended meanwhile; the resync of the next one reads again.
      logger.debug('What the engine is at was not read', { reason: toMessage(error) });
    }
  };

  /** Calls wait for an engine that restarts. If there is none, there is no work to show. */
  const readPatiently = async (): Promise<void> => {
    const answered = new AbortController();
    const late = slept(TIMEOUT_MS, AbortSignal.any([answered.signal, ended.signal]));
    const isLate = await Promise.race([read().then(() => false), late]);
    answered.abort();
    if (isLate && last) tell({ ...last, hasPendingWork: false, ended: [] });
  };

  const readSoon = async (): Promise<void> => {
    isWanted = true;
    if (isReading) return;
    isReading = true;
    while (isWanted && !ended.signal.aborted) {
      isWanted = false;
      await readPatiently();
      await slept(READ_EVERY_MS);
    }
    isReading = false;
  };

  const askNowAndThen = async (): Promise<void> => {
    while (await slept(ASK_EVERY_MS)) if (last?.hasPendingWork) void readSoon();
  };

  listen(({ resync, jobs, projects, queue }) => {
    if (resync || queue !== null || jobs.length > 0 || projects.length > 0) void readSoon();
  });
  void askNowAndThen();
  return () => ended.abort();
}
