import * as z from 'zod';
import { Failure } from './failure.ts';
import { Medium } from './formats.ts';
import { Remark, Stale, TakeLink } from './take.ts';
import { TrashState } from './trash.ts';
import { Flag } from './verdict.ts';

/**
 * One billable POST that we meant to make. Written down, and on disk, before the first byte leaves; the request
 * itself lies in the attempts journal under the same id.
 */
export const Attempt = z.object({
  id: z.string(),
  /** 1 for the first POST of this job. */
  number: z.int().min(1),
  /** sha256 of the request (path, body, names and hashes of files), hex. */
  bodyHash: z.string(),
  origin: z.string(),
  /** Names the key without revealing it. */
  keyFingerprint: z.string(),
  intendedAt: z.number(),
});
export type Attempt = z.infer<typeof Attempt>;

/** The service's unit of work for us. */
export const TaskRef = z.object({
  id: z.string(),
  /** Further tasks that the same submit was answered with: the take is done when all of them are. */
  otherIds: z.array(z.string()).optional(),
  requestId: z.string().optional(),
  traceId: z.string().optional(),
  acceptedAt: z.number(),
  /** A person named it; it may be a slip of the pen until the service has answered for it. */
  attached: z.boolean().optional(),
  /** References that the service says it did not bind to the task, named for people. */
  unbound: z.array(z.string()).optional(),
  /** The model that made it, as the service says, where that is another than was asked for. */
  modelUsed: z.string().optional(),
});
export type TaskRef = z.infer<typeof TaskRef>;

export const ResultLocation = z.discriminatedUnion('at', [
  /** The complete URL including its signed query. Expires, so it is asked for again by polling, never by a POST. */
  z.object({ at: z.literal('url'), url: z.string() }),
  /** A synchronous answer carried the bytes themselves; they were saved to this file below `.dailies/`. */
  z.object({
    at: z.literal('file'),
    path: z.string(),
    /** A text that reached the limit of the request. */
    isCut: z.literal(true).optional(),
  }),
  /** A person took the whole kept answer, as it came, for the result. */
  z.object({ at: z.literal('answer') }),
]);
export type ResultLocation = z.infer<typeof ResultLocation>;

/** An answer that came whole or in part, from which no result could be read by itself. */
export const KeptAnswer = z.object({
  /** Where it lies; absolute. */
  file: z.string(),
  /** Addresses in it: one of them may be the result's. */
  addresses: z.array(z.string()),
  /** Addresses of other results of the same take, which could be read. */
  read: z.array(z.string()).optional(),
});
export type KeptAnswer = z.infer<typeof KeptAnswer>;

/** Only its beginning came: it still has the name that answers have while they arrive. */
export const isCutOff = ({ file }: KeptAnswer): boolean => file.endsWith('.arriving');

/** The service may list the task of a submit of unknown fate: the list is read at `at` (ms), after `looks` looks in vain. */
export const LookForTask = z.object({ at: z.number(), looks: z.int() });
export type LookForTask = z.infer<typeof LookForTask>;

const attempted = { attempt: Attempt };
/** `task` is null only for synchronous operations, whose answer is the result. */
const located = { attempt: Attempt, task: TaskRef.nullable(), results: z.array(ResultLocation).min(1) };

/**
 * What the row of a take waits for a person to do: pick a take of the shot `waitsFor`; see to it that this shot has a
 * take to pick, since all it had failed or were rejected; release the take.
 */
export const Wait = z.enum(['pick', 'failed', 'release']);
export type Wait = z.infer<typeof Wait>;

/**
 * The states of a job, each with the facts that make it true. A polling job without a task id, or a submit
 * without its intent, cannot be written.
 */
export const JobState = z.discriminatedUnion('state', [
  /**
   * The request names media that must be in the library, and usable, before it can be sent. We check them (again) at
   * `nextCheckAt`. `since` is when a person last asked for the take. `waitsFor` is the key of another shot of the
   * batch, whose result this take uses. `wait` is what a person has to do first; see `Wait`.
   */
  z.object({
    state: z.literal('needs_assets'),
    since: z.number(),
    nextCheckAt: z.number(),
    waitsFor: z.string().optional(),
    /** The batch of that shot, where it is another one. */
    waitsIn: z.string().optional(),
    /** The cell that names a frame of a film, while nothing here can read one. */
    needsFrame: z.string().optional(),
    wait: Wait.optional(),
  }),
  /** Waiting to be sent, not before `notBefore` (ms) when set. */
  z.object({ state: z.literal('ready'), notBefore: z.number().nullable(), lastFailure: Failure.nullable() }),
  z.object({ state: z.literal('submitting'), ...attempted }),
  z.object({
    state: z.literal('accepted'),
    ...attempted,
    task: TaskRef,
    nextPollAt: z.number(),
    deadlineAt: z.number(),
  }),
  z.object({
    state: z.literal('polling'),
    ...attempted,
    task: TaskRef,
    nextPollAt: z.number(),
    deadlineAt: z.number(),
    polls: z.int(),
    /** Consecutive polls that got no usable answer. */
    pollErrors: z.int(),
    remoteStatus: z.string(),
    /** How far it is, as the service writes it. */
    progress: z.string().optional(),
    lastFailure: Failure.nullable(),
    /**
     * It failed at the service, and a person asked for it again, agreeing to another charge: one free look comes first.
     * Only when the task is still over without a result is it sent again.
     */
    againAfter: Failure.optional(),
    /** How often the result's address was asked for again because it had expired or gave nothing whole. */
    addressRefreshes: z.int(),
    /** The task is done, and no result could be read from its last answer, which this is. */
    kept: KeptAnswer.optional(),
  }),
  /** The service has finished. The files are fetched, checked and published; what of that is done, `outputs` say. */
  z.object({
    state: z.literal('downloading'),
    ...located,
    addressRefreshes: z.int(),
    tries: z.int(),
    retryAt: z.number().nullable(),
    lastFailure: Failure.nullable(),
  }),
  z.object({
    state: z.literal('saved'),
    attempt: Attempt.nullable(),
    task: TaskRef.nullable(),
    savedAt: z.number(),
    isCut: z.literal(true).optional(),
  }),
  /** The POST may or may not have been accepted: a person decides. */
  z.object({
    state: z.literal('submit_unknown'),
    ...attempted,
    failure: Failure,
    kept: KeptAnswer.optional(),
    look: LookForTask.optional(),
  }),
  /** Refused by the service, or by us before anything was sent (`attempt` null). Nothing was charged. */
  z.object({ state: z.literal('rejected'), attempt: Attempt.nullable(), failure: Failure }),
  z.object({ state: z.literal('remote_failed'), ...attempted, task: TaskRef, failure: Failure }),
  z.object({ state: z.literal('remote_cancelled'), ...attempted, task: TaskRef, failure: Failure }),
  /** The result exists but cannot be fetched now; fetching again is free. */
  z.object({ state: z.literal('download_blocked'), ...located, addressRefreshes: z.int(), failure: Failure }),
  /** A person gave it up, or the service no longer has it. */
  z.object({ state: z.literal('result_lost'), attempt: Attempt, task: TaskRef.nullable(), failure: Failure }),
  /**
   * We stopped following it. A task that was already accepted goes on at the service. `results`: those of a paid answer
   * that is kept, which is all that can still be fetched where there is no task.
   */
  z.object({
    state: z.literal('cancelled'),
    attempt: Attempt.nullable(),
    task: TaskRef.nullable(),
    at: z.number(),
    results: z.array(ResultLocation).min(1).optional(),
  }),
]);
export type JobState = z.infer<typeof JobState>;
export type JobStateName = JobState['state'];
export const jobStateNames: readonly JobStateName[] = JobState.options.map(({ shape }) => shape.state.value);
export type JobStateOf<Name extends JobStateName> = Extract<JobState, { state: Name }>;

/** Not a byte of its request has left, nor may have. */
export const isUnsent = ({ state }: { readonly state: string }): boolean =>
  state === 'needs_assets' || state === 'ready';

/** Code of the failure of a take that was not sent, since another data folder had sent the same. */
export const MADE_ELSEWHERE = 'made_elsewhere';

/** Whether retrying it makes what was made or tried before, with a charge of its own: a person has to agree first. */
export const isChargedAgain = ({ state, failure }: Pick<JobView, 'state' | 'failure'>): boolean =>
  state === 'remote_failed' || state === 'remote_cancelled' || failure?.code === MADE_ELSEWHERE;

/** Why a job is on hold. An overlay over the state, never a state of its own. */
export const PauseReason = z.enum([
  'user',
  /** The service refused the key (401). */
  'key_refused',
  /** The job belongs to another address or key than the present one. */
  'other_key',
  /** Not finished by its deadline: a person decides whether to go on waiting. */
  'deadline',
  /** A step failed in a way it should not; the log says how. Tried again at the next start. */
  'internal_error',
  /** A take of the studio that this data folder does not work on; see `StudioStore`. */
  'elsewhere',
]);
export type PauseReason = z.infer<typeof PauseReason>;

export const Standing = z.enum(['saved', 'failed', 'unknown', 'cancelled', 'unfinished']);
export type Standing = z.infer<typeof Standing>;

/** The standing of a job; `deadline` pauses need a decision just as unknown submits do. */
export function standingFor(state: JobStateName, paused: PauseReason | null): Standing {
  switch (state) {
    case 'saved':
    case 'cancelled':
      return state;
    case 'submit_unknown':
      return 'unknown';
    case 'rejected':
    case 'remote_failed':
    case 'remote_cancelled':
    case 'download_blocked':
    case 'result_lost':
      return 'failed';
    case 'needs_assets':
    case 'ready':
    case 'submitting':
    case 'accepted':
    case 'polling':
    case 'downloading':
      return paused === 'deadline' ? 'unknown' : 'unfinished';
  }
}

export const Resolution = z.discriminatedUnion('action', [
  /** The task was found by other means (the service's own pages): follow it. */
  z.object({ action: z.literal('attach'), taskId: z.string().min(1) }),
  /** The answer that was kept is the result: at an address in it or, without one, the answer itself as it came. */
  z.object({ action: z.literal('accept'), url: z.url({ protocol: /^https?$/ }).optional() }),
  z.object({ action: z.literal('lost') }),
  /** Send it again, knowing that it may be charged a second time. */
  z.object({ action: z.literal('resubmit') }),
]);
export type Resolution = z.infer<typeof Resolution>;

/** A frame of a film that a row waits for and the engine cannot read: a window may. `frame` as in a reference. */
export const WantedFrame = z.object({
  ...{ takeId: z.string(), number: z.int(), frame: z.string() },
  /** How many the film shows, where its facts say so. */
  frames: z.int().optional(),
});
export type WantedFrame = z.infer<typeof WantedFrame>;

export const JobView = z.object({
  id: z.string(),
  projectId: z.string(),
  batchId: z.string(),
  project: z.string(),
  batch: z.string(),
  shot: z.string(),
  /** Place of its shot among the rows of the list, from 0 for the row below a header in the first. */
  position: z.int(),
  take: z.int(),
  kind: z.string(),
  /** What its files should be; absent for a kind of another release. */
  medium: Medium.optional(),
  model: z.string(),
  prompt: z.string(),
  priority: z.int(),
  /** Lower goes first, among those of one priority. */
  turn: z.int(),
  state: z.string(),
  standing: Standing,
  paused: PauseReason.nullable(),
  /** It failed, and the list no longer needs it: its row is gone, or was corrected and has a newer take. */
  isSetAside: z.boolean(),
  taskId: z.string().optional(),
  requestId: z.string().optional(),
  traceId: z.string().optional(),
  remoteStatus: z.string().optional(),
  /** The machine of the studio that has it; empty while none has. Absent for a take that is of no studio. */
  worker: z.string().optional(),
  /** How far its task is, as the service writes it: `45%`. */
  progress: z.string().optional(),
  /** Key of the shot that it waits for a take of, with the name of its batch where that is another one. */
  waitsFor: z.string().optional(),
  /** The cell that names a frame of a film, while nothing here can read one. */
  needsFrame: z.string().optional(),
  /** What a person has to do before it goes on; absent where it waits for none. */
  wait: Wait.optional(),
  from: z.array(TakeLink).optional(),
  /** Its sources, if it were sent now, would be others. Derived at each look; usable all the same. */
  stale: Stale.optional(),
  /** When its newest request was written down, right before it was sent, ms; absent before that. */
  sentAt: z.number().optional(),
  /** When the next step is due (ms), where one is. */
  dueAt: z.number().optional(),
  createdAt: z.number(),
  updatedAt: z.number(),
  failure: Failure.optional(),
  /** What came back for a request of unknown fate, or a task without a result that can be read, for its decision. */
  keptAnswer: KeptAnswer.optional(),
  /** It was cancelled, and its paid answer is kept: a retry saves it at no charge. */
  hasAnswer: z.literal(true).optional(),
  notice: Failure.optional(),
  files: z.array(z.string()),
  /** A person's decision about it; absent without one. */
  flag: Flag.optional(),
  trash: TrashState.optional(),
  /** What there is to say of its files; absent when there is nothing. */
  remarks: z.array(Remark).optional(),
});
export type JobView = z.infer<typeof JobView>;

export const Counts = z.object({
  saved: z.int(),
  failed: z.int(),
  unknown: z.int(),
  cancelled: z.int(),
  unfinished: z.int(),
});
export type Counts = z.infer<typeof Counts>;

/** How long something takes, ms, or when it ends, ms: as likely earlier as later than `usual`, eight times in ten within the span. */
export const TimeSpan = z.object({ early: z.number(), usual: z.number(), late: z.number() });
export type TimeSpan = z.infer<typeof TimeSpan>;

export const mapSpan = ({ early, usual, late }: TimeSpan, change: (ms: number) => number): TimeSpan => ({
  early: change(early),
  usual: change(usual),
  late: change(late),
});
