import type { Gate } from '../contract/events.ts';
import { type Message, type MessageKey, type ValuesOf } from '../contract/messages/message-for.ts';
import type { Text } from '../contract/messages/message.ts';
import type { Counts } from '../contract/job.ts';
import { RefusedError } from '../engine/base/errors.ts';

export const noCounts: Counts = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 };

/** What the command's exit status means; documented in `docs/reference/cli.md`. */
export const exitStatus = {
  saved: 0,
  internalError: 1,
  /** A command that cannot be carried out as given, or a list with errors. Nothing was sent. */
  usage: 2,
  failed: 3,
  undecided: 4,
  /** A cap, or the end of a night window, holds back what is left. */
  held: 5,
  interrupted: 130,
} as const;
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/** The exit status of a run. A decision comes first, because money may be lost until it is made. */
export function statusFor(counts: Counts, halted: Gate | null): ExitStatus {
  if (counts.unknown > 0) return exitStatus.undecided;
  if (halted?.reason === 'cap_reached' || halted?.reason === 'window_closed') return exitStatus.held;
  if (counts.failed > 0 || counts.unfinished > 0 || halted) return exitStatus.failed;
  return exitStatus.saved;
}

/** The command cannot be carried out as given; nothing was sent. Ends with status 2. */
export class UsageError extends RefusedError {
  constructor(text: Text, remedy: Text, options?: ErrorOptions) {
    super('usage', text, remedy, options);
  }
}

/** A text that has its remedy beside it in the deck. */
type Problem = { [Key in MessageKey]: `${Key}Remedy` extends MessageKey ? Key : never }[MessageKey];
type Facts<Key extends MessageKey> = ValuesOf<Key> extends [values: infer Values] ? Values : unknown;
type FactsOfBoth<Key extends Problem> = Facts<Key> & Facts<`${Key}Remedy` & MessageKey>;

/** A refusal in the words of the deck: `cli.notHours` and `cli.notHoursRemedy`, with the facts that the two name. */
export function refused<Key extends Problem>(
  key: Key,
  ...[facts]: unknown extends FactsOfBoth<Key> ? [] : [facts: FactsOfBoth<Key>]
): UsageError {
  const words = (each: string): Text => ({ key: each, ...(facts !== undefined && { values: facts }) }) as Message;
  return new UsageError(words(key), words(`${key}Remedy`));
}

/** The person asked to stop. Ends with status 130. */
export class InterruptedError extends Error {
  constructor() {
    super('interrupted');
  }
}
