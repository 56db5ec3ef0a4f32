import * as z from 'zod';
import { Text } from './messages/message.ts';

/**
 * A browser writes every answer of 400 and above to its console as an error of the page. An expected refusal, which the
 * person sees, is no error. A page that sends the first header gets an answer of 200 with the true status in the second.
 * Others get the status itself.
 */
export const REFUSALS_HEADER = 'x-dailies-refusals';
export const QUIETLY = 'quietly';
export const STATUS_HEADER = 'x-dailies-status';

/** The status of `REFUSED`, the one error of the contract that is meant for people. */
export const REFUSED_STATUS = 409;

/** Why a call was refused, and what to do next. */
export const Refused = z.object({
  code: z.string(),
  text: Text,
  remedy: Text,
  /** Trouble with the service: with the key, the connection or its answer, or the request. */
  service: z.enum(['key', 'way', 'request']).optional(),
});
export type Refused = z.infer<typeof Refused>;
