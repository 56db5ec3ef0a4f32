import * as z from 'zod';
import { JobView } from './job.ts';
import { Kind } from './kinds/kind.ts';
import { Output, Recipe } from './take.ts';
import { Verdict } from './verdict.ts';

export { noVerdict, Verdict } from './verdict.ts';

/** A take as review shows it. Media are had by URL: `/media/<take id>/<output number>`, thumbnails at `/thumb/…`. */
export const TakeView = JobView.extend({
  outputs: z.array(Output),
  verdict: Verdict,
  /** When the take was saved, ms; null before. */
  savedAt: z.number().nullable(),
});
export type TakeView = z.infer<typeof TakeView>;

export const TakeFilter = z.object({
  projectId: z.string(),
  batchId: z.string().optional(),
  kind: Kind.optional(),
  standing: z.enum(['saved', 'failed', 'unknown', 'cancelled', 'unfinished']).optional(),
  model: z.string().optional(),
  minRating: z.int().min(0).max(5).optional(),
  flag: z.enum(['pick', 'reject', 'none']).optional(),
  /** In the shot's key, prompt or notes. */
  text: z.string().max(500).optional(),
  sort: z.enum(['list', 'newest', 'rating', 'shot']).default('list'),
});
export type TakeFilter = z.infer<typeof TakeFilter>;

export const TakePage = z.object({ total: z.int(), takes: z.array(TakeView) });

/** Everything there is to know about one take. */
export const TakeDetails = z.object({
  take: TakeView,
  recipe: Recipe,
  /** Other takes of the same shot, oldest first, this one included. */
  siblings: z.array(TakeView),
  /** Absolute paths of its files, for people to copy. */
  paths: z.array(z.string()),
});
export type TakeDetails = z.infer<typeof TakeDetails>;

/** Changes a new take makes to the shot it is a take of. */
export const TakeChanges = z.object({
  prompt: z.string().optional(),
  model: z.string().optional(),
  /** By parameter name, as cells of a list; empty takes a value out. */
  cells: z.record(z.string(), z.string()).default({}),
});
export type TakeChanges = z.infer<typeof TakeChanges>;
