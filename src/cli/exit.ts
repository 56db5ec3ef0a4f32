import type { Gate } from '../contract/events.ts';
import { textForLog } from '../contract/messages/message-for.ts';
import type { Text } from '../contract/messages/message.ts';
import type { Counts } from '../contract/job.ts';

export const noCounts: Counts = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 };

/** What the command's exit status means; documented in `docs/reference/cli.md`. */
export const exitStatus = {
  saved: 0,
  internalError: 1,
  /** A command that cannot be carried out as given, or a list with errors. Nothing was sent. */
  usage: 2,
  /** Some takes failed, or the queue stopped by itself. */
  failed: 3,
  /** Some takes need a decision. */
  undecided: 4,
  /** A cap, or the end of a night window, holds back what is left. */
  held: 5,
  interrupted: 130,
} as const;
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/** The exit status of a run. A decision comes first, because money may be lost until it is made. */
export function statusOf(counts: Counts, halted: Gate | null): ExitStatus {
  if (counts.unknown > 0) return exitStatus.undecided;
  if (halted?.reason === 'cap_reached' || halted?.reason === 'window_closed') return exitStatus.held;
  if (counts.failed > 0 || counts.unfinished > 0 || halted) return exitStatus.failed;
  return exitStatus.saved;
}

/** The command cannot be carried out as given; nothing was sent. Ends with status 2. */
export class UsageError extends Error {
  readonly text: Text;
  readonly remedy: Text;

  constructor(text: Text, remedy: Text, options?: ErrorOptions) {
    super(textForLog(text), options);
    this.text = text;
    this.remedy = remedy;
  }
}

/** The person asked to stop. Ends with status 130. */
export class InterruptedError extends Error {
  constructor() {
    super('interrupted');
  }
}
