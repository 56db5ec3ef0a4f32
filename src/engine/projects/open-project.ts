import type { AssetUseStore } from '../db/asset-use-store.ts';
import type { BatchStore } from '../db/batch-store.ts';
import type { JobStore } from '../db/job-store.ts';
import type { OutputStore } from '../db/output-store.ts';
import type { ProjectStore } from '../db/project-store.ts';
import type { ReviewStore } from '../db/review-store.ts';
import type { OpenedProject } from '../engine-api.ts';
import type { Clock } from '../ports.ts';
import { adoptFolder } from './adopt.ts';
import { readBatchFiles } from './batch-file.ts';
import { openProjectFolder, refuseCopy } from './project-folder.ts';
import { readRecipes } from './recipe-file.ts';
import { claimProject } from './who-works.ts';

export interface ProjectStores {
  readonly projects: ProjectStore;
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly outputs: OutputStore;
  readonly review: ReviewStore;
  readonly uses: AssetUseStore;
}

/**
 * Opens a project folder, wherever it lies now. Takes that this data folder does not know (made on another machine, or
 * before the database was lost) are taken over from the folder's own files. Throws ProjectFolderError, also for a copy, and
 * ProjectInUseError while an engine of another data folder works in it.
 */
export async function openProject(
  stores: ProjectStores,
  path: string,
  { dataFolder, clock }: { readonly dataFolder: string; readonly clock: Clock },
): Promise<OpenedProject> {
  const folder = await openProjectFolder(path, clock);
  const known = stores.projects.get(folder.id);
  if (known) await refuseCopy(folder, known.path);
  await claimProject(folder.path, dataFolder);
  const project = { id: folder.id, path: folder.path, name: folder.name };
  const newBatch = (id: string): boolean => stores.batches.get(id) === null;
  const newTake = (id: string): boolean => stores.jobs.get(id) === null;
  const { batches, problems: brokenBatches } = await readBatchFiles(folder.path, newBatch);
  const { recipes, problems: brokenRecipes } = await readRecipes(folder.path, newTake);
  // In one commit: a project that is known without its takes would have its list make them all again.
  const adoption = stores.batches.inOneCommit(() => {
    stores.projects.save(project, clock.now());
    return adoptFolder(stores, { projectId: folder.id, batches, recipes }, clock.now());
  });
  const unread = [...brokenBatches, ...brokenRecipes].map(({ file, message }) => `${file}: ${message}`);
  return { ...project, adoptedTakes: adoption.takes, problems: [...unread, ...adoption.problems] };
}
