import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job } from '../db/job-store.ts';
import { systemCode } from '../errors.ts';
import { projectOf } from './planning.ts';
import type { StepContext } from './step-context.ts';

/** A sentence when the project's disk has too little room for more results; null when it has enough. */
export async function diskTrouble(context: StepContext, job: Job): Promise<string | null> {
  const { path } = projectOf(context, job);
  const free = await context.ports.disk.freeBytes(path);
  if (free >= context.settings.minFreeBytes) return null;
  const mb = (bytes: number) => `${Math.floor(bytes / 1024 ** 2)} MB`;
  return `Only ${mb(free)} are free where ${path} lies; at least ${mb(context.settings.minFreeBytes)} are kept free. Free some space: it goes on by itself.`;
}

export const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '');

/** How soon a job is looked at again that something on this machine held up, ms. */
export const LOCAL_RETRY_MS = 30_000;

/**
 * The project folder cannot be seen at the moment, as when its disk is unplugged. What tells is our own folder in it:
 * an empty mount point stays behind, and a project made anew there by mistake would hide the real one.
 */
export async function projectIsAway(context: StepContext, job: Job): Promise<boolean> {
  return stat(join(projectOf(context, job).path, '.dailies')).then(
    (found) => !found.isDirectory(),
    () => true,
  );
}
