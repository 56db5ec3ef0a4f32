import type { Counts } from '../contract/job.ts';

export const noCounts: Counts = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 };

/** What the command's exit status means; documented in `docs/cli.md`. */
export const exitStatus = {
  saved: 0,
  internalError: 1,
  /** A command that cannot be carried out as given, or a list with errors. Nothing was sent. */
  usage: 2,
  /** Some takes failed, or the queue stopped by itself. */
  failed: 3,
  /** Some takes need a decision. */
  undecided: 4,
  interrupted: 130,
} as const;
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/** The status a run ends with. A decision that is needed is said first: until it is made, money may be lost. */
export function statusOf(counts: Counts, halted: boolean): ExitStatus {
  if (counts.unknown > 0) return exitStatus.undecided;
  if (counts.failed > 0 || counts.unfinished > 0 || halted) return exitStatus.failed;
  return exitStatus.saved;
}

/** The command cannot be carried out as given; nothing was sent. Ends with status 2. */
export class UsageError extends Error {
  /** What to do next, in one sentence. */
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}

/** The person asked to stop. Ends with status 130. */
export class InterruptedError extends Error {
  constructor() {
    super('interrupted');
  }
}
