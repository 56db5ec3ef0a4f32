import PQueue from 'p-queue';
import { toMessage } from '../base/errors.ts';
import type { Job } from '../db/job-store.ts';
import { LOCAL_RETRY_MS } from './disk-check.ts';
import type { StepContext } from './step-context.ts';
import { standingFor } from '../../contract/job.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { Stores } from '../db/stores.ts';
import { KeyedMutex } from '../base/keyed-mutex.ts';
import { recipeFor, writeRecipe } from '../projects/recipe-file.ts';

/** Writes people's decisions about takes into recipes, for other data folders. Marked in the database until written. */
export class DecisionNotes {
  readonly #context: StepContext;
  readonly #writing = new PQueue();
  readonly #away = new Map<string, Promise<void>>();

  constructor(context: StepContext) {
    this.#context = context;
  }

  note(job: Job): void {
    void this.#writing.add(async () => {
      const isWritten = await this.#write(job);
      this.#context.touchManifest(job.batchId);
      if (!isWritten) this.#lookFor(job.projectId);
    });
  }

  writeAll(projectId: string): void {
    for (const id of this.#context.jobs.decisions.of(projectId)) {
      void this.#writing.add(async () => {
        const job = this.#context.jobs.get(id);
        if (job && (await this.#write(job))) this.#context.touchManifest(job.batchId);
      });
    }
  }

  written(): Promise<void> {
    return this.#writing.onIdle();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#away.values());
    await this.written();
  }

  async #write({ id, projectId }: Job): Promise<boolean> {
    const { claims, writeRecipe, jobs, ports } = this.#context;
    try {
      // In the turn of its recipe this would wait for itself: what a taken project completes may write the same recipe.
      await claims.claim(projectId);
      const job = jobs.get(id);
      if (job) await writeRecipe(job);
      if (job) jobs.decisions.written(job);
      return true;
    } catch (error) {
      ports.logger.warn('A decision could not be written into its recipe', { job: id, reason: toMessage(error) });
      return false;
    }
  }

  #lookFor(projectId: string): void {
    if (this.#away.has(projectId)) return;
    const looking = this.#untilBack(projectId).finally(() => this.#away.delete(projectId));
    this.#away.set(projectId, looking);
  }

  async #untilBack(projectId: string): Promise<void> {
    const { claims, jobs, ports, stopping } = this.#context;
    for (let isBack = false; !isBack && !stopping.aborted;) {
      // A stop ends the wait, and the folder is looked for once more.
      await ports.clock.sleep(LOCAL_RETRY_MS, { signal: stopping }).catch(() => undefined);
      isBack = await claims.claim(projectId).then(
        () => true,
        () => false,
      );
    }
    if (jobs.decisions.of(projectId).length > 0) this.writeAll(projectId);
  }
}

/**
 * Writes the recipe files of takes, those of one take strictly in the order of the calls: a person and a step may both
 * change it, and an older state written last would hide that a POST was sent. Only the engine that has taken a project
 * writes there: another engine's state may be older.
 */
export function createRecipeWriter(
  stores: Stores,
  claim: (projectId: string) => Promise<void>,
): StepContext['writeRecipe'] {
  const takes = new KeyedMutex();
  return (job, request) =>
    takes.run(job.id, async () => {
      await claim(job.projectId);
      await writeOne(stores, job, request);
    });
}

async function writeOne(stores: Stores, job: Job, request: PlannedRequest | undefined): Promise<void> {
  const { batches, projects } = stores;
  const batch = batches.get(job.batchId);
  const shot = batches.shot(job.shotId);
  const project = projects.get(job.projectId);
  if (!batch || !shot || !project) throw new Error(`Job ${job.id} has lost its shot.`);
  // A recipe that a power cut loses is written again when the take continues, but that of a submit must be on disk
  // first.
  const isWrittenAgain = standingFor(job.state.state, null) === 'unfinished' && job.state.state !== 'submitting';
  const recipe = recipeFor(stores, job, batch, shot.spec, request);
  await writeRecipe(project.path, recipe, { syncName: !isWrittenAgain });
}

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
