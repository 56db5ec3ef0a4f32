import * as z from 'zod';
import { Text } from './messages/message.ts';

/**
 * The cost, as far as we know: the first thing a producer asks about a failure. `nothing`: no billable request was
 * accepted. `maybe`: a request was sent and its outcome is unknown. `charged`: the service made a task of it.
 */
export const Cost = z.enum(['nothing', 'maybe', 'charged']);
export type Cost = z.infer<typeof Cost>;

/** A failure without its words, with the facts that support would ask for. */
export const Failure = z.object({
  /** Stable, machine-readable: `http_502`, `download_truncated`, `disk_full`, … */
  code: z.string(),
  message: Text,
  /** What to do next, in one sentence. Never a bare "try again" where that can cost money. */
  remedy: Text,
  cost: Cost,
  at: z.number(),
  httpStatus: z.number().optional(),
  requestId: z.string().optional(),
  traceId: z.string().optional(),
});
export type Failure = z.infer<typeof Failure>;
