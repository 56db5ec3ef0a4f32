import { untrack } from 'svelte';
import * as z from 'zod';
import type { DraftView } from '../../../../contract/batch.ts';
import { foldHeader } from '../../../../contract/kinds/index.ts';
import { Persisted } from '../../../lib/state/persisted.svelte.ts';
import { plainLayout, type ColumnLayout } from './columns.ts';

/** A list, and its batch where there is one: every list of the batch has the same layout. */
export type ArrangedList = Pick<DraftView, 'id' | 'batchId'>;

const Layout = z.object({
  order: z.array(z.string()),
  hidden: z.array(z.string()),
  frozen: z.int().min(1),
  widths: z.record(z.string(), z.number()),
  group: z.string().optional(),
});

/** Values by name, of which those that were set last are kept. */
class KeptByName<T> {
  readonly #most: number;
  readonly #kept: Persisted<readonly (readonly [string, T])[]>;

  constructor(store: string, shape: z.ZodType<T>, most: number) {
    type Stored = readonly (readonly [string, T])[];
    const shapes = z.array(z.tuple([z.string(), shape]));
    this.#most = most;
    this.#kept = new Persisted<Stored>(store, [], (stored): stored is Stored => shapes.safeParse(stored).success);
  }

  of(name: string): T | undefined {
    return this.#kept.current.find(([of]) => of === name)?.[1];
  }

  set(name: string, value: T): void {
    if (untrack(() => this.of(name)) === value) return;
    this.#kept.change((now) => [...now.filter(([of]) => of !== name), [name, value] as const].slice(-this.#most));
  }
}

export const openForms = new KeptByName<boolean>('open-row-forms', z.boolean(), 200);

const layouts = new KeptByName<ColumnLayout>('column-layouts', Layout, 250);
const widths = new KeptByName<number>('column-widths', z.number(), 200);

export const columnLayouts = {
  /** A list that was arranged before it was started keeps its layout. */
  of: ({ id, batchId }: ArrangedList): ColumnLayout =>
    (batchId !== null ? layouts.of(batchId) : undefined) ?? layouts.of(id) ?? plainLayout,
  set: ({ id, batchId }: ArrangedList, layout: ColumnLayout): void => layouts.set(batchId ?? id, layout),
};

/** Widths a person gave to columns, by header: a list of the same columns looks the same the next time. */
export const columnWidths = {
  of: (header: string): number | undefined => widths.of(foldHeader(header)),
  set: (header: string, width: number): void => widths.set(foldHeader(header), width),
};
