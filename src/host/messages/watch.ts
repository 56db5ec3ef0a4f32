import { sumOf } from '../../contract/counts.ts';
import type { EngineEvent } from '../../contract/events.ts';
import type { NightMessage } from '../../contract/night-messages.ts';
import { messageOf } from '../../engine/base/errors.ts';
import type { Clock, Logger } from '../../engine/base/ports.ts';
import type { Engine } from '../../engine/engine.ts';
import { beforeNight, messagesOf, progressOf, type Night, type NightReading } from './decide.ts';

/** The engine is read so often at most while something changes, ms. */
const READ_EVERY_MS = 5000;
/** And so often at least, since a stall is when nothing changes, ms. */
const READ_AT_LEAST_MS = 60_000;
/** So many shots and batches are named. */
const MOST_NAMES = 10;

export type WatchedEngine = Pick<Engine, 'views' | 'subscribe' | 'recovery'> & {
  readonly jobs: Pick<Engine['jobs'], 'list'>;
  readonly nights: Pick<Engine['nights'], 'beat'>;
};

export interface NightWatchParts {
  readonly engine: WatchedEngine;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hear: (message: NightMessage) => void;
  /** Nothing goes on by itself any more, in these projects. */
  readonly ended: (projectIds: readonly string[]) => void;
  /** After each reading: whether anything goes on by itself. */
  readonly read: (goesOn: boolean) => void;
}

/** Reads the engine while it works, and sends the messages a person should get. */
export class NightWatch {
  readonly #parts: NightWatchParts;
  readonly #ended = new AbortController();
  #unsubscribe: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  #wake = new AbortController();
  #night: Night | null = null;
  /** Batches that were worked on this night, each with its project. */
  readonly #run = new Map<string, string>();
  /** How far each take is that is followed. */
  readonly #progress = new Map<string, string>();
  #worked = false;
  #moved = false;

  constructor(parts: NightWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#unsubscribe = this.#parts.engine.subscribe((event) => this.#note(event));
    this.#running = this.#watch();
  }

  /** Reads the engine once more, which must still be open. */
  async stop(): Promise<void> {
    this.#ended.abort();
    this.#wake.abort();
    await this.#running;
    await this.#read(true);
    this.#unsubscribe();
  }

  async #watch(): Promise<void> {
    await this.#read(false);
    while (!this.#ended.signal.aborted) {
      await this.#slept(READ_AT_LEAST_MS, this.#wake.signal);
      this.#wake = new AbortController();
      // What happens together is read together.
      await this.#slept(READ_EVERY_MS, this.#ended.signal);
      if (!this.#ended.signal.aborted) await this.#read(false);
    }
  }

  async #slept(ms: number, signal: AbortSignal): Promise<void> {
    await this.#parts.clock.sleep(ms, { signal }).catch(() => undefined);
  }

  #note(event: EngineEvent): void {
    switch (event.type) {
      case 'job': {
        const { id, state, batchId, projectId } = event.job;
        this.#run.set(batchId, projectId);
        const progress = progressOf(event.job);
        if (progress !== null || state === 'submitting') this.#worked = true;
        // A take that is sent again and again makes no progress.
        if (state === 'ready' || state === 'submitting' || state === 'needs_assets') break;
        if (progress === null || this.#progress.get(id) !== progress) this.#moved = true;
        if (progress === null) this.#progress.delete(id);
        else this.#progress.set(id, progress);
        break;
      }
      case 'many':
      case 'library':
        this.#moved = true;
        break;
      case 'queue':
        break;
      default:
        return;
    }
    this.#wake.abort();
  }

  async #read(isLast: boolean): Promise<void> {
    const { engine, clock, logger, hear, ended, read } = this.#parts;
    const { worked, moved } = { worked: this.#worked, moved: this.#moved };
    [this.#worked, this.#moved] = [false, false];
    try {
      const found = await this.#reading();
      const at = clock.now();
      // Requests that were cut off when the last engine died are news of this one.
      this.#night ??= { ...beforeNight(at), undecided: found.undecided - engine.recovery.unknownSubmits };
      const { night, messages } = messagesOf(this.#night, { ...found, at, worked, moved, isLast });
      this.#night = night;
      engine.nights.beat(found.queue.goesOn && !found.queue.pausedByUser);
      const projects = [...new Set(this.#run.values())];
      if (night.work === null) this.#run.clear();
      for (const message of messages) hear(message);
      if (messages.some(({ event }) => event === 'finished')) ended(projects);
      read(found.queue.goesOn && !found.queue.pausedByUser);
      // An end counts once nothing has started again.
      if (night.work?.quietSince != null || night.work?.newsSince != null) this.#wake.abort();
    } catch (error) {
      logger.warn('The engine was not read for messages', { reason: messageOf(error) });
    }
  }

  async #reading(): Promise<Omit<NightReading, 'at' | 'worked' | 'moved' | 'isLast'>> {
    const { engine } = this.#parts;
    const [queue, projects] = await Promise.all([engine.views.queue(), engine.views.projects()]);
    const known = new Set(projects.map(({ id }) => id));
    const worked = [...new Set(this.#run.values())].filter((projectId) => known.has(projectId));
    const batches = worked.flatMap((id) => engine.views.batches(id)).filter(({ id }) => this.#run.has(id));
    const undecided = projects.reduce((sum, { counts }) => sum + counts.unknown, 0);
    return {
      queue: {
        goesOn: queue.goesOn,
        awaitsWindow: queue.awaitsWindow,
        pausedByUser: queue.pausedByUser,
        gates: queue.status.gates,
        capsNear: queue.status.capsNear,
      },
      run: sumOf(batches.map(({ counts }) => counts)),
      batches: namesOf(batches.map(({ name }) => name)),
      unfinished: queue.counts.unfinished,
      undecided,
      shots: undecided === 0 ? [] : this.#undecidedShots(),
    };
  }

  #undecidedShots(): readonly string[] {
    return namesOf(this.#parts.engine.jobs.list({ standing: 'unknown', limit: MOST_NAMES }).map(({ shot }) => shot));
  }
}

const namesOf = (names: readonly string[]): readonly string[] => [...new Set(names)].slice(0, MOST_NAMES);
