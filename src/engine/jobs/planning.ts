import type { ShotSpec } from '../../contract/shot.ts';
import type { Job } from '../db/job-store.ts';
import type { Project } from '../db/project-store.ts';
import type { Account } from '../db/service-store.ts';
import type { RequestContext } from '../kinds/driver.ts';
import { needsOf, type Needs } from '../library/needs.ts';
import { realPath } from '../files/real-path.ts';
import { isEntryMissing } from './missing-entries.ts';
import type { StepContext } from './step-context.ts';

/** A job's shot and what its request depends on besides. */
export function planningOf(
  context: StepContext,
  account: Account,
  job: Job,
): { readonly spec: ShotSpec; readonly planning: RequestContext } {
  const { spec, listFolder } = shotOf(context, job);
  const { service, settings } = context;
  return {
    spec,
    planning: {
      settings,
      listFolder,
      assets: assetsOf(context, account, job, needsOf(spec, listFolder)),
      entryIsMissing: isEntryMissing(service, account, spec, context.ports.clock.now()),
    },
  };
}

/** A job's shot, and the folder that local paths in it are relative to. */
export function shotOf(context: StepContext, job: Job): { readonly spec: ShotSpec; readonly listFolder: string } {
  const shot = context.batches.shot(job.shotId);
  const batch = context.batches.get(job.batchId);
  if (!shot || !batch) throw new Error(`Job ${job.id} has lost its shot.`);
  return { spec: shot.spec, listFolder: batch.listFolder };
}

/** `Asset://id` of each local path a job was prepared with. Throws when one has none: it must not be sent as a path. */
function assetsOf(context: StepContext, account: Account, job: Job, { local }: Needs): ReadonlyMap<string, string> {
  if (local.length === 0) return new Map();
  const prepared = context.uses.preparedFor(account, job.id);
  const assets = new Map(prepared.map(({ path = '', assetId }) => [path, `Asset://${assetId}`]));
  const missing = local.find(({ cell }) => !assets.has(cell));
  if (missing) throw new Error(`${missing.cell} has not been uploaded`);
  return assets;
}

/** What the shots of a project may send of this machine: what is in its folder, and what was agreed to. */
export async function agreedIn(
  { agreements }: Pick<StepContext, 'agreements'>,
  { id, path }: Project,
): Promise<string[]> {
  return [await realPath(path), ...agreements.of(id)];
}

export function projectOf(context: StepContext, job: Job): Project {
  const project = context.projects.get(job.projectId);
  if (!project) throw new Error(`Job ${job.id} has lost its project.`);
  return project;
}
