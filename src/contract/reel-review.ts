import * as z from 'zod';
import { parsedJson } from './json.ts';
import { messageFor, Text, type Message } from './messages/message.ts';
import { FrameNote, MAX_FRAME_NOTES } from './frame-notes.ts';
import { bytesForPeople, MAX_KEY, MAX_NAME } from './units.ts';
import { Flag, MAX_NOTE, Verdict, VerdictChange } from './verdict.ts';

/**
 * What a reviewer of a reel saved: a file that comes from a stranger by mail. `readReview` reads it, `planReviewMerge`
 * of the engine says what it would change, and a person chooses where it differs (`chosenChanges`).
 */
export const REVIEW_SUFFIX = '.dailies-review.json';
const VERSION = 1;
/** Characters: far more than 5,000 takes with their notes. */
export const MAX_REVIEW_LENGTH = 20_000_000;
const MAX_REVIEWED = 5000;

const ReviewNote = FrameNote.pick({ id: true, from: true, to: true }).extend({ text: FrameNote.shape.text.min(1) });

/** One output of a take, with what the reviewer changed of it; what is absent was left as it was. */
const ReviewedTake = z.object({
  takeId: z.string().min(1).max(MAX_KEY),
  output: z.int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  rating: Verdict.shape.rating.optional(),
  flag: Flag.nullable().optional(),
  note: z.string().max(MAX_NOTE).optional(),
  notes: z.array(ReviewNote).max(MAX_FRAME_NOTES),
});
export type ReviewedTake = z.infer<typeof ReviewedTake>;

/** It stands in lists and in notes: nothing in it may turn or hide the text around it. */
const Reviewer = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((name) => !/[\p{Cc}\p{Cs}\u2028-\u202E\u2066-\u2069]/u.test(name));

const Header = z.object({ type: z.literal('dailies-review'), version: z.int().min(1) });

export const ReelReview = Header.extend({
  version: z.literal(VERSION),
  reelId: z.string().min(1).max(MAX_KEY),
  reel: z.string().max(MAX_NAME),
  projectId: z.string().min(1).max(MAX_KEY),
  reviewer: Reviewer,
  takes: z.array(ReviewedTake).max(MAX_REVIEWED),
});
export type ReelReview = z.infer<typeof ReelReview>;

export type ReadReview =
  | { readonly ok: true; readonly review: ReelReview }
  | { readonly ok: false; readonly problem: Message };

/** Never throws, whatever the text is. Pure. */
export function readReview(text: string): ReadReview {
  if (text.length > MAX_REVIEW_LENGTH) {
    return { ok: false, problem: messageFor('reel.tooLarge', { size: bytesForPeople(MAX_REVIEW_LENGTH) }) };
  }
  const value = parsedJson(text.replace(/^\uFEFF/, ''));
  const header = Header.safeParse(value);
  if (!header.success) return { ok: false, problem: messageFor('reel.notReview') };
  if (header.data.version > VERSION) return { ok: false, problem: messageFor('reel.laterVersion') };
  const { success, data, error } = ReelReview.safeParse(value);
  if (success) return { ok: true, review: data };
  return { ok: false, problem: messageFor('reel.damaged', { where: String(error.issues[0]?.path.join('.')) }) };
}

/** Which part of a verdict differs. Both sides set the same part, and only that. */
const Conflict = z.object({
  field: z.enum(['rating', 'flag', 'note', 'notes']),
  mine: VerdictChange,
  theirs: VerdictChange,
  /** Number of another take of the shot, which is its pick. */
  otherPick: z.int().optional(),
});
export type ReviewConflict = z.infer<typeof Conflict>;

const MergeRow = z.object({
  takeId: z.string(),
  shot: z.string(),
  take: z.int(),
  /** What is set without a question; empty where nothing is. */
  change: VerdictChange,
  conflicts: z.array(Conflict),
});
export type MergeRow = z.infer<typeof MergeRow>;

export const ReviewPlan = z.object({
  reviewer: z.string(),
  reel: z.string(),
  /** Only takes for which something would change, or differs. */
  rows: z.array(MergeRow),
  /** What is left out, and why. */
  left: z.array(Text),
});
export type ReviewPlan = z.infer<typeof ReviewPlan>;

/** What is set of each take: all that needs no question, and where both sides differ what the person chose. Pure. */
export function chosenChanges(
  { rows }: Pick<ReviewPlan, 'rows'>,
  isTheirs: (row: MergeRow, conflict: ReviewConflict) => boolean,
): { takeId: string; verdict: VerdictChange }[] {
  const byTake = new Map<string, VerdictChange>();
  for (const row of rows) {
    const changes = [row.change, ...row.conflicts.filter((each) => isTheirs(row, each)).map(({ theirs }) => theirs)];
    for (const change of changes.filter((each) => Object.keys(each).length > 0)) {
      byTake.set(row.takeId, bothChanges(byTake.get(row.takeId) ?? {}, change));
    }
  }
  return [...byTake].map(([takeId, verdict]) => ({ takeId, verdict }));
}

function bothChanges(one: VerdictChange, other: VerdictChange): VerdictChange {
  const addNotes = [...(one.addNotes ?? []), ...(other.addNotes ?? [])];
  return { ...one, ...other, ...(addNotes.length > 0 && { addNotes }) };
}

export const countConflicts = ({ rows }: Pick<ReviewPlan, 'rows'>): number =>
  rows.reduce((sum, { conflicts }) => sum + conflicts.length, 0);
