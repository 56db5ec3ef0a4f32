import { toMessage } from '../base/errors.ts';
import type { StepContext } from '../jobs/step-context.ts';

const AT_ONCE = 64;

/** Writes verdicts into recipe files, one at a time in the background; the database lists those still to write. */
export class VerdictNotes {
  readonly #context: StepContext;
  #working: Promise<void> | null = null;
  #stopped = false;

  constructor(context: StepContext) {
    this.#context = context;
  }

  lookAgain(): void {
    if (this.#stopped) return;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  async written(): Promise<void> {
    this.lookAgain();
    await this.#working;
  }

  /** Resolves when the current write has ended. The next start writes the others. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    const failed = new Set<string>();
    for (;;) {
      const ids = this.#context.review.verdictsToWrite(AT_ONCE + failed.size).filter((id) => !failed.has(id));
      if (ids.length === 0) return;
      for (const id of ids) {
        if (this.#stopped) return;
        if (!(await this.#write(id))) failed.add(id);
      }
    }
  }

  async #write(takeId: string): Promise<boolean> {
    const job = this.#context.jobs.get(takeId);
    const verdict = this.#context.review.verdict(takeId);
    if (!job || !verdict) return false;
    try {
      await this.#context.writeRecipe(job);
      this.#context.review.verdictWritten(takeId, verdict);
      return true;
    } catch (error) {
      // The folder is away or full. The next verdict or the next start tries again.
      this.#context.ports.logger.warn('A verdict could not be written into its recipe', {
        take: takeId,
        reason: toMessage(error),
      });
      return false;
    }
  }
}
