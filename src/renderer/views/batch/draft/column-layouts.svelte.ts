import * as z from 'zod';
import type { DraftView } from '../../../../contract/batch.ts';
import { Persisted } from '../../../lib/state/persisted.svelte.ts';
import { plainLayout, type ColumnLayout } from './column-layout.ts';

/** Lists whose layout is kept: those that were arranged last. */
const MOST_KEPT = 250;

const Kept = z.array(
  z.tuple([
    z.string(),
    z.object({
      order: z.array(z.string()),
      hidden: z.array(z.string()),
      frozen: z.int().min(1),
      widths: z.record(z.string(), z.number()),
      group: z.string().optional(),
    }),
  ]),
);
type Kept = z.infer<typeof Kept>;

/** A list, and its batch where there is one: every list of the batch has the same layout. */
export type ArrangedList = Pick<DraftView, 'id' | 'batchId'>;

/** The layout of the columns of each list, by the id of its batch, or by its own while it has none. */
class ColumnLayouts {
  readonly #kept = new Persisted<readonly (readonly [string, ColumnLayout])[]>(
    'column-layouts',
    [],
    (stored): stored is Kept => Kept.safeParse(stored).success,
  ).followOthers();

  /** A list that was arranged before it was started keeps its layout. */
  of({ id, batchId }: ArrangedList): ColumnLayout {
    const kept = new Map(this.#kept.current);
    return (batchId !== null ? kept.get(batchId) : undefined) ?? kept.get(id) ?? plainLayout;
  }

  set({ id, batchId }: ArrangedList, layout: ColumnLayout): void {
    const key = batchId ?? id;
    this.#kept.change((now) => [...now.filter(([of]) => of !== key), [key, layout] as const].slice(-MOST_KEPT));
  }
}

export const columnLayouts = new ColumnLayouts();
