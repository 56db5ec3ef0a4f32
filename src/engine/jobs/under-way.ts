import type { QueueStatus } from '../../contract/events.ts';
import type { Step } from '../db/job-store.ts';

/** Results come home before anything new is asked for. */
export const STEPS: readonly Step[] = ['download', 'poll', 'submit', 'prepare'];

/** Slow downloads that go on beside the others: each keeps a connection and a file open. */
const MOST_SLOW = 60;

/** The steps under way at this moment, by kind of step and job. */
export class UnderWay {
  readonly #runs: Record<Step, Map<string, Promise<void>>> = {
    prepare: new Map(),
    submit: new Map(),
    poll: new Map(),
    download: new Map(),
  };

  readonly #slow = new Set<string>();

  /** Holds a step until it has ended. `run` must not reject. */
  add(step: Step, jobId: string, run: Promise<void>): void {
    this.#runs[step].set(jobId, run);
  }

  remove(step: Step, jobId: string): void {
    this.#runs[step].delete(jobId);
    if (step === 'download') this.#slow.delete(jobId);
  }

  jobs(step: Step): ReadonlySet<string> {
    return new Set(this.#runs[step].keys());
  }

  has(jobId: string): boolean {
    return STEPS.some((step) => this.#runs[step].has(jobId));
  }

  /** Of the steps that may be under way at once, how many are. Slow downloads take no place from others. */
  places(step: Step): number {
    const apart = step === 'download' ? Math.min(this.#slow.size, MOST_SLOW) : 0;
    return this.#runs[step].size - apart;
  }

  /** A download that is hardly one goes on apart from the others, or is one of them again. */
  setSlow(jobId: string, isSlow: boolean): void {
    if (isSlow && this.#runs.download.has(jobId)) this.#slow.add(jobId);
    else this.#slow.delete(jobId);
  }

  get counts(): QueueStatus['underWay'] {
    const { prepare, submit, poll, download } = this.#runs;
    return { prepare: prepare.size, submit: submit.size, poll: poll.size, download: download.size };
  }

  get isEmpty(): boolean {
    return STEPS.every((step) => this.#runs[step].size === 0);
  }

  /** Resolves when all that is under way now has ended. */
  async ended(): Promise<void> {
    await Promise.all(STEPS.flatMap((step) => [...this.#runs[step].values()]));
  }
}
