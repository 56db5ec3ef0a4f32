import { SvelteMap } from 'svelte/reactivity';
import { foldHeader } from '../../../../contract/kinds/index.ts';
import { Persisted } from '../../../lib/state/persisted.svelte.ts';

/** How many are kept, those that were set last. */
const MOST_KEPT = 200;

type Width = readonly [header: string, width: number];

const areWidths = (stored: unknown): stored is Width[] =>
  Array.isArray(stored) &&
  stored.every((each: unknown) => Array.isArray(each) && typeof each[0] === 'string' && typeof each[1] === 'number');

/** Widths a person gave to columns, by header: a list of the same columns looks the same the next time. */
class ColumnWidths {
  readonly #kept = new Persisted<readonly Width[]>('column-widths', [], areWidths);
  readonly #widths = new SvelteMap<string, number>(this.#kept.current);

  of(header: string): number | undefined {
    return this.#widths.get(foldHeader(header));
  }

  set(header: string, width: number): void {
    const name = foldHeader(header);
    this.#widths.set(name, width);
    this.#kept.change((now) => [...now.filter(([other]) => other !== name), [name, width] as const].slice(-MOST_KEPT));
  }
}

export const columnWidths = new ColumnWidths();
