import * as z from 'zod';

export const Amount = z.object({
  requests: z.int().min(0),
  /** Null when none of them has a price. */
  price: z.number().nullable(),
  /** Requests of unknown price. */
  unpriced: z.int().min(0),
});
export type Amount = z.infer<typeof Amount>;

/** The sum of two amounts. Pure. */
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
  /** On its way to the service. */
  sending: Amount,
  /** It was sent, and whether it was charged is not known. */
  maybe: Amount,
});
export type Spending = z.infer<typeof Spending>;

/** What takes of unknown fate may have cost, and what sending each of them once more costs. */
export const AtStake = z.object({ currency: z.string(), first: Amount, again: Amount });
export type AtStake = z.infer<typeof AtStake>;
