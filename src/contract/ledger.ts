import * as z from 'zod';

export const Amount = z.object({
  requests: z.int().min(0),
  /** Null when none of them has a price. */
  price: z.number().nullable(),
  unpriced: z.int().min(0),
});
export type Amount = z.infer<typeof Amount>;

export const sumOfAmounts = (one: Amount, other: Amount): Amount => ({
  requests: one.requests + other.requests,
  price: one.price === null ? other.price : one.price + (other.price ?? 0),
  unpriced: one.unpriced + other.unpriced,
});

/**
 * The cost by the user's own price table of today: the service names no prices. Counts every request for a take, also
 * where a take needed several.
 */
export const Spending = z.object({
  currency: z.string(),
  /** The service made a task of it, or answered with the result. */
  charged: Amount,
  sending: Amount,
  /** It was sent, and whether it was charged is not known. */
  maybe: Amount,
});
export type Spending = z.infer<typeof Spending>;

/** What takes of unknown fate may have cost, and what sending each of them once more costs. */
export const AtStake = z.object({ currency: z.string(), first: Amount, again: Amount });
export type AtStake = z.infer<typeof AtStake>;

/**
 * What became of the price of a billable request. `reserved`: it is being sent. `settled`: the service made a task of it,
 * or answered with the result. `released`: certainly nothing was accepted. `unclear`: it may have been charged.
 */
export const LedgerState = z.enum(['reserved', 'settled', 'released', 'unclear']);
export type LedgerState = z.infer<typeof LedgerState>;

export const LedgerTotals = z.object({ reserved: Amount, settled: Amount, released: Amount, unclear: Amount });
export type LedgerTotals = z.infer<typeof LedgerTotals>;

/** What lines are added up by. Days are those of the person; a night is named by the day it begins, at noon. */
export const SpentBy = z.enum([
  'model',
  'batch',
  'project',
  'account',
  'night',
  'day',
  'month',
  'shot',
  'take',
  'tool',
]);
export type SpentBy = z.infer<typeof SpentBy>;

export const SpentGroup = z.object({
  /** An id, a day, a model. Empty for what has none: tools are in no batch. */
  name: z.string(),
  /** What people call it, where that is something else. */
  label: z.string().nullable(),
  /** Of a take: its number. */
  take: z.int().nullable(),
  /** Of a shot or a take: its batch. Shots of two batches may have one key. */
  batch: z.string().nullable(),
  totals: LedgerTotals,
});
export type SpentGroup = z.infer<typeof SpentGroup>;

export interface LedgerLine {
  readonly id: string;
  /** When the request was written down, right before it was sent, ms. */
  readonly at: number;
  readonly state: LedgerState;
  readonly project: string | null;
  readonly batch: string | null;
  readonly shot: string | null;
  readonly take: number | null;
  /** The tool that made it; null for a take. */
  readonly tool: string | null;
  readonly model: string;
  /** By the user's own prices; null without one. */
  readonly price: number | null;
  /** JSON: what the answer said about its own cost. */
  readonly told: string | null;
}

const id = z.string().min(1).max(200);

/** The scope of a cap. A night runs from noon to noon, by the person's clock; the cap of an account is for each night. */
export const CapScope = z.discriminatedUnion('scope', [
  z.object({ scope: z.literal('night') }),
  /** Empty: the first account. */
  z.object({ scope: z.literal('account'), accountId: z.string().max(40) }),
  z.object({ scope: z.literal('project'), projectId: id }),
  z.object({ scope: z.literal('batch'), batchId: id }),
]);
export type CapScope = z.infer<typeof CapScope>;

/** The limits, in the currency of the prices and in takes; null: no limit. */
export const Cap = z.object({
  money: z.number().nonnegative().max(1_000_000_000).nullable(),
  takes: z.int().nonnegative().max(1_000_000).nullable(),
});
export type Cap = z.infer<typeof Cap>;

/** The cap that holds both of these. Pure. */
export const lowerCap = (one: Cap, other: Cap): Cap => ({
  money: lower(one.money, other.money),
  takes: lower(one.takes, other.takes),
});

const lower = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** Absent fields stay as they are. */
export const CapChange = Cap.partial();
export type CapChange = z.infer<typeof CapChange>;

export const CapState = z.object({
  scope: CapScope,
  /** Of the batch, the project or the account; empty for a night. */
  name: z.string(),
  cap: Cap,
  spent: z.object({
    money: z.number(),
    /** The same in millionths, exactly. */
    micros: z.int(),
    takes: z.int(),
    unpriced: z.int(),
  }),
});
export type CapState = z.infer<typeof CapState>;

export const CapReached = CapState.extend({
  /** The model whose price is not known; null where the cap is reached. */
  unpriced: z.string().nullable(),
});
export type CapReached = z.infer<typeof CapReached>;

export const CapNear = CapState.extend({
  /** When the present night began, ms: a person is warned once a night. */
  night: z.number(),
  currency: z.string(),
});
export type CapNear = z.infer<typeof CapNear>;

/** From this share of a cap on, a person is warned. */
export const WARN_AT = 0.8;

type Used = Pick<CapState, 'cap' | 'spent'>;

/** How much of a cap is used: 1 is all of it. Pure. */
export const toShare = (state: Used): number => Math.max(0, shareOfMoney(state) ?? 0, shareOfTakes(state) ?? 0);

/** The same of each of its two limits; null where there is none. Pure. */
export const shareOfMoney = ({ cap, spent }: Used): number | null => share(spent.money, cap.money);
export const shareOfTakes = ({ cap, spent }: Used): number | null => share(spent.takes, cap.takes);

function share(used: number, most: number | null): number | null {
  if (most === null) return null;
  return most === 0 ? 1 : used / most;
}

/** The same for the same scope. */
export const scopeName = (scope: CapScope): string => JSON.stringify(scope);

/** What requests are put together by, beside their model. Days are those of the person, weeks begin on Monday. */
export const StatisticsPeriod = z.enum(['day', 'week', 'month']);
export type StatisticsPeriod = z.infer<typeof StatisticsPeriod>;

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
  models: z.array(TakeStatistics),
  periods: z.array(TakeStatistics),
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

const wholeBill = (charged: number | null, unpriced: number): number | null => (unpriced > 0 ? null : charged);
