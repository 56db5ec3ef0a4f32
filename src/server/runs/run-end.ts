import type { Gate, QueueStatus } from '../../contract/events.ts';
import { isUnsent, type JobView } from '../../contract/job.ts';
import type { RunEnd } from '../../contract/run.ts';

const HALTS = new Set<Gate['reason']>(['key_refused', 'key_missing', 'no_credit', 'database']);

interface Elsewhere {
  /** Whether a project is on a service of its own, which the gates of the settings' one do not hold. */
  readonly isElsewhere: (projectId: string) => boolean;
  /** Whether the night window of a take has closed since the run began. */
  readonly hasWindowClosed: (job: JobView) => boolean;
}

export class RunProgress {
  readonly #going = new Map<string, JobView>();
  readonly #elsewhere: Elsewhere;
  readonly #takes = new Map<string, JobView>();

  constructor(
    takes: readonly JobView[],
    elsewhere: Elsewhere = { isElsewhere: () => false, hasWindowClosed: () => false },
  ) {
    this.#elsewhere = elsewhere;
    for (const take of takes) this.#note(take);
  }

  update(job: JobView): boolean {
    if (!this.#takes.has(job.id)) return false;
    this.#note(job);
    return true;
  }

  /** Takes in the present state of jobs; returns those of the run that changed. */
  refresh(jobs: readonly JobView[]): JobView[] {
    return jobs.filter((job) => {
      const known = this.#takes.get(job.id);
      if (!known) return false;
      this.#note(job);
      return known.updatedAt !== job.updatedAt || known.state !== job.state || known.paused !== job.paused;
    });
  }

  /** Whether a take waits for one of another shot. No event says when it has come: refresh before the run ends. */
  get isAnyWaiting(): boolean {
    return [...this.#going.values()].some(waitsForShot);
  }

  /** Why the run is over, or null while something of it goes on by itself; see `Scheduler.settled`. */
  end({ gates }: QueueStatus): RunEnd | null {
    const halt = gates.find(({ reason }) => HALTS.has(reason));
    const window = gates.find(({ reason }) => reason === 'window_closed');
    const caps = gates.filter(({ reason }) => reason === 'cap_reached');
    const holding = new Set<Gate>();
    for (const job of this.#going.values()) {
      // It goes on with that shot.
      if (waitsForShot(job)) continue;
      const ofHalt = halt && this.#isHeldBy(halt, job) ? halt : undefined;
      const by = window && this.#isBehindWindow(job) ? window : (caps.find((cap) => isBehindCap(cap, job)) ?? ofHalt);
      if (!by) return null;
      holding.add(by);
    }
    const gate = [halt, ...caps, window].find((each) => each && holding.has(each));
    return gate ? { type: 'halted', gate } : { type: 'done' };
  }

  #isBehindWindow(job: JobView): boolean {
    return job.state === 'ready' && this.#elsewhere.hasWindowClosed(job);
  }

  #note(job: JobView): void {
    this.#takes.set(job.id, job);
    if (job.standing === 'unfinished' && job.paused === null) this.#going.set(job.id, job);
    else this.#going.delete(job.id);
  }

  #isHeldBy({ reason }: Gate, job: JobView): boolean {
    const { isElsewhere } = this.#elsewhere;
    if (reason === 'database') return true;
    if (reason === 'no_credit') return isUnsent(job) && !isElsewhere(job.projectId);
    // A result is fetched while the service refuses the key.
    return job.state !== 'downloading' && job.state !== 'submitting' && !isElsewhere(job.projectId);
  }
}

/** Due at once when a take of that shot has ended. */
const waitsForShot = ({ waitsFor, dueAt }: JobView): boolean => waitsFor !== undefined && dueAt !== undefined;

function isBehindCap({ cap }: Gate, job: JobView): boolean {
  if (!cap || job.state !== 'ready') return false;
  const { scope } = cap;
  if (scope.scope === 'night') return true;
  return scope.scope === 'project' ? scope.projectId === job.projectId : scope.batchId === job.batchId;
}
