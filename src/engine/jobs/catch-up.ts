import { noteInFolder } from './write-down.ts';
import { isDatabaseTrouble } from '../db/open.ts';
import { messageOf } from '../base/errors.ts';
import type { StepContext } from './step-context.ts';

/**
 * Takes the projects in whose folders something may be left unsaid by engines that died after `since` (ms; null for none)
 * that may know more of the jobs in `unknown`, that were not taken over to the end, or whose trash something was on its way
 * to or from: all are seen to by that. One that
 * is away or in use waits until it is taken.
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
  ]);
  for (const projectId of behind) {
    try {
      if (projectId !== undefined) await context.claims.claim(projectId);
    } catch (error) {
      if (isDatabaseTrouble(error)) throw error;
      context.ports.logger.warn('A project could not be taken', { project: projectId, reason: messageOf(error) });
    }
  }
}

/**
 * Writes into a project folder what engines that died after `since` (ms) had stored but may not have written there any
 * more: the manifests, and the recipes of jobs that ended without a file or with a question. A saved job's recipe was
 * there before it was saved, and a job that goes on writes its own.
 */
export async function catchUp(context: StepContext, projectId: string, since: number): Promise<void> {
  const batches = new Set(context.batches.list(projectId).map(({ id }) => id));
  for (const batchId of context.batches.changedSince(since)) if (batches.has(batchId)) context.touchManifest(batchId);
  for (const job of context.jobs.endedSince(since, projectId)) await noteInFolder(context, job);
}
