import type { EngineEvent } from '../contract/events.ts';
import type { GivenVerdict } from '../contract/verdict.ts';
import type { JobQueries } from './db/job-queries.ts';

/** With more changed jobs than this, reading afresh is cheaper for everybody than telling them one by one. */
export const MOST_TOLD = 500;

/** Tells whoever listens what changes in the engine. While nobody listens, nothing is read for it. */
export class News {
  readonly #queries: JobQueries;
  readonly #listeners = new Set<(event: EngineEvent) => void>();

  constructor(queries: JobQueries) {
    this.#queries = queries;
  }

  /** Calls `listener` on each change until the returned function is called. */
  subscribe(listener: (event: EngineEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: EngineEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  job(jobId: string): void {
    if (this.#listeners.size === 0) return;
    const job = this.#queries.view(jobId);
    if (job) this.tell({ type: 'job', job });
  }

  /** Jobs that changed together. */
  jobs(jobIds: readonly string[]): void {
    if (jobIds.length > MOST_TOLD) this.tell({ type: 'many' });
    else for (const jobId of jobIds) this.job(jobId);
  }

  verdicts(verdicts: GivenVerdict[]): void {
    if (verdicts.length > MOST_TOLD) this.tell({ type: 'many' });
    else if (verdicts.length > 0) this.tell({ type: 'verdicts', verdicts });
  }

  project(projectId: string): void {
    this.tell({ type: 'project', projectId });
  }

  batches(projectId: string): void {
    this.tell({ type: 'batches', projectId });
  }

  draft(projectId: string, draftId: string): void {
    this.tell({ type: 'draft', projectId, draftId });
  }
}
