import type { ShotSpec } from '../../contract/shot.ts';
import type { TakeAsset } from '../../contract/asset.ts';
import type { Job } from '../db/job-store.ts';
import type { Project } from '../db/project-store.ts';
import type { Account, ServiceStore } from '../db/service-store.ts';
import type { RequestContext } from '../kinds/rules.ts';
import { needsFor, type Needs } from '../library/needs.ts';
import { realPath } from '../files/existing-paths.ts';
import { completed, type Completed, type UsedFile } from './shot-sources.ts';
import type { StepContext } from './step-context.ts';
import { driverFor } from '../kinds/index.ts';

export function planningOf(
  context: StepContext,
  account: Account,
  job: Job,
): Completed & { readonly planning: RequestContext } {
  const shot = shotFor(context, job);
  const { spec, listFolder } = shot;
  const { service, settings } = context;
  return {
    spec,
    files: shot.files,
    planning: {
      settings,
      listFolder,
      assets: assetsFor(needsFor(spec, listFolder), preparedMedia(context, account, job, shot.files)),
      entryIsMissing: isEntryMissing(service, account, spec, context.ports.clock.now()),
    },
  };
}

export function shotFor(context: StepContext, job: Job): Completed & { readonly listFolder: string } {
  const { spec, listFolder } = rowFor(context, job);
  return { ...completed(context, job, projectFor(context, job).path, spec), listFolder };
}

export function rowFor(context: StepContext, job: Job): { readonly spec: ShotSpec; readonly listFolder: string } {
  const shot = context.batches.shot(job.shotId);
  const batch = context.batches.get(job.batchId);
  if (!shot || !batch) throw new Error(`Job ${job.id} has lost its shot.`);
  return { spec: shot.spec, listFolder: batch.listFolder };
}

export function preparedMedia(
  { uses }: StepContext,
  account: Account,
  job: Job,
  files: readonly UsedFile[],
): TakeAsset[] {
  const paths = new Map(files.map(({ cell, path }) => [cell, path]));
  return uses.preparedFor(account, job.id).map(({ path = '', ...use }) => ({ ...use, path: paths.get(path) ?? path }));
}

/** `Asset://id` of each local path. Throws when one is missing: a local path must not be sent. */
function assetsFor({ local }: Needs, prepared: readonly TakeAsset[]): ReadonlyMap<string, string> {
  const assets = new Map(prepared.map(({ path = '', assetId }) => [path, `Asset://${assetId}`]));
  const missing = local.find(({ cell }) => !assets.has(cell));
  if (missing) throw new Error(`${missing.cell} has not been uploaded`);
  return assets;
}

/** Files that the shots of a project may send from this machine: those in its folder, and those a person agreed to. */
export async function agreedIn(
  { agreements }: Pick<StepContext, 'agreements'>,
  { id, path }: Project,
): Promise<string[]> {
  return [await realPath(path), ...agreements.of(id)];
}

export function projectFor(context: StepContext, job: Job): Project {
  const project = context.projects.get(job.projectId);
  if (!project) throw new Error(`Job ${job.id} has lost its project.`);
  return project;
}

/** After a day the entry is tried again: access may have been granted. */
const RECHECK_MS = 24 * 3_600_000;

/** True for a day after the service said that it has no such optional endpoint for shots of this kind. */
export function isEntryMissing(service: ServiceStore, account: Account, shot: ShotSpec, now: number): boolean {
  const fact = driverFor(shot.kind).optionalEntry?.fact(shot);
  const since = fact === undefined ? null : service.accountFact(account, fact);
  return since !== null && now - Number(since) <= RECHECK_MS;
}

export function learnEntryIsMissing(service: ServiceStore, account: Account, shot: ShotSpec, now: number): void {
  const fact = driverFor(shot.kind).optionalEntry?.fact(shot);
  if (fact !== undefined) service.saveAccountFact(account, fact, String(now));
}
