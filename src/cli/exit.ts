import type { Gate } from '../contract/events.ts';
import { messageFor, type MessageKey, type ValuesOf } from '../contract/messages/message-for.ts';
import type { Text } from '../contract/messages/message.ts';
import type { Counts } from '../contract/job.ts';
import { RefusedError } from '../engine/base/errors.ts';

/** `waiting`: those of `unfinished` that wait for a person's pick or release. */
export type RunCounts = Counts & { readonly waiting: number };

export const noCounts: RunCounts = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0, waiting: 0 };

/** What the command's exit status means; documented in `docs/reference/cli.md`. */
export const exitStatus = {
  saved: 0,
  internalError: 1,
  /** A command that cannot be carried out as given, or a list with errors. Nothing was sent. */
  usage: 2,
  failed: 3,
  undecided: 4,
  /** A cap, the end of a night window, or a pick or release that is still to come holds back what is left. */
  held: 5,
  interrupted: 130,
} as const;
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/** The exit status of a run. A decision comes first, because money may be lost until it is made. */
export function statusFor(counts: RunCounts, halted: Pick<Gate, 'reason'> | null): ExitStatus {
  if (counts.unknown > 0) return exitStatus.undecided;
  if (halted?.reason === 'cap_reached' || halted?.reason === 'window_closed') return exitStatus.held;
  if (counts.waiting > 0) return exitStatus.held;
  if (counts.failed > 0 || counts.unfinished > 0 || halted) return exitStatus.failed;
  return exitStatus.saved;
}

/** The command cannot be carried out as given; nothing was sent. Ends with status 2. */
export class UsageError extends RefusedError {
  constructor(text: Text, remedy: Text, options?: ErrorOptions) {
    super('usage', text, remedy, options);
  }
}

/** A refusal in the words of one text, which says what is wrong and what to do. */
export const refused = <Key extends MessageKey>(key: Key, ...values: ValuesOf<Key>): UsageError =>
  new UsageError(messageFor(key, ...values), '');

/** The person asked to stop. Ends with status 130. */
export class InterruptedError extends Error {
  constructor() {
    super('interrupted');
  }
}
