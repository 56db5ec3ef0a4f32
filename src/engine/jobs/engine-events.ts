import type { EngineEvent } from '../../contract/events.ts';
import type { GivenVerdict } from '../../contract/verdict.ts';
import type { JobQueries } from '../db/job-queries.ts';

/** With more changed jobs than this, reading everything again is cheaper than an event for each. */
export const MAX_JOB_EVENTS = 500;

/** Sends the changes of the engine to its listeners. Without listeners it reads nothing. */
export function createEngineEvents(queries: JobQueries) {
  const listeners = new Set<(event: EngineEvent) => void>();

  /** Calls `listener` on each change until the returned function is called. */
  function subscribe(listener: (event: EngineEvent) => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  function emit(event: EngineEvent): void {
    for (const listener of listeners) listener(event);
  }

  function job(jobId: string): void {
    if (listeners.size === 0) return;
    const view = queries.view(jobId);
    if (view) emit({ type: 'job', job: view });
  }

  function jobs(jobIds: readonly string[]): void {
    if (jobIds.length > MAX_JOB_EVENTS) emit({ type: 'many' });
    else for (const jobId of jobIds) job(jobId);
  }

  function verdicts(given: GivenVerdict[]): void {
    if (given.length > MAX_JOB_EVENTS) emit({ type: 'many' });
    else if (given.length > 0) emit({ type: 'verdicts', verdicts: given });
  }

  return { subscribe, emit, job, jobs, verdicts };
}

export type EngineEvents = ReturnType<typeof createEngineEvents>;
