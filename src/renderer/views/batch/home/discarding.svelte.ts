import { SvelteSet } from 'svelte/reactivity';
import type { DraftView } from '../../../../contract/batch.ts';
import { api } from '../../../lib/client.ts';
import { tellTrouble, tellWithUndo } from '../../../lib/toasts.ts';

/** How long a discarded list can be had back, ms: as long as the toast that offers it stays, and a little more. */
const UNDO_MS = 8500;

/** Lists that are about to be discarded: hidden already, and still there. */
export const discarded = new SvelteSet<string>();

/** Hides a list and discards it once nobody took that back. A window closed before then keeps the list. */
export function discardLater(draft: DraftView): void {
  discarded.add(draft.id);
  const timer = setTimeout(() => {
    api.drafts
      .discard({ draftId: draft.id })
      .catch(tellTrouble)
      .finally(() => discarded.delete(draft.id));
  }, UNDO_MS);
  tellWithUndo(`Discarded the list “${draft.name}”.`, () => {
    clearTimeout(timer);
    discarded.delete(draft.id);
  });
}
