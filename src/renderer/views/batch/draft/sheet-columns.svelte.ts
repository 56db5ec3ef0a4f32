import type { DraftColumn } from '../../../../contract/batch.ts';
import { t, saySentences } from '../../../../contract/messages/words.ts';
import { between, toastWithUndo } from '../../../lib/undo.svelte.ts';
import type { GridColumn } from '../grid/grid-source.ts';
import {
  arrangedColumns,
  columnKeys,
  moved,
  plainLayout,
  type ColumnLayout,
  columnNamed,
  firstWidth,
  isNumeric,
  meaningInWords,
  parameterFor,
} from './columns.ts';
import type { DraftSession } from './draft-session.svelte.ts';
import { columnLayouts, columnWidths } from './kept-layouts.svelte.ts';
import { mediaTakenBy } from '../../../lib/shot-form/media-cell.ts';
import type { ViewRequest } from './view-order.ts';

/** The columns of a list as a person arranged them. A view only: the list keeps its own order. */
export class SheetColumns {
  readonly #session: DraftSession;
  readonly #keys = $derived.by(() => columnKeys(this.#session.view.columns.map(({ header }) => header)));
  readonly arranged: readonly number[] = $derived.by(() =>
    arrangedColumns(this.#keys, this.layout, columnNamed(this.#session.view.columns, 'shot')),
  );
  /** The same without those that are hidden; one stays in any case. */
  readonly shown: readonly number[] = $derived.by(() => {
    const shown = this.arranged.filter((index) => !this.isHidden(index));
    return shown.length > 0 ? shown : this.arranged.slice(0, 1);
  });

  constructor(session: DraftSession) {
    this.#session = session;
  }

  get layout(): ColumnLayout {
    return columnLayouts.of(this.#session.view);
  }

  keyOf(index: number): string {
    return this.#keys[index] ?? '';
  }

  isHidden(index: number): boolean {
    return index >= 0 && this.layout.hidden.includes(this.keyOf(index));
  }

  nameOf(index: number): string {
    return this.#session.view.columns[index]?.header || t('list.columnNumber', { number: index + 1 });
  }

  /** The width that it last had, here or in any list, else one that suits its content. Pixels. */
  widthOf(index: number): number {
    const column = this.#session.view.columns[index];
    return this.#givenWidth(index) ?? (column === undefined ? 128 : firstWidth(column));
  }

  get isArranged(): boolean {
    return this.layout.order.length + this.layout.hidden.length > 0 || this.layout.frozen !== plainLayout.frozen;
  }

  /** Columns in the order of the list, all of them shown. */
  restore(): void {
    const { widths, group } = this.layout;
    this.change({ ...plainLayout, widths, group }, t('list.columnsArranged'));
  }

  /** Also the first width of the column in other lists. */
  setWidth(index: number, width: number): void {
    const { layout } = this;
    const list = this.#session.view;
    columnLayouts.set(list, { ...layout, widths: { ...layout.widths, [this.keyOf(index)]: width } });
    columnWidths.set(list.columns[index]?.header ?? '', width);
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
    const hidden = layout.hidden.filter((key) => key !== this.keyOf(index));
    columnLayouts.set(this.#session.view, { ...layout, hidden });
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
    const list = this.#session.view;
    columnLayouts.set(list, layout);
    toastWithUndo(
      words,
      between(
        () => columnLayouts.set(list, before),
        () => columnLayouts.set(list, layout),
      ),
    );
  }

  shapeOf(index: number, { sort }: ViewRequest): GridColumn {
    const column: DraftColumn | undefined = this.#session.view.columns[index];
    const defect = this.#session.defects.index.ofHeader(index);
    const header = column?.header ?? String(index);
    return {
      key: `${index} ${header}`,
      title: header,
      subtitle: column === undefined ? '' : meaningInWords(column),
      width: this.widthOf(index),
      alignEnd: column !== undefined && isNumeric(column),
      defect: defect && { mark: defect.severity, words: saySentences(defect.problem, defect.remedy) },
      sorted: sort?.column !== index ? null : sort.descending ? 'descending' : 'ascending',
      isCustom: column !== undefined && (column.isExtra || mediaTakenBy(column, parameterFor(column, null)) !== null),
      stretches: column?.column === 'prompt' && this.#givenWidth(index) === undefined,
    };
  }

  #givenWidth(index: number): number | undefined {
    return this.layout.widths[this.keyOf(index)] ?? columnWidths.of(this.#session.view.columns[index]?.header ?? '');
  }
}
