import * as z from 'zod';
import { Persisted } from '../../../lib/state/persisted.svelte.ts';
import { plainLayout, type ColumnLayout } from './column-layout.ts';

/** Lists whose layout is kept: those that were arranged last. */
const MOST_KEPT = 60;

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

/** How the columns of each list are shown, by the list's id. */
class ColumnLayouts {
  readonly #kept = new Persisted<readonly (readonly [string, ColumnLayout])[]>(
    'column-layouts',
    [],
    (stored): stored is Kept => Kept.safeParse(stored).success,
  ).followOthers();

  of(listId: string): ColumnLayout {
    return this.#kept.current.find(([id]) => id === listId)?.[1] ?? plainLayout;
  }

  set(listId: string, layout: ColumnLayout): void {
    this.#kept.change((now) => [...now.filter(([id]) => id !== listId), [listId, layout] as const].slice(-MOST_KEPT));
  }
}

export const columnLayouts = new ColumnLayouts();
