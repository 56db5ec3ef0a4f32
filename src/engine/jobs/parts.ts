import { messageFor, type Text } from '../../contract/messages/message.ts';
import type { ResultLocation } from '../../contract/job.ts';
import { mediumFor } from '../../contract/kinds/index.ts';
import type { Job } from '../db/job-store.ts';
import type { FetchedPart } from '../db/output-store.ts';
import type { Project } from '../db/project-store.ts';
import { inspectFile, type Inspection } from '../downloads/verify.ts';
import { systemCode } from '../base/errors.ts';
import { below, type Place } from '../files/place.ts';
import { moveFile, openFile, removeFile } from '../files/project-files.ts';
import { ownFolders } from '../files/project-folder.ts';
import { projectFor, rowFor } from './planning.ts';
import type { StepContext } from './step-context.ts';

export const partsFolder = (project: Project): Place => ownFolders(project.path).parts;

export const partName = (job: Job, number: number): string => `${job.id}_${number}.part`;

/**
 * The part file of one output. It is named by the take, so that a new address continues what is there; in a studio by the
 * right to it too, since a machine that lost the take may still write its own.
 */
export function partFile(context: StepContext, job: Job, number: number): Place {
  const held = context.jobs.studio.take(job.id);
  const name = held ? `${job.id}_${number}_${held.epoch}.part` : partName(job, number);
  return below(partsFolder(projectFor(context, job)), name);
}

export function damagedFile(context: StepContext, job: Job, number: number): Place {
  return below(partsFolder(projectFor(context, job)), `${job.id}_${number}.damaged`);
}

export async function inspectPart(
  context: StepContext,
  job: Job,
  number: number,
  { bytes, contentType }: Pick<FetchedPart, 'bytes' | 'contentType'>,
  location: ResultLocation | undefined,
): Promise<(Exclude<Inspection, { problem: Text }> & Pick<FetchedPart, 'facts'>) | { readonly problem: Text }> {
  const place = partFile(context, job, number);
  const part = await openFile(place, 'read').catch(() => null);
  try {
    if (part?.bytes !== bytes) return { problem: messageFor('failure.fetchedFileGone') };
    const found = await inspectFile(part, {
      medium: mediumFor(job.kind, rowFor(context, job).spec.params),
      contentType: contentType ?? undefined,
      ...(location?.at === 'url' && { url: location.url }),
    });
    if ('problem' in found) return found;
    return { ...found, facts: await context.facts.read(place, part, found.format) };
  } finally {
    await part?.handle.close();
  }
}

export async function discardPart(context: StepContext, job: Job, number: number): Promise<void> {
  await removeFile(partFile(context, job, number));
  context.outputs.forgetPart(job.id, number);
}

/** As `discardPart`, but keeps the file: it is paid for, and the next try may not be better. */
export async function setPartAside(context: StepContext, job: Job, number: number): Promise<void> {
  try {
    await moveFile(partFile(context, job, number), damagedFile(context, job, number));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  context.outputs.forgetPart(job.id, number);
}
