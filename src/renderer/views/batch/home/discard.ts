import type { DraftView } from '../../../../contract/batch.ts';
import { t } from '../../../../contract/messages/words.ts';
import { api } from '../../../lib/client.ts';
import { toastError } from '../../../lib/toasts.ts';
import { between, toastWithUndo } from '../../../lib/undo.svelte.ts';

export async function discardLists(...drafts: readonly DraftView[]): Promise<void> {
  const discard = async (): Promise<void> => {
    for (const { id } of drafts) await api.drafts.discard({ draftId: id });
  };
  const restore = async (): Promise<void> => {
    for (const { id, projectId } of drafts) await api.drafts.restore({ projectId, draftId: id });
  };
  try {
    await discard();
  } catch (error) {
    return void toastError(error);
  }
  const [first] = drafts;
  const isOne = drafts.length === 1 && first !== undefined;
  toastWithUndo(
    isOne ? t('batch.discardedList', { list: first.name }) : t('batch.discardedLists', { count: drafts.length }),
    between(restore, discard),
  );
}
