import type { BatchView } from '../../../contract/batch.ts';
import type { BatchOrder } from '../../../contract/batch-order.ts';
import { say } from '../../../contract/messages/words.ts';
import { api } from '../client.ts';
import { openList } from '../lists.ts';
import { toastError } from '../toasts.ts';
import { requireUnchanged, toastWithUndo, rememberUndo } from '../undo.svelte.ts';

/** Renames a batch. Throws the engine's refusal. */
export async function renameBatch(batch: BatchView, name: string): Promise<void> {
  const { id, name: before } = batch;
  await api.batches.rename({ batchId: id, name });
  const left = (await asItIs(batch))?.name;
  toastWithUndo(say('common.renamed', { before, name }), async () => {
    requireUnchanged((await asItIs(batch))?.name, left);
    await api.batches.rename({ batchId: id, name: before });
  });
}

async function asItIs({ id, projectId }: BatchView): Promise<BatchView | undefined> {
  return (await api.batches.list({ projectId })).find((batch) => batch.id === id);
}

/** Writes the notes of a batch. Throws the engine's refusal. */
export async function setBatchNotes(batch: BatchView, notes: string): Promise<void> {
  const { id, name, notes: before } = batch;
  await api.batches.setNotes({ batchId: id, notes });
  const left = (await asItIs(batch))?.notes;
  toastWithUndo(say('batch.notesSaved', { batch: name }), async () => {
    requireUnchanged((await asItIs(batch))?.notes, left);
    await api.batches.setNotes({ batchId: id, notes: before });
  });
}

/** How the batches of a project are listed; the ids, as they are shown, count where the order is by hand. */
interface Listed {
  readonly order: BatchOrder;
  readonly ids: readonly string[];
}

/** Lists the batches of a project in another order. `read` shows the old one after an undo. Throws the engine's refusal. */
export async function orderBatches(
  projectId: string,
  wanted: Listed,
  before: Listed,
  read: () => Promise<unknown>,
): Promise<void> {
  await putInOrder(projectId, wanted);
  const isMove = wanted.order === 'hand' && before.order === 'hand';
  (isMove ? rememberUndo : toastWithUndo)(say('batch.reordered'), async () => {
    requireUnchanged(await listedNow(projectId, wanted), wanted);
    await putInOrder(projectId, before);
    await read();
  });
}

async function putInOrder(projectId: string, { order, ids }: Listed): Promise<void> {
  await api.batches.order({ projectId, order, ...(order === 'hand' && { batchIds: [...ids] }) });
}

async function listedNow(projectId: string, { ids }: Listed): Promise<Listed | null> {
  const project = (await api.projects.list()).find(({ id }) => id === projectId);
  if (project?.batchOrder !== 'hand') return project ? { order: project.batchOrder, ids } : null;
  const batches = await api.batches.list({ projectId });
  return { order: 'hand', ids: batches.map(({ id }) => id).filter((id) => ids.includes(id)) };
}

export async function archiveBatch({ id, name }: BatchView): Promise<void> {
  try {
    await api.batches.archive({ batchId: id });
    toastWithUndo(say('batch.archived', { batch: name }), () => api.batches.unarchive({ batchId: id }));
  } catch (error) {
    toastError(error);
  }
}

export async function unarchiveBatch({ id, name }: BatchView): Promise<void> {
  try {
    await api.batches.unarchive({ batchId: id });
    toastWithUndo(say('common.unarchived', { name }), () => api.batches.archive({ batchId: id }));
  } catch (error) {
    toastError(error);
  }
}

/** Opens the shots of a batch as a list that becomes another one, without takes. */
export async function duplicateBatch({ id, projectId, name }: BatchView): Promise<void> {
  const copyAs = say('batch.copyName', { batch: name.slice(0, 150) });
  await openList(projectId, { type: 'batch', batchId: id, copyAs }).catch(toastError);
}
