import { setTimeout as wait } from 'node:timers/promises';
import { createHash, randomBytes } from 'node:crypto';
import type { MediaKind } from './models.ts';

export interface DemoClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects when the signal aborts first. */
  sleep(ms: number, options?: { signal?: AbortSignal }): Promise<void>;
}

export const realClock: DemoClock = {
  now: () => Date.now(),
  sleep: async (ms, options) => {
    await wait(ms, undefined, options);
  },
};

export const newId = (kind: string): string => `${kind}_${randomBytes(12).toString('hex')}`;

/** The order of a task, reduced to the fields that its media depend on. */
export interface MediaRequest {
  prompt: string;
  title: string | null;
  style: string | null;
  /** Whole seconds; 0 for what has no length. */
  seconds: number;
  /** Pixels; 0 for what cannot be seen. */
  width: number;
  height: number;
  outputs: number;
  format?: string;
  round?: number;
}

export function mediaRequest(facts: Pick<MediaRequest, 'prompt'> & Partial<MediaRequest>): MediaRequest {
  return { title: null, style: null, seconds: 0, width: 0, height: 0, outputs: 1, ...facts };
}

export interface JobOrder {
  action: 'imagine' | 'blend' | 'describe' | 'action';
  state?: string;
  /** Of an action: the button, and the task that it belongs to. */
  customId?: string;
  from?: string;
}

export interface TaskRecord {
  id: string;
  kind: MediaKind;
  /** The resource the task can be asked at (reference: Videos, Images, Generic tasks, Job-style family). */
  resource: 'videos' | 'images' | 'tasks' | 'jobs';
  model: string;
  wanted: MediaRequest;
  references: { alias: string | null; role: string; type: string }[];
  /** Milliseconds since the epoch. */
  createdAt: number;
  takesMs: number;
  end: 'succeeded' | 'failed' | 'cancelled' | 'canceled' | 'never';
  error: { message: string; type: string; code: string } | null;
  traceId: string;
  /** Ids of the records that a music task is shown as (reference: Music task response); the task itself is the first. */
  records?: string[];
  job?: JobOrder;
}

/** Milliseconds a task takes, by kind; each task differs by up to `jitter` (a share) to either side. */
export interface Speed extends Record<`${MediaKind}Ms`, number> {
  /** Milliseconds from the upload of an asset until it is ready. */
  assetMs: number;
  jitter: number;
}

export type NewTask = Pick<TaskRecord, 'kind' | 'resource' | 'model' | 'wanted' | 'references'> &
  Partial<Pick<TaskRecord, 'id' | 'end' | 'error' | 'takesMs' | 'job'>>;

export class TaskStore extends Map<string, TaskRecord> {
  readonly #clock: DemoClock;
  readonly #speed: Speed;
  readonly #persist: (task: TaskRecord) => void;

  constructor(clock: DemoClock, speed: Speed, persist: (task: TaskRecord) => void) {
    super();
    this.#clock = clock;
    this.#speed = speed;
    this.#persist = persist;
  }

  create(facts: NewTask): TaskRecord {
    const task: TaskRecord = {
      id: newId('task'),
      createdAt: this.#clock.now(),
      takesMs: usualTime(facts, this.#speed),
      end: 'succeeded',
      error: null,
      traceId: newId('trace'),
      ...facts,
    };
    this.#persist(task);
    this.set(task.id, task);
    return task;
  }

  list(): TaskRecord[] {
    return [...this.values()];
  }

  running(model: string): number {
    const now = this.#clock.now();
    return this.list().filter((task) => task.model === model && now < task.createdAt + task.takesMs).length;
  }

  statusOf(task: TaskRecord): string {
    const share = (this.#clock.now() - task.createdAt) / Math.max(task.takesMs, 1);
    if (share < 0.1) return 'pending';
    if (share < 0.25) return 'submitted';
    if (share < 1 || task.end === 'never') return 'running';
    return task.end;
  }
}

/** The same request takes the same time in every run, whatever its task id. */
function usualTime(facts: NewTask, speed: Speed): number {
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([facts.model, facts.wanted]))
    .digest();
  const spread = fingerprint.readUInt32BE(0) / 0xffffffff; // 0..1
  return Math.round(speed[`${facts.kind}Ms`] * (1 + speed.jitter * (2 * spread - 1)));
}
