import { isUnsent, type JobState } from '../../contract/job.ts';
import type { Recipe } from '../../contract/take.ts';
import { contentHash } from '../batches/plan-import.ts';
import type { JobStore } from '../db/job-store.ts';
import { madeElsewhere } from '../machine/failures.ts';

/** What a person who asks for the same again would not want to pay for twice. */
const isMade = (found: JobState): boolean =>
  found.state === 'cancelled'
    ? found.attempt !== null
    : !['rejected', 'remote_failed', 'remote_cancelled'].includes(found.state);

/**
 * The takes of a project that wait to be sent here, while its folder is read. For each take that was sent from elsewhere,
 * one that asks for the same is not sent, whatever their batches and rows are called: the person who queued it could not
 * know. It fails at no charge, and a person who wants both retries it.
 */
export class WaitingTakes {
  readonly #jobs: JobStore;
  readonly #projectId: string;
  #byContent: Map<string, string[]> | null = null;

  constructor(jobs: JobStore, projectId: string) {
    this.#jobs = jobs;
    this.#projectId = projectId;
  }

  /** A request that was unknown here was sent for a take that did not wait here: what became of it. */
  sentElsewhere({ shot, take, batch }: Recipe, found: JobState, now: number): void {
    if (!isMade(found)) return;
    const failure = madeElsewhere({ shot: shot.key, take: String(take), batch: batch.name }, now);
    this.#byContent ??= this.#jobs.unsentByContent(this.#projectId);
    const ids = this.#byContent.get(contentHash(shot)) ?? [];
    for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
      const job = this.#jobs.get(id);
      if (!job || !isUnsent(job.state)) continue;
      this.#jobs.advance(job, { type: 'unprepared', failure }, now);
      return;
    }
  }
}
