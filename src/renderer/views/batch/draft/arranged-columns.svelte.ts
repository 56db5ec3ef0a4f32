import { untrack } from 'svelte';
import * as z from 'zod';
import type { DraftColumn } from '../../../../contract/batch.ts';
import { foldHeader } from '../../../../contract/kinds/index.ts';
import { t, saySentences } from '../../../../contract/messages/words.ts';
import { Persisted } from '../../../lib/state/persisted.svelte.ts';
import { between, toastWithUndo } from '../../../lib/undo.svelte.ts';
import { mediaTakenBy } from '../../../lib/shot-form/media-cell.ts';
import type { GridColumn } from '../grid/grid-source.ts';
import {
  arrangedColumns,
  columnKeys,
  columnNamed,
  firstWidth,
  isNumeric,
  meaningInWords,
  moved,
  parameterFor,
} from './columns.ts';
import type { OpenDraft } from './open-draft.svelte.ts';
import type { ViewRequest } from './row-order.ts';

const Layout = z.object({
  /** Columns from left to right by their keys (see `columnKeys`); one that is missing comes after its neighbour. */
  order: z.array(z.string()),
  hidden: z.array(z.string()),
  /** How many of the shown columns stay in sight while scrolling sideways. */
  frozen: z.int().min(1),
  /** What rows are put together by, as `groupingName` writes it; nothing where they are in no groups. */
  group: z.string().optional(),
});
export type ColumnLayout = Readonly<z.infer<typeof Layout>>;

export const plainLayout: ColumnLayout = { order: [], hidden: [], frozen: 1 };

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
/** Widths that a person gave to columns, by header: in every list, a column of this name has it. Pixels. */
const widths = new KeptByName<number>('column-widths', z.number(), 200);

/** The columns of a list as a person arranged them. A view only: the list keeps its own order. */
export class ArrangedColumns {
  readonly #draft: OpenDraft;
  readonly #keys = $derived.by(() => columnKeys(this.#draft.view.columns.map(({ header }) => header)));
  readonly arranged: readonly number[] = $derived.by(() =>
    arrangedColumns(this.#keys, this.layout.order, columnNamed(this.#draft.view.columns, 'shot')),
  );
  /** The same without those that are hidden; one stays in any case. */
  readonly shown: readonly number[] = $derived.by(() => {
    const shown = this.arranged.filter((index) => !this.isHidden(index));
    return shown.length > 0 ? shown : this.arranged.slice(0, 1);
  });

  constructor(draft: OpenDraft) {
    this.#draft = draft;
  }

  /** Every list of a batch has the same; one that was arranged before it was started keeps its layout. */
  get layout(): ColumnLayout {
    const { id, batchId } = this.#draft.view;
    return (batchId !== null ? layouts.of(batchId) : undefined) ?? layouts.of(id) ?? plainLayout;
  }

  set layout(layout: ColumnLayout) {
    const { id, batchId } = this.#draft.view;
    layouts.set(batchId ?? id, layout);
  }

  keyOf(index: number): string {
    return this.#keys[index] ?? '';
  }

  isHidden(index: number): boolean {
    return index >= 0 && this.layout.hidden.includes(this.keyOf(index));
  }

  nameOf(index: number): string {
    return this.#headerOf(index) || t('list.columnNumber', { number: index + 1 });
  }

  #headerOf(index: number): string {
    return this.#draft.view.columns[index]?.header ?? '';
  }

  get isArranged(): boolean {
    return this.layout.order.length + this.layout.hidden.length > 0 || this.layout.frozen !== plainLayout.frozen;
  }

  /** Columns in the order of the list, all of them shown. */
  restore(): void {
    this.change({ ...plainLayout, group: this.layout.group }, t('list.columnsArranged'));
  }

  setWidth(index: number, width: number): void {
    widths.set(foldHeader(this.#headerOf(index)), width);
  }

  hide(index: number): void {
    const { layout } = this;
    if (this.shown.length < 2) return;
    const frozen = this.shown.indexOf(index) < layout.frozen ? Math.max(1, layout.frozen - 1) : layout.frozen;
    this.change(
      { ...layout, hidden: [...layout.hidden, this.keyOf(index)], frozen },
      t('list.columnHidden', { column: this.nameOf(index) }),
    );
  }

  /** A cell that a person is led to is in sight. */
  show(index: number): void {
    if (!this.isHidden(index)) return;
    const { layout } = this;
    this.layout = { ...layout, hidden: layout.hidden.filter((key) => key !== this.keyOf(index)) };
  }

  move(from: number, to: number): void {
    const index = this.shown[from];
    const target = this.shown[to];
    if (index === undefined || target === undefined || index === target) return;
    const order = moved(this.arranged, this.arranged.indexOf(index), this.arranged.indexOf(target));
    this.change(
      { ...this.layout, order: order.map((each) => this.keyOf(each)) },
      t('list.columnMoved', { column: this.nameOf(index) }),
    );
  }

  freeze(count: number): void {
    this.change({ ...this.layout, frozen: count }, t('list.columnsFrozen', { count }));
  }

  /** Shows the columns in another layout. `words` name the change beside Undo. */
  change(layout: ColumnLayout, words: string): void {
    const before = this.layout;
    this.layout = layout;
    toastWithUndo(
      words,
      between(
        () => (this.layout = before),
        () => (this.layout = layout),
      ),
    );
  }

  shapeOf(index: number, { sort }: ViewRequest): GridColumn {
    const column: DraftColumn | undefined = this.#draft.view.columns[index];
    const header = column?.header ?? String(index);
    const defect = this.#draft.defects.index.ofHeader(index);
    const ownWidth = widths.of(foldHeader(this.#headerOf(index)));
    return {
      key: `${index} ${header}`,
      title: header,
      subtitle: column === undefined ? '' : meaningInWords(column),
      width: ownWidth ?? (column === undefined ? 128 : firstWidth(column)),
      alignEnd: column !== undefined && isNumeric(column),
      defect: defect && { mark: defect.severity, words: saySentences(defect.problem, defect.remedy) },
      sorted: sort?.column !== index ? null : sort.descending ? 'descending' : 'ascending',
      hasPictures:
        column !== undefined && (column.isExtra || mediaTakenBy(column, parameterFor(column, null)) !== null),
      stretches: column?.column === 'prompt' && ownWidth === undefined,
    };
  }
}
