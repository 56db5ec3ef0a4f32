import type { Stores } from '../db/stores.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { changeRows, storedRows } from '../batches/change-rows.ts';
import { planImport } from '../batches/plan-import.ts';
import { placeOfRow } from '../batches/plan-start.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';
import { isStrangeFolder } from '../kinds/media-reference.ts';
import type { BatchFile, BatchHead } from '../files/batch-file.ts';
import { rowOutdated } from '../machine/failures.ts';
import { ForeignFileError, refusedBy, requireOwnName, staysInside } from './foreign-files.ts';

/** Whether another data folder has changed a batch since this one did. */
export function isNewer(batches: BatchStore, known: Batch, file: Pick<BatchHead, 'name' | 'changedAt'>): boolean {
  const last = batches.lastChange(known);
  // Earlier releases renamed a batch without entering when.
  return file.changedAt > last || (file.changedAt === last && file.name !== known.name);
}

/**
 * Gives the batches of a project the names that they have got from another data folder, before anything is known by
 * its name. Returns the ids of the files to read as a whole: those of batches that are unknown here, or were changed
 * elsewhere. A batch that this data folder changed last, or that has no file, as in a project folder that was replaced
 * by an older copy, is marked to be written again.
 */
export function adoptNames(
  batches: BatchStore,
  projectId: string,
  heads: ReadonlyMap<string, BatchHead | null>,
  now: number,
): ReadonlySet<string> {
  const wanted = new Set<string>();
  const names = new Map<string, string>();
  const inFiles = new Set<string>();
  for (const [id, head] of [...heads].sort(([, one], [, other]) => toChangedAt(one) - toChangedAt(other))) {
    const own = batches.get(id);
    const known = own ?? (head && batches.inFolder(projectId, head.folder));
    if (known) inFiles.add(known.id);
    if (head === null || !batches.isWhole(id) || (known && isNewer(batches, known, head))) wanted.add(id);
    if (known?.projectId !== projectId || head === null) continue;
    if (isNewer(batches, known, head)) names.set(known.id, head.name);
    else if (own && head.changedAt < batches.lastChange(own)) batches.setUnwritten(own.id);
  }
  batches.inOneCommit(() => {
    const changed = [...names].filter(([id, name]) => batches.get(id)?.name !== name);
    if (changed.length > 0) batches.adoptNames(projectId, new Map(changed), now);
    for (const { id } of batches.list(projectId)) if (!inFiles.has(id)) batches.setUnwritten(id);
  });
  return wanted;
}

const toChangedAt = (head: BatchHead | null): number => head?.changedAt ?? 0;

/**
 * Adopts a batch from its file: one that is unknown here, or the list and the order that another data folder has given
 * to a known one. Takes of changed and removed rows that were not sent yet are not sent as they were. Until the project
 * is taken in, the batch is marked as incomplete. `twin`: the batch here that it corresponds to under another id.
 * `changed`: the batch whose name, order or rows it changed. `refusal`: why it was not adopted.
 */
export async function adoptBatch(
  { batches, jobs }: Stores,
  { projectId, projectPath }: { readonly projectId: string; readonly projectPath: string },
  file: BatchFile,
  now: number,
): Promise<{ readonly twin: Batch | null; readonly changed: Batch | null; readonly refusal: Text | null }> {
  const own = batches.get(file.id);
  const twin = own ? null : counterpartFor(batches, projectId, file);
  const known = own ?? twin;
  if (known && !saysMore(batches, projectId, known, file)) return { twin, changed: null, refusal: null };
  const stored = await storedRows(batches, known?.id ?? file.id);
  const inOrder = [...stored.values()].sort((one, other) => one.position - other.position);
  const plan = await planImport(inOrder, file.shots);
  const places = new Map(file.shots.map(({ key }, index) => [key, placeOfRow(file.rows?.[index] ?? index + 2)]));
  const isShared = jobs.studio.placeOf(projectId) !== null;
  const batch = known ? changed(known, file, projectPath, isShared) : newBatch(projectId, projectPath, file);
  const refusal = refusedBy(batches, () => {
    requireOwnName(file.id);
    if (!staysInside(file.folder)) {
      throw new ForeignFileError(messageFor('failure.batchFolderOutside', { folder: file.folder }));
    }
    if (places.size < file.shots.length) throw new ForeignFileError(messageFor('failure.twoShotsWithKey'));
    batches.beginAdoption(batch);
    if (known && known.order !== batch.order) batches.takes.putInOrder(batch.id);
    const outdated = new Set([...plan.removed, ...plan.changed.map(({ key }) => key)]);
    for (const job of jobs.unsentOf(batch.id)) {
      if (outdated.has(job.shotKey)) jobs.advance(job, { type: 'unprepared', failure: rowOutdated(now) }, now);
    }
  });
  if (refusal) return { twin, changed: null, refusal };
  await changeRows(batches, { batchId: batch.id, stored, plan, places, at: now });
  return { twin, changed: known && batch, refusal: null };
}

/** Whether a file says more of a known batch than the database, or the adoption of what it says was cut off. */
function saysMore(batches: BatchStore, projectId: string, known: Batch, file: BatchFile): boolean {
  if (known.projectId !== projectId) return false;
  const isCutOff = known.id === file.id && !batches.isWhole(known.id) && file.changedAt >= known.changedAt;
  return isCutOff || isNewer(batches, known, file);
}

/**
 * The batch here that a batch of the folder corresponds to under another id: two data folders may each have created it
 * before reading the other's file. It is found by its name, or by its folder, which a rename keeps. The folder's takes
 * then join the batch here, so that what was sent there is not sent again.
 */
const counterpartFor = (batches: BatchStore, projectId: string, { name, folder }: BatchFile): Batch | null =>
  batches.named(projectId, name) ?? batches.inFolder(projectId, folder);

const changed = (known: Batch, file: BatchFile, project: string, isShared: boolean): Batch => ({
  ...{ ...known, source: file.source, order: file.order },
  // Of a studio's project, another machine may have the folder elsewhere; see `src/studio/intake.ts`.
  listFolder: isShared || isStrangeFolder(file.listFolder, project) ? known.listFolder : file.listFolder,
  changedAt: Math.max(known.changedAt, file.changedAt),
  listAt: file.id === known.id ? file.listAt : null,
});

/** A folder on another machine is never looked at because a project says so: Windows would log in there. */
const newBatch = (projectId: string, projectPath: string, file: BatchFile): Batch => ({
  id: file.id,
  projectId,
  name: file.name,
  folder: file.folder,
  listFolder: isStrangeFolder(file.listFolder, projectPath) ? projectPath : file.listFolder,
  source: file.source,
  nameTemplate: file.nameTemplate,
  order: file.order,
  createdAt: file.createdAt,
  changedAt: file.changedAt,
  listAt: file.listAt,
});
