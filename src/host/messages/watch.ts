import { sumOf, countTakes } from '../../contract/batch.ts';
import { continuesByItself, reasonFacts, type EngineEvent, type Gate, type QueueView } from '../../contract/events.ts';
import type { NightHalt, NightMessage } from '../../contract/night-messages.ts';
import { toMessage } from '../../engine/base/errors.ts';
import type { Clock, Logger } from '../../engine/base/ports.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Counts, JobView } from '../../contract/job.ts';
import { type CapNear, scopeName, toShare } from '../../contract/ledger.ts';

/** The engine is read so often at most while something changes, ms. */
const READ_EVERY_MS = 5000;
/** And so often at least, since a stall is when nothing changes, ms. */
const READ_AT_LEAST_MS = 60_000;
const MAX_NAMES = 10;

export type WatchedEngine = Pick<Engine, 'views' | 'subscribe' | 'recovery' | 'stores' | 'beat'>;

export interface WatchFindings {
  readonly messages: readonly NightMessage[];
  readonly projectIds: readonly string[];
  readonly hasPendingWork: boolean;
}

/** Calls `onRead` while an engine changes. Returns what ends that with one more reading: the engine must be open. */
export function watchNight(
  engine: WatchedEngine,
  clock: Clock,
  logger: Logger,
  onRead: (found: WatchFindings) => void,
): () => Promise<void> {
  const ended = new AbortController();
  let wake = new AbortController();
  let night: Night | null = null;
  const run = new Map<string, string>();
  const progresses = new Map<string, string>();
  let worked = false;
  let moved = false;

  const note = (event: EngineEvent): void => {
    switch (event.type) {
      case 'job': {
        const { id, state, batchId, projectId } = event.job;
        run.set(batchId, projectId);
        const progress = toProgress(event.job);
        if (progress !== null || state === 'submitting') worked = true;
        // A take that is sent again and again makes no progress.
        if (state === 'ready' || state === 'submitting' || state === 'needs_assets') break;
        if (progress === null || progresses.get(id) !== progress) moved = true;
        if (progress === null) progresses.delete(id);
        else progresses.set(id, progress);
        break;
      }
      case 'many':
      case 'library':
        moved = true;
        break;
      case 'queue':
        break;
      default:
        return;
    }
    wake.abort();
  };

  const read = async (isLast: boolean): Promise<void> => {
    const since = { worked, moved };
    [worked, moved] = [false, false];
    try {
      const found = await readingOf(engine, run);
      const at = clock.now();
      // Requests that were cut off when the last engine died are news of this one.
      night ??= { ...beforeNight(at), undecided: found.undecided - engine.recovery.unknownSubmits };
      const next = messagesFor(night, { ...found, ...since, at, isLast });
      night = next.night;
      const waitsForTonight = engine.stores.windows.tonight().length > 0;
      const hasPendingWork = continuesByItself({ ...found.queue, waitsForTonight });
      engine.beat(hasPendingWork);
      const projectIds = [...new Set(run.values())];
      if (night.work === null) run.clear();
      onRead({ messages: next.messages, projectIds, hasPendingWork });
      // An end counts once nothing has started again.
      if (night.work?.quietSince != null || night.work?.newsSince != null) wake.abort();
    } catch (error) {
      logger.warn('The engine was not read for messages', { reason: toMessage(error) });
    }
  };

  const slept = (ms: number, signal: AbortSignal) => clock.sleep(ms, { signal }).catch(() => undefined);
  const watch = async (): Promise<void> => {
    await read(false);
    while (!ended.signal.aborted) {
      await slept(READ_AT_LEAST_MS, wake.signal);
      wake = new AbortController();
      // What happens together is read together.
      await slept(READ_EVERY_MS, ended.signal);
      if (!ended.signal.aborted) await read(false);
    }
  };

  const unsubscribe = engine.subscribe(note);
  const watching = watch();
  return async () => {
    ended.abort();
    wake.abort();
    await watching;
    await read(true);
    unsubscribe();
  };
}

/** What the engine is at. `run` has the batches that were worked on, each with its project. */
async function readingOf(
  engine: WatchedEngine,
  run: ReadonlyMap<string, string>,
): Promise<Omit<NightReading, 'at' | 'worked' | 'moved' | 'isLast'>> {
  const [queue, projects] = await Promise.all([engine.views.queue(), engine.views.projects()]);
  const known = new Set(projects.map(({ id }) => id));
  const worked = [...new Set(run.values())].filter((projectId) => known.has(projectId));
  const batches = worked.flatMap((id) => engine.views.batches(id)).filter(({ id }) => run.has(id));
  const undecided = projects.reduce((sum, { counts }) => sum + counts.unknown, 0);
  const shots =
    undecided === 0
      ? []
      : engine.stores.queries.list({ standing: 'unknown', limit: MAX_NAMES }).map(({ shot }) => shot);
  return {
    queue: {
      run: queue.run,
      pausedByUser: queue.pausedByUser,
      gates: queue.status.gates,
      capsNear: queue.status.capsNear,
    },
    run: sumOf(batches.map(({ counts }) => counts)),
    batches: toNames(batches.map(({ name }) => name)),
    unfinished: queue.counts.unfinished,
    undecided,
    shots: toNames(shots),
  };
}

const toNames = (names: readonly string[]): readonly string[] => [...new Set(names)].slice(0, MAX_NAMES);

/** Nothing that moves for so long is a stall, ms. */
export const STALL_MS = 30 * 60_000;
/** Decisions are gathered for so long: several in a minute are one message, ms. */
export const GATHER_MS = 60_000;
/** Work that ended does not begin again within this time, ms. */
export const QUIET_MS = 10_000;
/** A night that never ends is a new one after this time, ms. */
export const MAX_NIGHT_MS = 12 * 60 * 60_000;
/** Readings come every minute: with a longer gap, the machine slept, ms. */
const ASLEEP_MS = 3 * 60_000;

export interface NightReading {
  readonly at: number;
  readonly queue: Pick<QueueView, 'run' | 'pausedByUser'> & {
    readonly gates: readonly Gate[];
    readonly capsNear?: readonly CapNear[] | undefined;
  };
  readonly run: Counts;
  readonly batches: readonly string[];
  readonly unfinished: number;
  /** Takes that need a decision, of earlier runs too, and some of their shots. */
  readonly undecided: number;
  readonly shots: readonly string[];
  /** Since the reading before: a take was sent or followed, and one of them came further. */
  readonly worked: boolean;
  readonly moved: boolean;
  readonly isLast: boolean;
}

interface Night {
  readonly readAt: number;
  /** Fewest undecided takes seen: more than these are news. */
  readonly undecided: number;
  /** Null while the queue is idle: then there are no messages. */
  readonly work: {
    readonly since: number;
    readonly told: ReadonlySet<string>;
    readonly movedAt: number;
    readonly isStalled: boolean;
    /** When the oldest undecided take without a message was first seen. */
    readonly newsSince: number | null;
    readonly quietSince: number | null;
  } | null;
}

export const beforeNight = (at: number): Night => ({ readAt: at, undecided: Number.POSITIVE_INFINITY, work: null });

/**
 * The messages after a reading, each cause at most once a night. A night is a run: it begins when something starts, and
 * ends when nothing goes on by itself, or nothing does before a window opens. Pure.
 */
export function messagesFor(before: Night, reading: NightReading): { night: Night; messages: readonly NightMessage[] } {
  const { at, queue, run, undecided, unfinished } = reading;
  const least = Math.min(before.undecided, undecided);
  const atRest: Night = { readAt: at, undecided: least, work: null };
  if (before.work === null && queue.run.is !== 'going' && !reading.worked) return { night: atRest, messages: [] };

  const work = before.work ?? beginning(at);
  const isNew = at - work.since >= MAX_NIGHT_MS;
  const told = new Set(isNew ? [] : work.told);
  const messages: NightMessage[] = [];
  const tell = (cause: string, message: NightMessage): void => {
    if (told.has(cause)) return;
    told.add(cause);
    messages.push(message);
  };

  for (const gate of queue.gates) {
    const event = toEvent(gate);
    const cause = [gate.reason, gate.model ?? '', gate.cap ? scopeName(gate.cap.scope) : ''].join(' ');
    if (event) tell(`${event} ${cause}`, { event, at, gate: gate.reason, why: gate.message });
  }

  for (const cap of queue.capsNear ?? []) {
    const { scope, name } = cap;
    const percent = Math.floor(100 * toShare(cap));
    tell(`cap_near ${scopeName(scope)}`, { event: 'cap_near', at, scope: scope.scope, percent, name });
  }

  const isOver = queue.run.is === 'over' || queue.run.is === 'awaiting_window';
  const quietSince = isOver ? (work.quietSince ?? at) : null;
  const hasEnded = quietSince !== null && (reading.isLast || passed(quietSince, at) >= QUIET_MS);

  const newsSince = undecided > least ? (work.newsSince ?? at) : null;
  if (newsSince !== null && (hasEnded || reading.isLast || passed(newsSince, at) >= GATHER_MS)) {
    tell('needs_decision', { event: 'needs_decision', at, undecided, shots: reading.shots });
  }

  const shouldMove = queue.run.is === 'going' && !queue.pausedByUser && !queue.gates.some(holds);
  const slept = passed(before.readAt, at) >= ASLEEP_MS;
  const movedAt = !shouldMove || reading.moved || slept ? at : Math.min(work.movedAt, at);
  const isStalled = shouldMove && at - movedAt >= STALL_MS;
  if (isStalled && !work.isStalled) {
    const minutes = Math.round((at - movedAt) / 60_000);
    messages.push({ event: 'stalled', at, minutes, unfinished });
  }

  if (hasEnded) {
    if (countTakes(run) > 0) messages.push({ event: 'finished', at, counts: run, batches: reading.batches });
    return { night: { ...atRest, undecided }, messages };
  }
  const since = isNew ? at : work.since;
  return { night: { ...atRest, work: { since, told, movedAt, isStalled, newsSince, quietSince } }, messages };
}

const beginning = (at: number): NonNullable<Night['work']> => ({
  since: at,
  told: new Set(),
  movedAt: at,
  isStalled: false,
  newsSince: null,
  quietSince: null,
});

/** A clock that was set back has let no time pass. */
const passed = (since: number, at: number): number => Math.max(0, at - since);

/** Whether a gate holds the queue until a person acts, or was closed on purpose. */
const holds = ({ reason, until }: Gate): boolean => until === null || !reasonFacts.get(reason)?.trouble;

/** The event for a closed gate; null when it is not worth a message. */
const toEvent = ({ reason, until }: Gate): NightHalt | null =>
  reasonFacts.get(reason)?.event ?? (until === null && reason !== 'paused_by_user' ? 'stopped' : null);

/** How far a take is, for as long as it is followed; null before it is accepted, and when it is over. */
function toProgress({ state, remoteStatus, progress }: JobView): string | null {
  const isFollowed = state === 'accepted' || state === 'polling' || state === 'downloading';
  return isFollowed ? `${state} ${remoteStatus ?? ''} ${progress ?? ''}` : null;
}
