import type { BatchStore } from '../db/batch-store.ts';
import type { JobStore } from '../db/job-store.ts';
import type { OutputStore } from '../db/output-store.ts';
import type { ProjectStore } from '../db/project-store.ts';
import type { ReviewStore } from '../db/review-store.ts';
import type { OpenedProject } from '../engine-api.ts';
import type { Clock } from '../ports.ts';
import { adoptFolder } from './adopt.ts';
import { readBatchFiles } from './batch-file.ts';
import { openProjectFolder } from './project-folder.ts';
import { readRecipes } from './recipe-file.ts';

export interface ProjectStores {
  readonly projects: ProjectStore;
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly outputs: OutputStore;
  readonly review: ReviewStore;
}

/**
 * Opens a project folder, wherever it lies now. A folder this data folder has never seen (made on another machine,
 * or after the database was lost) is taken over from its own files. Throws ProjectFolderError.
 */
export async function openProject(stores: ProjectStores, path: string, clock: Clock): Promise<OpenedProject> {
  const folder = await openProjectFolder(path, clock);
  const isNew = stores.projects.get(folder.id) === null;
  const project = { id: folder.id, path: folder.path, name: folder.name };
  stores.projects.save(project, clock.now());
  if (!isNew) return { ...project, adoptedTakes: 0, problems: [] };
  const { batches, problems: brokenBatches } = await readBatchFiles(folder.path);
  const { recipes, problems: brokenRecipes } = await readRecipes(folder.path);
  const adoptedTakes = adoptFolder(stores, { projectId: folder.id, batches, recipes }, clock.now());
  const problems = [...brokenBatches, ...brokenRecipes].map(({ file, message }) => `${file}: ${message}`);
  return { ...project, adoptedTakes, problems };
}
