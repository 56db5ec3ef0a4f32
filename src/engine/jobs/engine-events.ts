import type { EngineEvent } from '../../contract/events.ts';
import type { GivenVerdict } from '../../contract/verdict.ts';
import type { JobQueries } from '../db/job-queries.ts';

/** With more changed jobs than this, reading everything again is cheaper than an event for each. */
export const MAX_JOB_EVENTS = 500;

/** Sends the changes of the engine to its listeners. Without listeners it reads nothing. */
export class EngineEvents {
  readonly #queries: JobQueries;
  readonly #listeners = new Set<(event: EngineEvent) => void>();

  constructor(queries: JobQueries) {
    this.#queries = queries;
  }

  /** Calls `listener` on each change until the returned function is called. */
  readonly subscribe = (listener: (event: EngineEvent) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  emit(event: EngineEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  job(jobId: string): void {
    if (this.#listeners.size === 0) return;
    const job = this.#queries.view(jobId);
    if (job) this.emit({ type: 'job', job });
  }

  jobs(jobIds: readonly string[]): void {
    if (jobIds.length > MAX_JOB_EVENTS) this.emit({ type: 'many' });
    else for (const jobId of jobIds) this.job(jobId);
  }

  verdicts(verdicts: GivenVerdict[]): void {
    if (verdicts.length > MAX_JOB_EVENTS) this.emit({ type: 'many' });
    else if (verdicts.length > 0) this.emit({ type: 'verdicts', verdicts });
  }
}
