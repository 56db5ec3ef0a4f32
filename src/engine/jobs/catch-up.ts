import { updateRecipe } from './persist-event.ts';
import { isDatabaseTrouble } from '../db/open.ts';
import { toMessage } from '../base/errors.ts';
import type { StepContext } from './step-context.ts';

/**
 * Takes the projects whose folders may be out of date because an engine died after `since` (ms; null when none did),
 * that may know more about the jobs in `unknown`, that were only partly adopted, that were moving files to or from the
 * trash, or that lack a decision. Taking a project completes all of these. A project that is away or in use waits until it can be taken.
 */
export async function takeProjectsBehind(
  context: StepContext,
  { since, unknown }: { readonly since: number | null; readonly unknown: readonly string[] },
): Promise<void> {
  const changed = since === null ? [] : context.batches.changedSince(since);
  const behind = new Set([
    ...changed.map((id) => context.batches.get(id)?.projectId),
    ...unknown.map((id) => context.jobs.get(id)?.projectId),
    ...context.batches.interruptedAdoptions(),
    ...context.jobs.trash.unfinished(),
    ...context.jobs.decisions.projects(),
  ]);
  for (const projectId of behind) {
    try {
      if (projectId !== undefined) await context.claims.claim(projectId);
    } catch (error) {
      if (isDatabaseTrouble(error)) throw error;
      context.ports.logger.warn('A project could not be taken', { project: projectId, reason: toMessage(error) });
    }
  }
}

/**
 * Writes into a project folder what engines that died after `since` (ms) had stored in the database but may not have
 * written there: the manifests, and the recipes of jobs that ended without a file or need a decision. The recipe of a
 * saved job was written before the job was saved, and a job that continues writes its own.
 */
export async function catchUp(context: StepContext, projectId: string, since: number): Promise<void> {
  const batches = new Set(context.batches.list(projectId).map(({ id }) => id));
  for (const batchId of context.batches.changedSince(since)) if (batches.has(batchId)) context.touchManifest(batchId);
  for (const job of context.jobs.endedSince(since, projectId)) await updateRecipe(context, job);
}
