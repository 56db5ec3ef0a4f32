import type { BatchView } from '../../../contract/batch.ts';
import { t } from '../../../contract/messages/words.ts';
import type { NightWindow } from '../../../contract/night-window.ts';
import { act } from '../act.ts';
import { api } from '../client.ts';
import { openList } from '../open-list.ts';
import { toastError } from '../toasts.ts';

/** What a dialog asks about a batch; `window` is the one that the batch has now. */
type BatchQuestion = { readonly batch: BatchView } & (
  | { readonly about: 'name' | 'notes' }
  | { readonly about: 'window'; readonly window: NightWindow | null }
);

class BatchQuestions {
  open = $state.raw<BatchQuestion | null>(null);

  /** A batch's own window is read only now, because few of many batches have one. */
  async askWindow(batch: BatchView): Promise<void> {
    try {
      const all = await api.windows.list();
      const own = all.find(({ scope }) => scope.scope === 'batch' && scope.batchId === batch.id);
      this.open = { about: 'window', batch, window: own?.window ?? null };
    } catch (error) {
      toastError(error);
    }
  }
}

export const batchQuestions = new BatchQuestions();

export const archiveBatch = ({ id }: BatchView): Promise<unknown> =>
  act('batches.archive', { batchId: id }).catch(toastError);

export const unarchiveBatch = ({ id }: BatchView): Promise<unknown> =>
  act('batches.unarchive', { batchId: id }).catch(toastError);

export async function duplicateBatch({ id, projectId, name }: BatchView): Promise<void> {
  const copyAs = t('batch.copyName', { batch: name.slice(0, 150) });
  await openList(projectId, { type: 'batch', batchId: id, copyAs }).catch(toastError);
}
