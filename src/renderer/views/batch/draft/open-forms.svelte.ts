import * as z from 'zod';
import { Persisted } from '../../../lib/state/persisted.svelte.ts';
import { untrack } from 'svelte';

/** Lists that are remembered: those in which it was opened last. */
const MOST_KEPT = 60;

const Ids = z.array(z.string());

/** The lists that are shown with the form of the row beside the grid, by their ids. */
class OpenForms {
  readonly #kept = new Persisted<readonly string[]>(
    'open-row-forms',
    [],
    (stored): stored is z.infer<typeof Ids> => Ids.safeParse(stored).success,
  );

  has(listId: string): boolean {
    return this.#kept.current.includes(listId);
  }

  set(listId: string, isOpen: boolean): void {
    const kept = untrack(() => this.#kept.current);
    if (kept.includes(listId) === isOpen) return;
    this.#kept.change((now) => {
      const others = now.filter((id) => id !== listId);
      return isOpen ? [...others, listId].slice(-MOST_KEPT) : others;
    });
  }
}

export const openForms = new OpenForms();
