import type { UnsentEdit } from './outbox.svelte.ts';

/** Cells that a window keeps at most: more would not fit, and writing them down would hold up whoever pastes them. */
const MOST_CELLS = 20_000;

const keyOf = (draftId: string): string => `dailies.unsent.${draftId}`;

/** Edits of lists that were not sent yet, kept with this window: a reload must not lose what was typed. */
export const keptTexts = {
  read(draftId: string): readonly UnsentEdit[] {
    try {
      // Written by this window alone, just below.
      return JSON.parse(sessionStorage.getItem(keyOf(draftId)) ?? '[]') as UnsentEdit[];
    } catch {
      return [];
    }
  },
  keep(draftId: string, edits: readonly UnsentEdit[]): void {
    try {
      if (edits.length === 0 || cellsIn(edits) > MOST_CELLS) sessionStorage.removeItem(keyOf(draftId));
      else sessionStorage.setItem(keyOf(draftId), JSON.stringify(edits));
    } catch {
      // A block that is larger than what a window may keep: it is still here as long as the page is.
    }
  },
};

const cellsIn = (edits: readonly UnsentEdit[]): number =>
  edits.reduce((sum, { edit }) => sum + (edit.type === 'cells' ? edit.cells.length + (edit.added?.length ?? 0) : 1), 0);

const WINDOW_KEY = 'dailies.window';

/** What this window is called, so that undo takes back what was done here; the same after a reload. */
export function windowName(): string {
  const known = sessionStorage.getItem(WINDOW_KEY);
  if (known !== null) return known;
  const name = crypto.randomUUID();
  sessionStorage.setItem(WINDOW_KEY, name);
  return name;
}
