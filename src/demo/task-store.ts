import type { DemoClock } from './clock.ts';
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { MEDIA_KINDS, type MediaKind } from './models.ts';

export const newId = (kind: string): string => `${kind}_${randomBytes(12).toString('hex')}`;

const TASK_ENDS = ['succeeded', 'failed', 'cancelled', 'canceled', 'never'] as const;

/** The order of a task, reduced to the fields that its media depend on. */
const mediaRequestRecord = z.object({
  prompt: z.string(),
  title: z.string().nullable(),
  style: z.string().nullable(),
  /** Whole seconds; 0 for what has no length. */
  seconds: z.number(),
  /** Pixels; 0 for what cannot be seen. */
  width: z.number(),
  height: z.number(),
  outputs: z.number(),
  format: z.string().optional(),
  /** How often the same text was asked for before. */
  round: z.number().optional(),
});
export type MediaRequest = z.infer<typeof mediaRequestRecord>;

export function mediaRequest(facts: Pick<MediaRequest, 'prompt'> & Partial<MediaRequest>): MediaRequest {
  return { title: null, style: null, seconds: 0, width: 0, height: 0, outputs: 1, ...facts };
}

const inputReference = z.object({ alias: z.string().nullable(), role: z.string(), type: z.string() });

/** How a job-style task was ordered (reference: Job-style family). */
const jobOrder = z.object({
  action: z.enum(['imagine', 'blend', 'describe', 'action']),
  /** A text of the client's own, which is given back. */
  state: z.string().optional(),
  /** Of an action: the button, and the task that it belongs to. */
  customId: z.string().optional(),
  from: z.string().optional(),
});
export type JobOrder = z.infer<typeof jobOrder>;

export const taskRecord = z.object({
  id: z.string(),
  kind: z.enum(MEDIA_KINDS),
  /** The resource the task can be asked at (reference: Videos, Images, Generic tasks, Job-style family). */
  resource: z.enum(['videos', 'images', 'tasks', 'jobs']),
  model: z.string(),
  wanted: mediaRequestRecord,
  references: z.array(inputReference),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  /** Milliseconds from creation to the final status. */
  takesMs: z.number(),
  end: z.enum(TASK_ENDS),
  error: z.object({ message: z.string(), type: z.string(), code: z.string() }).nullable(),
  traceId: z.string(),
  /** Ids of the records that a music task is shown as (reference: Music task response); the task itself is the first. */
  records: z.array(z.string()).optional(),
  job: jobOrder.optional(),
});
export type TaskRecord = z.infer<typeof taskRecord>;

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
  return Math.round(speed[`${facts.kind}Ms`] * (1 + speed.jitter * (2 * spread - 1)));
}
