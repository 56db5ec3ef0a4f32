import * as z from 'zod';
import { PowerState } from './desktop.ts';
import { Counts, JobView, TimeSpan } from './job.ts';
import { CapNear, CapReached } from './ledger.ts';
import { Text } from './messages/message.ts';
import { WindowState } from './night-window.ts';
import type { NightHalt } from './night-messages.ts';
import type { NextStep } from './night-report.ts';
import { GivenVerdict } from './verdict.ts';

interface WaitReason {
  /** What a person does about it, by the report of a night. */
  readonly step?: NextStep;
  /** The message to a person who is away. Where there is none, `stopped` is sent for what waits for a person. */
  readonly event?: NightHalt;
  /** A night should not have it, and it ends by itself; `soon`: nobody can say when. */
  readonly trouble?: 'soon' | 'later';
  /** A person may end it by resuming the queue. */
  readonly isResumable?: true;
  /** It is about the service, which the sample project does not use. */
  readonly isOfService?: true;
  /** It only slows down what was queued just now. */
  readonly isSlow?: true;
}

/** Why requests are held back, what matters most first. */
const waitReasons = {
  /** The database failed: nothing may be sent. */
  database: {},
  paused_by_user: { isResumable: true },
  key_missing: { step: 'set_key', event: 'key_rejected', isOfService: true },
  /** The service rejected the key: everything waits until it is changed. */
  key_refused: { step: 'set_key', event: 'key_rejected', isOfService: true },
  /** The account has no credit left: nothing more is sent until a person resumes. What was sent is still fetched. */
  no_credit: { step: 'add_credit', isResumable: true, isOfService: true },
  unreachable: { trouble: 'soon', isOfService: true },
  /** Submits kept getting unclear answers: paused until the service answers a harmless question. */
  breaker: { trouble: 'soon', isOfService: true },
  /** The database is locked or its disk is full: it is retried. */
  database_rest: { trouble: 'soon' },
  /** An engine of another data folder works in a project: its takes wait, the others continue. */
  project_in_use: { trouble: 'later' },
  /** The studio says that nothing of its takes may be sent: it is away, or a budget of it is used up. */
  studio: { trouble: 'later' },
  disk_low: { step: 'free_disk', event: 'disk_low' },
  /** A batch, a project or the night has cost as much as it may: its takes wait until the cap is raised. */
  cap_reached: { step: 'raise_cap', event: 'cap_reached' },
  /** The service answered 429. */
  throttled: { trouble: 'later', isSlow: true },
  /** Takes wait for the night window of their project or batch. What was sent is still fetched. */
  window_closed: { isSlow: true },
  /** The takes of a model fail one after the other: one at a time tries whether it works again, the others wait. */
  model_failing: { event: 'model_failing', trouble: 'later', isResumable: true, isSlow: true },
} as const satisfies Readonly<Record<string, WaitReason>>;
type Reason = keyof typeof waitReasons;
const reasons = Object.keys(waitReasons) as [Reason, ...Reason[]];

/** Reasons with what is said of them, in their order. */
export const reasonFacts: ReadonlyMap<string, WaitReason> = new Map(Object.entries(waitReasons));

/** Something that holds requests back for a while, with its reason: shown, so that waiting is never a mystery. */
export const Gate = z.object({
  reason: z.enum(reasons),
  message: Text,
  /** When it is checked again, ms; null when a person must act. */
  until: z.number().nullable(),
  /** The window that is closed. */
  window: WindowState.optional(),
  /** The one project it holds back; absent where it is not about one. */
  projectId: z.string().optional(),
  /** The model whose takes wait, where it is about one. */
  model: z.string().optional(),
  cap: CapReached.optional(),
});
export type Gate = z.infer<typeof Gate>;

/** A wait longer than this is worth a person's look: resuming the queue ends it. */
export const LONG_WAIT_MS = 5 * 60_000;
export const isLongWait = (ms: number): boolean => ms > LONG_WAIT_MS;

export const QueueStatus = z.object({
  underWay: z.object({ prepare: z.int(), submit: z.int(), poll: z.int(), download: z.int() }),
  gates: z.array(Gate),
  /** When all unfinished work will be done, ms; absent while we cannot say. */
  expectedEnd: TimeSpan.optional(),
  /** Caps that are mostly used, where something was sent since; absent where there is none. */
  capsNear: z.array(CapNear).optional(),
});
export type QueueStatus = z.infer<typeof QueueStatus>;

export const EngineEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('job'), job: JobView }),
  /** So many jobs changed at once that reading everything again is cheaper than an event for each. */
  z.object({ type: z.literal('many') }),
  z.object({ type: z.literal('queue'), status: QueueStatus }),
  z.object({ type: z.literal('verdicts'), verdicts: z.array(GivenVerdict) }),
  z.object({ type: z.literal('project'), projectId: z.string() }),
  z.object({ type: z.literal('batches'), projectId: z.string() }),
  /** A list that is edited was made, edited, checked, started or thrown away. */
  z.object({ type: z.literal('draft'), projectId: z.string(), draftId: z.string() }),
  z.object({ type: z.literal('library') }),
  z.object({ type: z.literal('settings') }),
]);
export type EngineEvent = z.infer<typeof EngineEvent>;

/** Whether some takes are over, or what they wait for; see `runState`. */
export const RunState = z.discriminatedUnion('is', [
  /** Something continues without a person, perhaps after a wait. */
  z.object({ is: z.literal('going') }),
  z.object({ is: z.literal('awaiting_window'), gate: Gate }),
  z.object({ is: z.literal('paused') }),
  z.object({ is: z.literal('halted'), gate: Gate }),
  /** Nothing continues: the takes have ended, or each waits for a person. Also where the queue does not run. */
  z.object({ is: z.literal('over') }),
]);
export type RunState = z.infer<typeof RunState>;

export const QueueView = z.object({
  status: QueueStatus,
  running: z.boolean(),
  pausedByUser: z.boolean(),
  run: RunState,
  /** Takes on hold start by themselves tonight. */
  waitsForTonight: z.boolean(),
  counts: Counts,
  /** Requests a second allowed now, by class, and the settings' limit. */
  rates: z.array(
    z.object({ requests: z.enum(['submit', 'poll', 'download', 'upload']), now: z.number(), limit: z.number() }),
  ),
  /** How long the service usually takes for a take of each model that is known, ms from acceptance to success. */
  taskTimes: z.array(z.object({ model: z.string(), ms: z.number() })),
  ...PowerState.shape,
  freeBytes: z.number().nullable(),
});
export type QueueView = z.infer<typeof QueueView>;

type PendingWork = Pick<QueueView, 'run' | 'waitsForTonight' | 'pausedByUser'>;

export const continuesByItself = ({ run, waitsForTonight, pausedByUser }: PendingWork): boolean =>
  !pausedByUser && (waitsForTonight || run.is === 'going' || run.is === 'awaiting_window');

/** One coalesced message to a listener: at most a few a second, however much happens. */
export const Changes = z.object({
  /** Everything may have changed: read it again. Sent first, and after a gap. */
  resync: z.boolean(),
  /** Jobs that changed since the last message, as they are now. Empty on a resync, or when there were too many. */
  jobs: z.array(JobView),
  queue: QueueStatus.nullable(),
  /** Verdicts given since the last message, each take once, as they are now. Empty on a resync. */
  verdicts: z.array(GivenVerdict),
  /** Projects that changed, themselves or their takes or batches. Verdicts and drafts do not count. */
  projects: z.array(z.string()),
  batches: z.array(z.string()),
  drafts: z.array(z.object({ projectId: z.string(), draftId: z.string() })),
  library: z.boolean(),
  settings: z.boolean(),
});
export type Changes = z.infer<typeof Changes>;
