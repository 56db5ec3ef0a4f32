import type { DraftView } from '../../../../contract/batch.ts';
import { t } from '../../../../contract/messages/words.ts';
import { api } from '../../../lib/client.ts';
import { toastError } from '../../../lib/toasts.ts';
import { between, toastWithUndo } from '../../../lib/undo.svelte.ts';

export async function discardList({ id: draftId, projectId, name }: DraftView): Promise<void> {
  const discard = () => api.drafts.discard({ draftId });
  try {
    await discard();
  } catch (error) {
    return void toastError(error);
  }
  const restore = async (): Promise<void> => void (await api.drafts.restore({ projectId, draftId }));
  toastWithUndo(t('batch.discardedList', { list: name }), between(restore, discard));
}
