import { SvelteSet } from 'svelte/reactivity';
import type { DraftView } from '../../../../contract/batch.ts';
import { say } from '../../../../contract/messages/words.ts';
import { api } from '../../../lib/client.ts';
import { toastError } from '../../../lib/toasts.ts';
import { toastWithUndo, undoHistory } from '../../../lib/undo.svelte.ts';

/** How long a discarded list can be restored, ms: as long as the toast that offers it stays, and a little more. */
const UNDO_MS = 8500;

/** Lists that will be discarded: hidden already, and still stored. */
export const discarded = new SvelteSet<string>();

/** Hides lists and discards them unless the person undoes it. A window closed before then keeps them. */
export function discardLater(...drafts: readonly DraftView[]): void {
  const ids = drafts.map(({ id }) => id);
  for (const id of ids) discarded.add(id);
  const [first] = drafts;
  const step = toastWithUndo(
    drafts.length === 1 && first
      ? say('batch.discardedList', { list: first.name })
      : say('batch.discardedLists', { count: ids.length }),
    () => {
      clearTimeout(timer);
      for (const id of ids) discarded.delete(id);
    },
  );
  const timer = setTimeout(() => {
    undoHistory.drop(step);
    void discard(ids);
  }, UNDO_MS);
}

async function discard(ids: readonly string[]): Promise<void> {
  for (const draftId of ids) {
    await api.drafts.discard({ draftId }).catch(toastError);
    discarded.delete(draftId);
  }
}
