import * as z from 'zod';

/** What some billable requests come to. */
export const Amount = z.object({
  requests: z.int().min(0),
  /** Null when no price is known for any of them. */
  price: z.number().nullable(),
  /** Requests of unknown price. */
  unpriced: z.int().min(0),
});
export type Amount = z.infer<typeof Amount>;

/**
 * What was spent, by the user's own price table as it is today: the service names no prices. Each request counts that
 * was sent for a take, also where a take needed several.
 */
export const Spending = z.object({
  currency: z.string(),
  /** The service made a task of it, or answered with the result. */
  charged: Amount,
  /** Its fate is unknown, or its task failed. */
  maybe: Amount,
});
export type Spending = z.infer<typeof Spending>;
