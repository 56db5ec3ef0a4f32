import * as z from 'zod';
import { TakeOrder } from '../contract/batch.ts';
import { type Attempt, JobState, type JobStateOf, standingFor } from '../contract/job.ts';
import { type Json, listOf } from '../contract/json.ts';
import type { CapChange } from '../contract/ledger.ts';
import { ShotSpec } from '../contract/shot.ts';
import { Output } from '../contract/take.ts';
import { MAX_PATH } from '../contract/units.ts';
import type { Verdict } from '../contract/verdict.ts';
import { withoutEnd } from '../engine/base/trim-end.ts';
import { rulesFor } from '../engine/kinds/index.ts';
import { readMediaReference } from '../engine/kinds/media-reference.ts';
import { MICROS } from '../engine/db/ledger-store.ts';
import type { OutboxEntry } from '../engine/db/studio-store.ts';
import { failureShown, toAttempt, toTask } from '../engine/machine/job-facts.ts';
import { diedWhileSubmitting } from '../engine/machine/failures.ts';
import { newJob } from '../engine/machine/job-machine.ts';
import type { BudgetLimit } from '../contract/studio.ts';
import type { StudioAccount, StudioChange, StudioFact } from './types.ts';

/** All that a machine needs to make a take, or to show one of another machine. */
export const TakeSpec = z.object({
  format: z.literal(1),
  shot: ShotSpec,
  take: z.int().min(1),
  round: z.int().min(0),
  createdAt: z.number(),
  batch: z.object({
    /** Of its takes, relative to the project. */
    folder: z.string().max(MAX_PATH),
    /** Where local paths in cells start, relative to the root of the project; null where no row names any. */
    listFolder: z.string().max(MAX_PATH).nullable(),
    nameTemplate: z.string().max(MAX_PATH),
    order: TakeOrder,
    source: z.string().max(MAX_PATH),
    createdAt: z.number(),
  }),
});
export type TakeSpec = z.infer<typeof TakeSpec>;

/** What a machine says of a take that it works on, or made. */
export const TakeDetail = z.object({
  spec: TakeSpec,
  state: JobState,
  outputs: listOf(Output, 10_000),
});
export type TakeDetail = z.infer<typeof TakeDetail>;

export const namesLocalFiles = ({ kind, params }: ShotSpec): boolean =>
  rulesFor(kind)
    .mediaOf(params)
    .some(({ cell }) => readMediaReference(cell).at === 'local');

/** Each entry of an outbox may be told as two facts: what a window shows, and what the queue has to know. */
const toSequence = (seq: number): number => 2 * seq + 1;
export const toSeq = (sequence: number): number => Math.floor((sequence - 1) / 2);

const NO_CHARGE: ReadonlySet<string> = new Set(['unprepared', 'refused', 'not_accepted']);

/** The facts that an entry means. `detail` is null where the take is not known here any more. */
export function factsFor(entry: OutboxEntry, detail: TakeDetail | null): StudioFact[] {
  const { seq, jobId: takeId, epoch, at, event, facts: state } = entry;
  const attemptId = entry.attemptId ?? '';
  const about = { takeId, epoch, at };
  const shown = detail as Json;
  const note: StudioFact = { ...about, sequence: toSequence(seq) - 1, kind: 'note', detail: shown };
  const last = { ...about, sequence: toSequence(seq) };
  const both = (fact: StudioFact): StudioFact[] => (detail === null ? [fact] : [note, fact]);
  if (event === 'unused' || event === 'not_accepted') return [{ ...last, kind: 'not_sent', attemptId }];
  if (event === 'released') return [{ ...last, kind: 'released' }];
  switch (state.state) {
    case 'accepted':
    case 'polling':
      return both({ ...last, kind: 'accepted', attemptId, taskId: state.task.id });
    case 'downloading':
      // Its answer is the result: it has no task, and only this machine can save it.
      return state.task || event !== 'answered'
        ? [{ ...last, kind: 'note', detail: shown }]
        : both({ ...last, kind: 'accepted', attemptId, taskId: '' });
    case 'submit_unknown':
      return both({ ...last, kind: 'unclear', attemptId });
    case 'saved':
      return [{ ...last, kind: 'saved', attemptId, priceMicros: null, detail: shown }];
    case 'cancelled':
      return both({ ...last, kind: 'cancelled' });
    case 'rejected':
    case 'remote_failed':
    case 'remote_cancelled':
    case 'result_lost': {
      const isCharged = !NO_CHARGE.has(event) && failureShown(state)?.cost !== 'nothing';
      return [{ ...last, kind: 'failed', attemptId: entry.attemptId, isCharged, detail: shown }];
    }
    default:
      return [{ ...last, kind: 'note', detail: shown }];
  }
}

/** Of any machine's take, whatever its state. */
export const judgedFact = ({ seq, jobId: takeId, epoch, at }: OutboxEntry, verdict: Verdict): StudioFact => ({
  ...{ takeId, epoch, at, sequence: toSequence(seq), kind: 'judged', verdict: verdict as Json },
});

/** The state of a take that another machine has, as far as it is known. */
export function stateElsewhere(
  change: Pick<StudioChange, 'state' | 'takeId'>,
  detail: TakeDetail | null,
  now: number,
): JobState {
  const told = detail?.state;
  const unfinished = told && standingFor(told.state, null) === 'unfinished';
  switch (change.state) {
    case 'waiting':
    case 'held':
    case 'granted':
      return newJob;
    case 'sent':
      if (unfinished && toAttempt(told)) return told;
      return {
        ...{
          state: 'accepted',
          attempt: unknownAttempt(change.takeId, now),
          task: { id: change.takeId, acceptedAt: now },
        },
        ...{ nextPollAt: now, deadlineAt: now },
      };
    case 'unclear': {
      if (told?.state === 'submit_unknown') return withoutKept(told);
      const attempt = (told && toAttempt(told)) ?? unknownAttempt(change.takeId, now);
      return { state: 'submit_unknown', attempt, failure: diedWhileSubmitting(now) };
    }
    case 'cancelled':
      return {
        ...{ state: 'cancelled', at: now },
        ...{ attempt: told ? toAttempt(told) : null, task: told ? toTask(told) : null },
      };
    case 'done':
      if (told && !unfinished) return told;
      return { state: 'saved', attempt: null, task: null, savedAt: now };
  }
}

/** A kept answer, and a list that is still asked, are on the machine that sent the request. */
function withoutKept({ state, attempt, failure }: JobStateOf<'submit_unknown'>): JobState {
  return { state, attempt, failure };
}

const unknownAttempt = (takeId: string, now: number): Attempt => ({
  ...{ id: takeId, number: 1, bodyHash: '', origin: '', keyFingerprint: '', intendedAt: now },
});

/** Of a list, which may have any number; the studio has 31 bits. */
export const toPriority = ({ priority }: ShotSpec): number =>
  Math.max(-MAX_PRIORITY, Math.min(MAX_PRIORITY, Math.round(priority)));
const MAX_PRIORITY = 2 ** 31 - 1;

/** What a person allows, as the studio counts it. */
export const toLimit = ({ takes, money }: CapChange): BudgetLimit => ({
  takes: takes ?? null,
  micros: money == null ? null : Math.round(money * MICROS),
});

/** An account, as every machine of the studio knows it: those with its key have the same fingerprint of it. */
export const toStudioAccount = ({
  origin,
  keyFingerprint,
}: {
  readonly origin: string;
  readonly keyFingerprint: string;
}): StudioAccount => ({ name: keyFingerprint, address: origin });

/** A folder relative to a root, with forward slashes; null when it is not below it. */
export function belowRoot(root: string | undefined, folder: string): string | null {
  if (root === undefined) return null;
  const [from, to] = [slashed(root), slashed(folder)];
  return to.startsWith(`${from}/`) ? to.slice(from.length + 1) : null;
}

const slashed = (path: string): string => withoutEnd(path.replaceAll('\\', '/'), /\//);
