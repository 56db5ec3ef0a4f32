import { noteInFolder } from './folder-notes.ts';
import type { StepContext } from './step-context.ts';

/**
 * Writes into the project folders what engines that died after `since` (ms) had stored but may not have written there
 * any more: the manifests, and the recipes of jobs that ended without a file. A saved job's recipe was there before it
 * was saved, and a job that goes on writes its own.
 */
export async function catchUp(context: StepContext, since: number): Promise<void> {
  for (const batchId of context.batches.changedSince(since)) context.touchManifest(batchId);
  for (const job of context.jobs.failedSince(since)) await noteInFolder(context, job);
}
