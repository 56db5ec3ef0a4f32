import { SvelteMap } from 'svelte/reactivity';
import { foldHeader } from '../../../../contract/kinds/index.ts';

const STORED_AS = 'dailies.column-widths';

/** Widths a person gave to columns, by header: a list of the same columns looks the same the next time. */
class ColumnWidths {
  readonly #widths = new SvelteMap<string, number>(stored());

  of(header: string): number | undefined {
    return this.#widths.get(foldHeader(header));
  }

  set(header: string, width: number): void {
    this.#widths.set(foldHeader(header), width);
    localStorage.setItem(STORED_AS, JSON.stringify([...this.#widths].slice(-200)));
  }
}

function stored(): [string, number][] {
  try {
    const parsed: unknown = JSON.parse(localStorage.getItem(STORED_AS) ?? '[]');
    return Array.isArray(parsed) ? parsed.filter(isWidth) : [];
  } catch {
    return [];
  }
}

const isWidth = (entry: unknown): entry is [string, number] =>
  Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'number';

export const columnWidths = new ColumnWidths();
