import * as z from 'zod';
import { JobView } from './job.ts';

/** Something that holds requests back for a while, with its reason: shown, so that waiting is never a mystery. */
export const Gate = z.object({
  reason: z.enum([
    /** The service asked for patience (429). */
    'throttled',
    /** No connection to the service. */
    'unreachable',
    /** Submits kept getting unclear answers: paused until the service answers a harmless question. */
    'breaker',
    'disk_low',
    /** The service refused the key: nothing goes on until it is changed. */
    'key_refused',
    /** No key is set. */
    'key_missing',
    /** The database failed: nothing may be sent any more. */
    'database',
    'paused_by_user',
  ]),
  /** One sentence for people. */
  message: z.string(),
  /** When it is looked at again, ms; null when a person must act. */
  until: z.number().nullable(),
});
export type Gate = z.infer<typeof Gate>;

/** The queue at a glance. */
export const QueueStatus = z.object({
  /** Requests under way, by step. */
  underWay: z.object({ submit: z.int(), poll: z.int(), download: z.int() }),
  gates: z.array(Gate),
});
export type QueueStatus = z.infer<typeof QueueStatus>;

/** What an engine tells whoever listens. */
export const EngineEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('job'), job: JobView }),
  z.object({ type: z.literal('queue'), status: QueueStatus }),
]);
export type EngineEvent = z.infer<typeof EngineEvent>;
