import * as z from 'zod';
import { Text, type MessageKey } from './messages/message.ts';

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

/** The status of `REFUSED`, the one error of the contract that is meant for people. */
export const REFUSED_STATUS = 409;

export const Refused = z.object({
  code: z.string(),
  text: Text,
  remedy: Text,
  /** Trouble with the service: with the key, the connection or its answer, or the request. */
  service: z.enum(['key', 'way', 'request']).optional(),
});
export type Refused = z.infer<typeof Refused>;

export type RemedyAction = 'set_key' | 'set_address' | 'set_prices' | 'set_path' | 'add_credit';

const ofRemedy: Readonly<Partial<Record<MessageKey, RemedyAction>>> = {
  'remedy.setKey': 'set_key',
  'remedy.setKeyAndRunAgain': 'set_key',
  'remedy.setAddressFirst': 'set_address',
  'cap.noPricesRemedy': 'set_prices',
  'remedy.setPathNamed': 'set_path',
  'remedy.addCredit': 'add_credit',
};

/** By the code, for failures of earlier versions whose remedy is a text. */
const ofCode: Readonly<Record<string, RemedyAction>> = {
  key_missing: 'set_key',
  key_refused: 'set_key',
  http_401: 'set_key',
  no_key: 'set_key',
  bad_key: 'set_key',
  bad_address: 'set_address',
  no_price: 'set_prices',
  path_not_set: 'set_path',
  no_credit: 'add_credit',
};

/** Null where no button and no command helps. */
export function remedyAction({ code, remedy }: { readonly code?: string; readonly remedy: Text }): RemedyAction | null {
  if (typeof remedy !== 'string' && Object.hasOwn(ofRemedy, remedy.key)) return ofRemedy[remedy.key] ?? null;
  return code !== undefined && Object.hasOwn(ofCode, code) ? (ofCode[code] ?? null) : null;
}
