import type { EngineEvent } from '../contract/events.ts';
import { isUnsent, type JobView } from '../contract/job.ts';
import { parsedJson } from '../contract/json.ts';
import type { ListToRun, RunProgressEvent, RunScope, StartedRun } from '../contract/run.ts';
import { ShotSpec } from '../contract/shot.ts';
import { refused } from '../engine/base/errors.ts';
import { createYielder } from '../engine/base/slices.ts';
import { joinedDesk } from '../engine/jobs/studio-ports.ts';
import { realPath, wholePath } from '../engine/files/existing-paths.ts';
import type { EventBuffer } from './change-feed.ts';
import type { Services } from './services.ts';

export async function startRun(
  { engine, caller }: Pick<Services, 'engine' | 'caller'>,
  { project: folder, account, listFolder: named, texts, agreed = [], list: written, ...list }: ListToRun,
  signal?: AbortSignal,
): Promise<StartedRun> {
  const listFolder = wholePath(named);
  const shots = await shotsIn(list.shots);
  const desk = list.studio === true ? joinedDesk(engine.studio.desk) : null;
  await desk?.begin(wholePath(folder), account);
  const project = await engine.projects.open(wholePath(folder), caller, { account });
  const { batch, plan, newTakes, waiting } = await engine.batches.start({
    ...{ ...list, project, listFolder, shots, signal, by: caller },
    list: written && { ...written, mapping: {}, defaults: {} },
    texts: new Map(Object.entries(texts)),
    agreed: [await realPath(listFolder), ...agreed],
  });
  const queued = await desk?.handOver(batch.id, list.cap);
  const { id, name, path, adoptedTakes, limits, problems } = project;
  return {
    project: { id, name, path, adoptedTakes, limits: [...limits], problems: [...problems] },
    batch: { id: batch.id, name: batch.name, folder: batch.folder },
    added: plan.added.length,
    changed: plan.changed.length,
    unchanged: plan.unchanged.length,
    removed: plan.removed.length,
    newTakes,
    waiting,
    ...(queued !== undefined && { queued }),
  };
}

export const textOfShots = (shots: readonly ShotSpec[]): string => shots.map((shot) => JSON.stringify(shot)).join('\n');

/** Throws RefusedError, before anything is stored, for what no command has checked. */
async function shotsIn(text: string): Promise<ShotSpec[]> {
  const shots = new Map<string, ShotSpec>();
  const giveWay = createYielder();
  const lines = text.split('\n');
  for (const line of lines) {
    const { data: shot } = ShotSpec.safeParse(parsedJson(line));
    if (shot) shots.set(shot.key, shot);
    const turn = giveWay();
    if (turn) await turn;
  }
  if (shots.size === lines.length) return [...shots.values()];
  throw refused('list_has_errors', 'failure.listNotStarted');
}

const TAKES_AT_ONCE = 500;

interface FollowedRun {
  readonly scope: RunScope;
  readonly started?: StartedRun;
  /** Has listened since before that, so that nothing is missed. */
  readonly heard: EventBuffer;
}

/** The course of a run for one listener: see `RunProgressEvent`. A listener that leaves changes nothing about it. */
export async function* followRun(
  { engine }: Services,
  { scope, started, heard }: FollowedRun,
): AsyncGenerator<RunProgressEvent, void, void> {
  try {
    if (started) yield { type: 'started', ...started };
    const takes = engine.stores.queries.list({ ...scope, current: true });
    const told = new ToldTakes(takes);
    const stateNow = engine.queue.follow(scope, new Set(takes.map(({ id }) => id)));
    for (let start = 0; start === 0 || start < takes.length; start += TAKES_AT_ONCE) {
      const some = takes.slice(start, start + TAKES_AT_ONCE);
      yield { type: 'takes', takes: some, last: start + TAKES_AT_ONCE >= takes.length };
    }
    yield { type: 'events', events: [{ type: 'queue', status: engine.queue.status() }] };
    const changed = (): EngineEvent[] =>
      told.changed(engine.stores.queries.list(scope)).map((job) => ({ type: 'job', job }));
    for (;;) {
      // Events from before the takes were listed may be older than the list; the last one is the newest.
      const events = heard.take().flatMap((event): EngineEvent[] => {
        if (event.type === 'queue') return [event];
        if (event.type === 'job') return told.isOf(event.job) && !isMade(event.job) ? [event] : [];
        // Too many changed to send them one by one.
        return changed();
      });
      const state = stateNow();
      const isOver = state.is !== 'going' && state.is !== 'paused';
      // No event says that a take no longer waits for one of another shot.
      if (isOver) events.push(...changed());
      if (events.length > 0) yield { type: 'events', events };
      if (isOver) {
        await engine.batches.written();
        yield { type: 'ended', end: state };
        return;
      }
      await heard.untilSomething();
      if (heard.ended.aborted) return;
    }
  } finally {
    heard.end();
  }
}

/** The takes themselves say that they were made. */
const isMade = (job: JobView): boolean => isUnsent(job) && job.paused === null && job.updatedAt === job.createdAt;

export class ToldTakes {
  readonly #told: Map<string, JobView>;

  constructor(takes: readonly JobView[]) {
    this.#told = new Map(takes.map((take) => [take.id, take]));
  }

  /** Whether a job is one of them; from now on it was told as it is here. */
  isOf(job: JobView): boolean {
    if (!this.#told.has(job.id)) return false;
    this.#told.set(job.id, job);
    return true;
  }

  changed(jobs: readonly JobView[]): JobView[] {
    return jobs.filter((job) => {
      const told = this.#told.get(job.id);
      const isNews = told?.updatedAt !== job.updatedAt || told.state !== job.state || told.paused !== job.paused;
      return this.isOf(job) && isNews;
    });
  }
}
