import * as z from 'zod';

/** What requests are put together by, beside their model. Days are those of the person, weeks begin on Monday. */
export const StatisticsPeriod = z.enum(['day', 'week', 'month']);
export type StatisticsPeriod = z.infer<typeof StatisticsPeriod>;

/** Takes of one model in one period: how many, how they ended, what they cost. */
export const TakeStatistics = z.object({
  /** First day of the period, `2026-05-04`; empty for all of them. */
  period: z.string(),
  /** Empty for all of them. */
  model: z.string(),
  requests: z.int(),
  saved: z.int(),
  /** Requests that made no take; those that were certainly not charged too. */
  failed: z.int(),
  /** Requests that run, or wait for a decision. */
  open: z.int(),
  picked: z.int(),
  /** From the request to the saved take, ms: the median, and what nine of ten need at most. Null without a saved take. */
  medianMs: z.number().nullable(),
  p90Ms: z.number().nullable(),
  /** Charges by the user's own prices; null when no price is known. */
  charged: z.number().nullable(),
  /** Charged requests of unknown price. */
  unpriced: z.int(),
  /** The same two of films alone, which have a length to pay for. */
  filmsCharged: z.number().nullable(),
  filmsUnpriced: z.int(),
  /** Seconds of picked films, as their shots asked for them. */
  pickedSeconds: z.number(),
  /** Picked films whose length is not known. */
  picksWithoutSeconds: z.int(),
});
export type TakeStatistics = z.infer<typeof TakeStatistics>;

export const Statistics = z.object({
  currency: z.string(),
  all: TakeStatistics,
  /** Of the whole time, by model. */
  models: z.array(TakeStatistics),
  /** Period by period, the oldest first, all models together. */
  periods: z.array(TakeStatistics),
  /** Period by period and model by model. */
  rows: z.array(TakeStatistics),
});
export type Statistics = z.infer<typeof Statistics>;

const ratio = (part: number | null, whole: number): number | null =>
  part === null || whole === 0 ? null : part / whole;

/** Saved takes among the requests that are over, from 0 to 1. Pure, as all of these; null where a figure has no base. */
export const successRate = ({ saved, failed }: TakeStatistics): number | null => ratio(saved, saved + failed);

export const picksPerTake = ({ picked, saved }: TakeStatistics): number | null => ratio(picked, saved);

/** The charges, failures too, for each saved take. */
export const pricePerTake = ({ charged, unpriced, saved }: TakeStatistics): number | null =>
  ratio(wholeBill(charged, unpriced), saved);

/**
 * The charges for films, failures too, for each second of picked ones. Null when the length of a picked one is unknown.
 */
export const pricePerPickedSecond = (row: TakeStatistics): number | null =>
  row.picksWithoutSeconds > 0 ? null : ratio(wholeBill(row.filmsCharged, row.filmsUnpriced), row.pickedSeconds);

/** Half a bill is none. */
const wholeBill = (charged: number | null, unpriced: number): number | null => (unpriced > 0 ? null : charged);
