import * as z from 'zod';
import { Failure } from './failure.ts';
import { JobView } from './job.ts';

const projectId = z.string().min(1).max(200);
/** Model that makes vectors of texts. */
const model = z.string().trim().min(1).max(300);
const isAgreed = z.boolean().default(false);

/** The search in a person's words. */
const text = z.string().trim().min(1).max(2000);

/** Takes whose texts are nearest to a question, which was asked with this model before: looking costs nothing then. */
export const NearTo = z.object({ model, text });
export type NearTo = z.infer<typeof NearTo>;

/** How many of the nearest are shown: further down, nearness is chance. */
export const MOST_NEAR = 200;

/** What one call of the indexing does at most. */
export const TEXTS_A_CALL = 100;

export const MeaningScope = z.object({ projectId, model });
export type MeaningScope = z.infer<typeof MeaningScope>;

export const MeaningStatus = z.object({
  /** Different texts of its takes: notes and prompts about them, and the texts of takes that are text. */
  texts: z.int(),
  /** Of those, the ones with a vector. */
  indexed: z.int(),
});
export type MeaningStatus = z.infer<typeof MeaningStatus>;

export const IndexRequest = MeaningScope.extend({ isAgreed });
export type IndexRequest = z.infer<typeof IndexRequest>;

export const MeaningSearch = MeaningScope.extend({
  text,
  limit: z.int().min(1).max(1000).default(50),
  isAgreed,
});
export type MeaningSearch = z.infer<typeof MeaningSearch>;

const failed = z.object({ type: z.literal('failed'), failure: Failure });

/** After one call, which does a hundred texts: `left` are still without a vector. */
export const Indexed = z.union([MeaningStatus.extend({ type: z.literal('indexed') }), failed]);
export type Indexed = z.infer<typeof Indexed>;

/** The nearest first. `score` is the cosine, -1 to 1. */
export const Nearest = z.union([
  z.object({
    type: z.literal('found'),
    takes: z.array(z.object({ take: JobView, score: z.number() })),
    status: MeaningStatus,
  }),
  failed,
]);
export type Nearest = z.infer<typeof Nearest>;
