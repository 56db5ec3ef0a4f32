import type { Project, ProjectStore, ProjectRow } from '../db/project-store.ts';
import { accountOn, isAccount } from '../../contract/accounts.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { ProjectView } from '../../contract/project.ts';
import type { Counts } from '../../contract/job.ts';
import type { Stores } from '../db/stores.ts';
import type { Settings } from '../../contract/settings.ts';
import { refused, type RefusedError } from '../base/errors.ts';
import { placeIn } from '../files/place.ts';
import { look } from '../files/project-files.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';

/** A folder on a network drive that does not answer within this time counts as away, ms. */
const TIMEOUT_MS = 1000;

type ProjectsShown = Pick<Stores, 'projects' | 'tally'> & { readonly settings: Settings };

export function projectViews(shown: ProjectsShown, which: 'listed' | 'archived' = 'listed'): Promise<ProjectView[]> {
  return Promise.all(shown.projects.rows(which).map((row) => viewFor(row, shown)));
}

export async function projectView(shown: ProjectsShown, projectId: string): Promise<ProjectView> {
  const { projects } = shown;
  const row = projects.rows().find(({ id }) => id === projectId);
  if (!row) requireUnarchived(projects, projectId);
  if (!row) throw unknownProject(projectId);
  return viewFor(row, shown);
}

const unknownProject = (projectId: string): RefusedError =>
  refused('unknown_project', messageFor('failure.noSuch', { what: 'project', id: projectId }), 'remedy.openItsFolder');

async function viewFor({ service, ...row }: ProjectRow, { tally, settings }: ProjectsShown): Promise<ProjectView> {
  const counts = tally.counts({ projectId: row.id });
  const account = accountOn(settings, service)?.name ?? null;
  return { ...row, counts, available: await isThere(row.path), isSample: !isAccount(service), account };
}

function isThere(path: string): Promise<boolean> {
  const found = look(placeIn(path, '.dailies')).then(
    (facts) => facts?.isDirectory() === true,
    () => false,
  );
  return Promise.race([found, new Promise<boolean>((tell) => setTimeout(tell, TIMEOUT_MS, false).unref())]);
}

/** Projects in the archive are read-only. Throws RefusedError. */
export function requireUnarchived(projects: ProjectStore, projectId: string): void {
  if (!projects.isArchived(projectId)) return;
  throw refused(
    'project_archived',
    messageFor('failure.projectArchived', { project: projects.get(projectId)?.name ?? projectId }),
    'remedy.unarchiveProject',
  );
}

export const mayArchive = ({ unfinished, unknown }: Counts): boolean => unfinished + unknown === 0;

export function checkMayArchive(of: 'project' | 'batch', counts: Counts): void {
  if (mayArchive(counts)) return;
  const { unfinished, unknown } = counts;
  const text = messageFor('failure.stillBusy', { of, unfinished, unknown });
  throw refused(`${of}_busy`, text, 'remedy.waitCancelOrDecide');
}

export function checkMayForget(unfinished: number): void {
  if (unfinished === 0) return;
  throw refused('project_busy', messageFor('failure.projectBusy', { count: unfinished }));
}

export function projectFor(projects: ProjectStore, projectId: string): Project {
  const found = projects.get(projectId);
  if (!found) throw unknownProject(projectId);
  return found;
}

/** Throws RefusedError for an unknown batch. */
export function requireBatch(batches: BatchStore, batchId: string): Batch {
  const batch = batches.get(batchId);
  if (batch) return batch;
  throw refused('not_found', messageFor('failure.noSuchItem', { what: 'batch' }), 'remedy.chooseOther');
}

/** Throws RefusedError for an archived batch: it is read only. */
export function requireUnarchivedBatch(batches: BatchStore, { id, name }: Pick<Batch, 'id' | 'name'>): void {
  if (!batches.isArchived(id)) return;
  throw refused('batch_archived', messageFor('failure.batchArchived', { batch: name }), 'remedy.unarchiveBatch');
}
