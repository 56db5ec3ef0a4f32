import type { DemoClock } from './clock.ts';
import { createHash, randomBytes } from 'node:crypto';
import type { ResultPlace } from './fault-rules.ts';
import type { MediaKind } from './models.ts';

export type TaskEnd = 'succeeded' | 'failed' | 'cancelled' | 'canceled' | 'never';

export interface InputReference {
  alias: string | null;
  role: string;
  type: string;
}

/** What a task is asked to make, reduced to what its media depend on. */
export interface MediaRequest {
  prompt: string;
  title: string | null;
  style: string | null;
  /** Whole seconds; 0 for images. */
  seconds: number;
  /** Pixels; 0 for music. */
  width: number;
  height: number;
  /** Number of outputs. */
  outputs: number;
  audio: boolean;
}

export interface TaskRecord {
  id: string;
  kind: MediaKind;
  /** The resource the task can be asked at (reference: Videos, Images, Generic tasks). */
  resource: 'videos' | 'images' | 'tasks';
  model: string;
  wanted: MediaRequest;
  references: InputReference[];
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Milliseconds from creation to the final status. */
  takesMs: number;
  end: TaskEnd;
  error: { message: string; type: string; code: string } | null;
  resultPlace: ResultPlace;
  traceId: string;
  /** Ids of the records that a music task is shown as (reference: Music task response); the task itself is the first. */
  records?: string[] | undefined;
}

/** Milliseconds a task takes, by kind; each task differs by up to `jitter` (a share) to either side. */
export interface Speed {
  videoMs: number;
  imageMs: number;
  musicMs: number;
  /** Milliseconds from the upload of an asset until it is ready. */
  assetMs: number;
  jitter: number;
}

export type NewTask = Pick<TaskRecord, 'kind' | 'resource' | 'model' | 'wanted' | 'references' | 'resultPlace'> &
  Partial<Pick<TaskRecord, 'id' | 'end' | 'error' | 'takesMs'>>;

/** All tasks of the service. Progress is never stored: it follows from the clock. */
export class TaskStore {
  readonly #clock: DemoClock;
  readonly #speed: Speed;
  readonly #persist: (task: TaskRecord) => void;
  readonly #tasks = new Map<string, TaskRecord>();

  constructor(clock: DemoClock, speed: Speed, persist: (task: TaskRecord) => void) {
    this.#clock = clock;
    this.#speed = speed;
    this.#persist = persist;
  }

  create(facts: NewTask): TaskRecord {
    const task: TaskRecord = {
      id: `task_${randomBytes(12).toString('hex')}`,
      createdAt: this.#clock.now(),
      takesMs: usualTime(facts, this.#speed),
      end: 'succeeded',
      error: null,
      traceId: `trace_${randomBytes(12).toString('hex')}`,
      ...facts,
    };
    this.#persist(task);
    this.#tasks.set(task.id, task);
    return task;
  }

  /** Takes back a task that an earlier run of the service had accepted. */
  restore(task: TaskRecord): void {
    this.#tasks.set(task.id, task);
  }

  get(id: string): TaskRecord | undefined {
    return this.#tasks.get(id);
  }

  list(): TaskRecord[] {
    return [...this.#tasks.values()];
  }

  /** How many tasks of a model are not done yet. */
  running(model: string): number {
    const now = this.#clock.now();
    return this.list().filter((task) => task.model === model && now < task.createdAt + task.takesMs).length;
  }

  /** When the last task was created, ms; -Infinity before the first. */
  get lastCreatedAt(): number {
    return this.list().at(-1)?.createdAt ?? Number.NEGATIVE_INFINITY;
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** The status the reference names for this moment. */
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
  const base = { video: speed.videoMs, image: speed.imageMs, music: speed.musicMs }[facts.kind];
  return Math.round(base * (1 + speed.jitter * (2 * spread - 1)));
}
