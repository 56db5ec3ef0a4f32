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
