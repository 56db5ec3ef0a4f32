import * as z from 'zod';
import { CapState, LedgerTotals } from './ledger.ts';
import { Counts } from './job.ts';
import { Text } from './messages/message.ts';

export const WaitSpan = z.object({
  /**
   * The reason of a gate, or one of these: `service_full`, where the service runs as many tasks of a model as it does at
   * once and no time is lost; `slept`, the machine; `off`, where Dailies did not run; `clock_changed`.
   */
  cause: z.string(),
  from: z.number(),
  until: z.number(),
  /** Most takes that were not over at that time. */
  waiting: z.int(),
  message: Text.nullable(),
  /** Still so when it was last looked at. */
  isOpen: z.boolean(),
  /** Of a change of the clock: by how much, ms; below 0 when it was set back. */
  clockBy: z.number().nullable(),
});
export type WaitSpan = z.infer<typeof WaitSpan>;

/** All spans of one cause: `ms` counts each moment once. */
export const Wait = z.object({ cause: z.string(), ms: z.number(), times: z.int(), waiting: z.int() });
export type Wait = z.infer<typeof Wait>;

export const FailureGroup = z.object({
  code: z.string(),
  message: Text,
  remedy: Text,
  takes: z.int(),
  /** How many of them were charged, and how many may have been. */
  charged: z.int(),
  maybe: z.int(),
  shots: z.array(z.string()),
});
export type FailureGroup = z.infer<typeof FailureGroup>;

/** The person's next step in the morning, the most urgent first. */
export const NextStep = z.enum([
  'set_key',
  'add_credit',
  'free_disk',
  'raise_cap',
  'decide',
  'fix_failed',
  'resume',
  'stay_awake',
  'set_clock',
  'review',
]);
export type NextStep = z.infer<typeof NextStep>;

export const FirstTake = z.object({
  takeId: z.string(),
  project: z.string(),
  batch: z.string(),
  shot: z.string(),
  take: z.int(),
  kind: z.string(),
});
export type FirstTake = z.infer<typeof FirstTake>;

/** The result of a night. Counts are those at its end, or now while it runs. Times are ms. */
export const NightReport = z.object({
  since: z.number(),
  until: z.number(),
  /** Null for all projects. */
  /** `account`: who pays for it; null where there is only one. */
  project: z.object({ id: z.string(), name: z.string(), account: z.string().nullable() }).nullable(),
  takes: Counts,
  /** Takes that need a decision from before that time; not among `takes`. */
  earlierDecisions: z.int(),
  batches: z.array(z.object({ id: z.string(), name: z.string(), project: z.string(), takes: Counts })),
  failures: z.array(FailureGroup),
  decisions: z.array(z.string()),
  /** Billable requests that were sent, and those of them that sent a take once more. */
  requests: z.object({ sent: z.int(), again: z.int() }),
  spend: z.object({
    currency: z.string(),
    totals: LedgerTotals,
    /** What the takes cost when each is sent once; null without prices. */
    estimate: z.object({ price: z.number().nullable(), unpriced: z.int() }),
    caps: z.array(CapState.extend({ name: z.string() })),
  }),
  waits: z.array(Wait),
  /** Sleep, a Dailies that did not run, no connection, another clock. Empty: awake and connected the whole time. */
  awake: z.array(WaitSpan),
  /** From the first thing that happened to the last, in buckets of equal length. */
  timeline: z
    .object({
      from: z.number(),
      until: z.number(),
      saved: z.array(z.int()),
      sent: z.array(z.int()),
      spans: z.array(z.object({ cause: z.string(), from: z.number(), until: z.number() })),
    })
    .nullable(),
  /** First takes of some shots that were saved, in the order of the list. */
  firstTakes: z.array(FirstTake),
  next: z.array(z.object({ step: NextStep, takes: z.int() })),
});
export type NightReport = z.infer<typeof NightReport>;

/** A night of a project that is over, or needs a person while it goes on, with a report that no one has opened yet. */
export const NewReport = z.object({
  projectId: z.string(),
  project: z.string(),
  /** Its work is over: the queue has finished, or waits for its window. */
  isOver: z.boolean(),
  /** When its night began, ms. */
  night: z.number(),
  report: NightReport,
});
export type NewReport = z.infer<typeof NewReport>;
