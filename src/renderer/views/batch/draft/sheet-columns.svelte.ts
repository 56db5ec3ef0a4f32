import type { DraftColumn } from '../../../../contract/batch.ts';
import { t, saySentences } from '../../../../contract/messages/words.ts';
import { between, toastWithUndo, undoHistory, type Reverse } from '../../../lib/undo.svelte.ts';
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

/** After this pause, a new width is a new drag, ms. */
const DRAG_REST_MS = 800;

/** The columns of a list as a person arranged them. A view only: the list keeps its own order. */
export class SheetColumns {
  #sizing: string | null = null;
  #sized: ReturnType<typeof setTimeout> | undefined;
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

  get usual(): readonly number[] {
    return arrangedColumns(this.#keys, plainLayout, columnNamed(this.#session.view.columns, 'shot'));
  }

  /** Pixels. */
  widthOf(index: number): number {
    return this.layout.widths[this.keyOf(index)] ?? this.usualWidthOf(index);
  }

  /** The width that it last had in any list, else one that suits its content. Pixels. */
  usualWidthOf(index: number): number {
    const column = this.#session.view.columns[index];
    return columnWidths.of(column?.header ?? '') ?? (column === undefined ? 128 : firstWidth(column));
  }

  /** Also the first width of the column in other lists. A drag is one step of undo, however many widths it sets. */
  setWidth(index: number, width: number): void {
    const { layout } = this;
    const list = this.#session.view;
    const key = this.keyOf(index);
    if (key !== this.#sizing) {
      const words = t('list.columnResized', { column: this.nameOf(index) });
      undoHistory.add(words, this.#toWidths(layout.widths));
    }
    this.#sizing = key;
    clearTimeout(this.#sized);
    this.#sized = setTimeout(() => (this.#sizing = null), DRAG_REST_MS);
    columnLayouts.set(list, { ...layout, widths: { ...layout.widths, [key]: width } });
    columnWidths.set(list.columns[index]?.header ?? '', width);
  }

  #toWidths(widths: ColumnLayout['widths']): Reverse {
    return () => {
      const { layout } = this;
      columnLayouts.set(this.#session.view, { ...layout, widths });
      return this.#toWidths(layout.widths);
    };
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
