import { finish } from './folder-notes.ts';
import { allows, type JobEvent } from '../machine/job-machine.ts';
import type { StepContext } from './step-context.ts';
import { writeDown } from './write-down.ts';

/** Submits under way that somebody wants cancelled. They cannot be called back: what they come to is cancelled. */
export class PendingCancels {
  readonly #context: StepContext;
  readonly #wished = new Set<string>();

  constructor(context: StepContext) {
    this.#context = context;
  }

  add(jobId: string): void {
    this.#wished.add(jobId);
  }

  /** For each job whose step has ended. One that came to an end of its own, or to a question of money, is left as it is. */
  async honour(jobId: string): Promise<void> {
    if (!this.#wished.delete(jobId)) return;
    const job = this.#context.jobs.get(jobId);
    const cancel: JobEvent = { type: 'cancel', at: this.#context.ports.clock.now() };
    if (job && allows(job.state, cancel)) await finish(this.#context, await writeDown(this.#context, job, cancel));
  }
}
