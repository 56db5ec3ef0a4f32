import type { Gate, QueueStatus } from '../../contract/events.ts';
import { isUnsent, type JobView } from '../../contract/job.ts';
import type { RunEnd } from '../../contract/run.ts';

const HALTS = new Set<Gate['reason']>(['key_refused', 'key_missing', 'no_credit', 'database']);

/** The standings of a run's takes that decide about its end. */
export class RunProgress {
  readonly #going = new Map<string, JobView>();
  readonly #isElsewhere: (projectId: string) => boolean;
  readonly #hasWindowClosed: (job: JobView) => boolean;
  readonly #takes = new Map<string, JobView>();

  /**
   * `isElsewhere`: whether a project is on a service of its own, which the gates of the settings' one do not hold.
   * `hasWindowClosed`: whether the night window of a take has closed since the run began.
   */
  constructor(
    takes: readonly JobView[],
    isElsewhere: (projectId: string) => boolean,
    hasWindowClosed: (job: JobView) => boolean,
  ) {
    this.#isElsewhere = isElsewhere;
    this.#hasWindowClosed = hasWindowClosed;
    for (const take of takes) this.#note(take);
  }

  /** Takes in news of a job. False when the run is not about it. */
  update(job: JobView): boolean {
    if (!this.#takes.has(job.id)) return false;
    this.#note(job);
    return true;
  }

  /** Takes in the present state of jobs; returns those of the run that changed. */
  refresh(jobs: readonly JobView[]): JobView[] {
    return jobs.filter((job) => {
      const known = this.#takes.get(job.id);
      if (!known || (known.updatedAt === job.updatedAt && known.state === job.state && known.paused === job.paused)) {
        return false;
      }
      this.#note(job);
      return true;
    });
  }

  /** Why the run is over, or null while something of it goes on by itself. */
  end({ gates }: QueueStatus): RunEnd | null {
    if (this.#going.size === 0) return { type: 'done' };
    const halt = gates.find(({ reason }) => HALTS.has(reason));
    const window = gates.find(({ reason }) => reason === 'window_closed');
    if (!halt && !window) return null;
    let ofHalt = false;
    for (const job of this.#going.values()) {
      if (window && this.#isBehindWindow(job)) continue;
      if (!halt || !this.#isHeldBy(halt, job)) return null;
      ofHalt = true;
    }
    const gate = ofHalt ? halt : window;
    return gate ? { type: 'halted', gate } : null;
  }

  /** A job that waits for a take of another shot goes on with that one. */
  #isBehindWindow(job: JobView): boolean {
    return (job.state === 'ready' || job.waitsFor !== undefined) && this.#hasWindowClosed(job);
  }

  #note(job: JobView): void {
    this.#takes.set(job.id, job);
    if (job.standing === 'unfinished' && job.paused === null) this.#going.set(job.id, job);
    else this.#going.delete(job.id);
  }

  #isHeldBy({ reason }: Gate, job: JobView): boolean {
    if (reason === 'database') return true;
    if (reason === 'no_credit') return isUnsent(job) && !this.#isElsewhere(job.projectId);
    // A result is fetched while the service refuses the key.
    return job.state !== 'downloading' && job.state !== 'submitting' && !this.#isElsewhere(job.projectId);
  }
}
