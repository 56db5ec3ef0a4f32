import PQueue from 'p-queue';
import { toMessage } from '../base/errors.ts';
import type { Job } from '../db/job-store.ts';
import { LOCAL_RETRY_MS } from './disk-check.ts';
import { projectFor, rowFor } from './planning.ts';
import type { StepContext } from './step-context.ts';
import { standingFor } from '../../contract/job.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { Stores } from '../db/stores.ts';
import { KeyedMutex } from '../base/keyed-mutex.ts';
import { recipeFor, writeRecipe } from '../projects/recipe-file.ts';

const AT_ONCE = 64;

/** Writes people's decisions about takes and their verdicts into recipes, for other data folders. The database lists them. */
export function createRecipeNotes(context: StepContext) {
  const { claims, jobs, review, ports, stopping } = context;
  const decisions = new PQueue();
  const away = new Map<string, Promise<void>>();
  let verdicts: Promise<void> | null = null;
  let isStopped = false;

  async function write(takeId: string): Promise<boolean> {
    try {
      const projectId = jobs.get(takeId)?.projectId;
      if (projectId === undefined) return false;
      // In the turn of its recipe this would wait for itself: what a taken project completes may write the same recipe.
      await claims.claim(projectId);
      const [job, verdict] = [jobs.get(takeId), review.verdict(takeId)];
      if (!job) return false;
      await context.writeRecipe(job);
      jobs.decisions.written(job);
      if (verdict) review.verdictWritten(takeId, verdict);
      return true;
    } catch (error) {
      const facts = { job: takeId, reason: toMessage(error) };
      ports.logger.warn('A decision could not be written into its recipe', facts);
      return false;
    }
  }

  function decided({ id, batchId, projectId }: Job): void {
    void decisions.add(async () => {
      const isWritten = await write(id);
      context.touchManifest(batchId);
      if (isWritten || away.has(projectId)) return;
      away.set(
        projectId,
        untilBack(projectId).finally(() => away.delete(projectId)),
      );
    });
  }

  function writeDecisions(projectId: string): void {
    for (const id of jobs.decisions.of(projectId)) {
      void decisions.add(async () => {
        const batchId = jobs.get(id)?.batchId;
        if (batchId !== undefined && (await write(id))) context.touchManifest(batchId);
      });
    }
  }

  async function untilBack(projectId: string): Promise<void> {
    for (let isBack = false; !isBack && !stopping.aborted;) {
      // A stop ends the wait, and the folder is looked for once more.
      await ports.clock.sleep(LOCAL_RETRY_MS, { signal: stopping }).catch(() => undefined);
      isBack = await claims.claim(projectId).then(
        () => true,
        () => false,
      );
    }
    writeDecisions(projectId);
  }

  /** One at a time. Where the folder is away or full, the next verdict or the next start tries again. */
  async function workOnVerdicts(): Promise<void> {
    const failed = new Set<string>();
    for (;;) {
      const ids = review.verdictsToWrite(AT_ONCE + failed.size).filter((id) => !failed.has(id));
      if (ids.length === 0) return;
      for (const id of ids) {
        if (isStopped) return;
        if (!(await write(id))) failed.add(id);
      }
    }
  }

  function writeVerdicts(): void {
    if (isStopped) return;
    verdicts ??= workOnVerdicts().finally(() => (verdicts = null));
  }

  return {
    ...{ decided, writeDecisions, writeVerdicts },
    decisionsWritten: () => decisions.onIdle(),
    async written(): Promise<void> {
      writeVerdicts();
      await Promise.all([decisions.onIdle(), verdicts]);
    },
    /** Resolves when all decisions and the current verdict are written. The next start writes the other verdicts. */
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(away.values());
      await Promise.all([decisions.onIdle(), verdicts]);
    },
  };
}

/**
 * Writes the recipe files of takes, those of one take strictly in the order of the calls: a person and a step may both
 * change it, and an older state written last would hide that a POST was sent. Only the engine that has taken a project
 * writes there: another engine's state may be older.
 */
export function createRecipeWriter(
  stores: Stores,
  claim: (projectId: string) => Promise<void>,
  requireOurs: (job: Job) => Promise<void>,
): StepContext['writeRecipe'] {
  const takes = new KeyedMutex();
  return (job, request) =>
    takes.run(job.id, async () => {
      await claim(job.projectId);
      await requireOurs(job);
      await writeOne(stores, job, request);
    });
}

async function writeOne(stores: Stores, job: Job, request: PlannedRequest | undefined): Promise<void> {
  const { spec, batch } = rowFor(stores, job);
  // A recipe that a power cut loses is written again when the take continues, but that of a submit must be on disk
  // first.
  const isWrittenAgain = standingFor(job.state.state, null) === 'unfinished' && job.state.state !== 'submitting';
  const recipe = recipeFor(stores, job, batch, spec, request);
  await writeRecipe(projectFor(stores, job).path, recipe, { syncName: !isWrittenAgain });
}
