import { AddressRefusedError } from './addresses.ts';
import { outcomeOfDisk, outcomeOfNetwork, refused } from './failures.ts';
import type { DownloadOutcome } from './outcomes.ts';
import { PartWriteError } from './part-file.ts';

/** Ends a download from inside with the outcome it stands for. */
export class OutcomeReached extends Error {
  readonly outcome: DownloadOutcome;

  constructor(outcome: DownloadOutcome) {
    super(outcome.type);
    this.outcome = outcome;
  }
}

/** What the caller's `persist` threw (its cause): not ours to explain. */
export class PersistFailed extends Error {}

/** What was going on when a download failed. */
export interface FailureFacts {
  readonly aborted: boolean;
  readonly host: string;
  /** How far the body had come; null before its first byte. */
  readonly received: { readonly bytes: number; readonly length: number | null } | null;
}

/** The outcome an error stands for. Throws again only what the caller's own `persist` threw. */
export function outcomeOfFailure(error: unknown, facts: FailureFacts): DownloadOutcome {
  const cause = error instanceof PartWriteError ? error.cause : error;
  if (cause instanceof PersistFailed) throw cause.cause;
  if (cause instanceof OutcomeReached) return cause.outcome;
  if (error instanceof PartWriteError) return outcomeOfDisk(cause);
  if (facts.aborted) return { type: 'aborted' };
  if (cause instanceof AddressRefusedError) return refused(cause.code, cause.message);
  return outcomeOfNetwork(cause, facts.host, facts.received);
}
