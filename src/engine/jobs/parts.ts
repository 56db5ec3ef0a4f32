import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job } from '../db/job-store.ts';
import type { Project } from '../db/project-store.ts';
import { projectOf } from './planning.ts';
import type { StepContext } from './step-context.ts';

/** Folder for files that are still arriving, absolute. */
export const partsFolder = (project: Project) => join(project.path, '.dailies', 'parts');

/** The part file of one output. Named by the take, so that a new address goes on with what is there. */
export function partFile(context: StepContext, job: Job, number: number): string {
  return join(partsFolder(projectOf(context, job)), `${job.id}_${number}.part`);
}

/** Throws away what is here of one output, so that the next try starts from nothing. */
export async function discardPart(context: StepContext, job: Job, number: number): Promise<void> {
  await rm(partFile(context, job, number), { force: true });
  context.outputs.forgetPart(job.id, number);
}
