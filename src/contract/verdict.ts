import * as z from 'zod';

/** What a person thinks of a take. Kept in the database and in the take's recipe file. */
export const Verdict = z.object({
  /** 0: not rated. */
  rating: z.int().min(0).max(5),
  flag: z.enum(['pick', 'reject']).nullable(),
  note: z.string().max(10_000),
});
export type Verdict = z.infer<typeof Verdict>;

export const noVerdict: Verdict = { rating: 0, flag: null, note: '' };

/** A change of a verdict; an absent field stays as it is. */
export const VerdictChange = Verdict.partial();
export type VerdictChange = z.infer<typeof VerdictChange>;

const fields = ['rating', 'flag', 'note'] as const;
export type VerdictField = (typeof fields)[number];

/** A verdict that was given, as an event carries it. */
export const GivenVerdict = z.object({
  projectId: z.string(),
  takeId: z.string(),
  verdict: Verdict,
  /** What of it is not as it was before. */
  changed: z.array(z.enum(fields)),
  /** The window that gave it; empty where none said so. */
  by: z.string(),
});
export type GivenVerdict = z.infer<typeof GivenVerdict>;

/** What differs between two verdicts. Pure. */
export const changedFields = (before: Verdict, now: Verdict): VerdictField[] =>
  fields.filter((field) => before[field] !== now[field]);

/** Whether anything that a change set is still in force. Pure. */
export const stillHolds = (now: Verdict, set: VerdictChange): boolean =>
  fields.some((field) => set[field] !== undefined && set[field] === now[field]);

/** A verdict without a change: its fields as they were `before` it, except those that were set again since. Pure. */
export function withoutChange(now: Verdict, set: VerdictChange, before: Verdict): Verdict {
  const back = <Field extends keyof Verdict>(field: Field): Verdict[Field] =>
    set[field] !== undefined && set[field] === now[field] ? before[field] : now[field];
  return { rating: back('rating'), flag: back('flag'), note: back('note') };
}
