import type { DraftColumn } from '../../../../contract/batch.ts';
import type { Kind } from '../../../../contract/kinds/kind.ts';
import type { Parameter } from '../../../../contract/kinds/spec.ts';
import { t } from '../../../../contract/messages/words.ts';
import { assetThumbUrl } from '../../../lib/assets/drag-asset.ts';
import { models } from '../../../lib/state/models.svelte.ts';
import { groupingNamed, rowGroupings } from '../../../lib/grouping.ts';
import { toast } from '../../../lib/toasts.ts';
import type { GridColumn, GridSource, Mark, CellPosition } from '../grid/grid-source.ts';
import { groupAt, groupRows, GroupedRows, type OrderedRows } from '../grid/row-groups.svelte.ts';
import { columnNamed, kindOfRow, parameterFor, toShots } from './columns.ts';
import type { DraftSession } from './draft-session.svelte.ts';
import { groupNames, keptGrouping, rowGroupTitle } from './list-groups.ts';
import { chosenPictures } from '../../../lib/shot-form/chosen-media.svelte.ts';
import { picturesIn, type NamedPicture } from '../../../lib/shot-form/media-cell.ts';
import { SheetColumns } from './sheet-columns.svelte.ts';
import { isFiltered, orderFor, wholeList, type ViewRequest } from './view-order.ts';

/** A picture that a cell names, and its address; null of a shot, whose take the engine is asked for. */
export interface CellImage extends NamedPicture {
  readonly url: string | null;
}

/** A draft as it is looked at: filtered, sorted, in groups, its columns as they were arranged. Places on screen become places in the list. */
export class DraftSheet implements GridSource {
  readonly editable = true;
  readonly session: DraftSession;
  request = $state.raw<ViewRequest>(wholeList);
  #ordered = $state.raw<OrderedRows | null>(null);
  readonly rows: GroupedRows;
  /** Empty without groups. */
  readonly groupingName: string = $derived.by(() => keptGrouping(this.session.view, this.session.view.columns));
  readonly grouping = $derived(groupingNamed(this.groupingName, rowGroupings));
  readonly layout: SheetColumns;
  readonly columns: readonly GridColumn[] = $derived.by(() =>
    this.layout.shown.map((index) => this.layout.shapeOf(index, this.request)),
  );

  constructor(session: DraftSession) {
    this.session = session;
    this.rows = new GroupedRows(
      () => this.#ordered,
      () => session.list.count,
    );
    this.layout = new SheetColumns(session);
  }

  groupTitle(name: string): string {
    return this.grouping === undefined ? '' : rowGroupTitle(this.grouping, name, this.session.view.columns);
  }

  get frozen(): number {
    return this.layout.layout.frozen;
  }

  /** Rows that are left by a filter; null while none is in force. */
  get shownRows(): number | null {
    return isFiltered(this.request) && this.rows.isOrdered ? this.rows.total : null;
  }

  look(request: ViewRequest): void {
    this.request = request;
    this.lookAgain();
  }

  /** Filters, sorts and groups again; not on its own while a person edits: rows must not move away under their hands. */
  lookAgain(): void {
    const { session, request, grouping } = this;
    const { list, view } = session;
    const withDefects = session.defects.index.rows();
    const text = (row: number, column: number) => list.text(row, column);
    const order = orderFor(request, {
      ...{ rows: list.count, columns: view.columns.length, text },
      hasDefect: (row) => withDefects.has(row),
    });
    if (order === null && grouping === undefined) {
      this.#ordered = null;
      return;
    }
    const rows = order ?? Int32Array.from({ length: list.count }, (_none, row) => row);
    this.#ordered =
      grouping === undefined
        ? { rows, groups: [] }
        : groupRows(rows, groupNames(grouping, { ...view, text, kindOf: (row) => this.kindOf(row) }));
  }

  listColumn(column: number): number {
    return this.layout.shown[column] ?? -1;
  }

  get mayRemoveColumn(): boolean {
    const { view, obstacle, sync } = this.session;
    return view.columns.length > 1 && obstacle === null && !sync.link.isAway;
  }

  /** Removes a column from the list without a question: undo restores it with all its cells. */
  async removeColumn(listColumn: number): Promise<void> {
    const { session } = this;
    const before = session.view.columns;
    // Filters and order go by the places of columns.
    if (isFiltered(this.request) || this.request.sort !== null) this.look(wholeList);
    await session.change({ type: 'remove_column', column: listColumn });
    if (session.view.columns.length >= before.length) return;
    toast(t('list.columnRemoved', { column: before[listColumn]?.header ?? '' }));
  }

  text(row: number, column: number): string {
    return this.session.list.text(this.rows.rowAt(row), this.listColumn(column));
  }

  /** The key of the shot of a row on screen; empty when the list has none. */
  shotAt(row: number): string {
    return this.session.list.text(this.rows.rowAt(row), columnNamed(this.session.view.columns, 'shot'));
  }

  /** The key of its shot, else its number, for people. */
  nameAt(row: number): string {
    return this.shotAt(row) || t('list.rowNumber', { row: this.number(row) });
  }

  columnAt(column: number): DraftColumn | null {
    return this.session.view.columns[this.listColumn(column)] ?? null;
  }

  kindAt(row: number): Kind | null {
    return this.kindOf(this.rows.rowAt(row));
  }

  kindOf(listRow: number): Kind | null {
    const { columns, kind, defaults } = this.session.view;
    const cells = this.session.list.row(listRow);
    const cell = (name: string) => cells[columnNamed(columns, name)]?.trim() || (defaults[name] ?? '');
    return kindOfRow(cell, (model) => models.kindOf(model), kind);
  }

  parameterAt({ row, column }: CellPosition): Parameter | null {
    const described = this.columnAt(column);
    return described === null ? null : parameterFor(described, this.kindAt(row));
  }

  /** Assets, shots and local files in a cell that may have pictures. */
  picturesAt({ row, column }: CellPosition): readonly CellImage[] {
    const named = picturesIn(this.text(row, column), this.columnAt(column), this.parameterAt({ row, column }));
    const cell = { row: this.rows.rowAt(row), column: this.listColumn(column) };
    return named.map((each) => ({ ...each, url: this.addressFor(each, cell) }));
  }

  /** Address of what a cell of the list names; null of a shot. */
  addressFor({ of, name }: NamedPicture, { row, column }: CellPosition): string | null {
    const { id, view } = this.session;
    if (of === 'asset') return assetThumbUrl(name, view.projectId, 320);
    if (of === 'shot') return null;
    return chosenPictures.get(name) ?? `/cell-thumb/${id}/${row}/${column}?w=320&named=${encodeURIComponent(name)}`;
  }

  /** The other shots of the list, as a media cell names them. */
  shotsBeside(listRow: number): readonly string[] {
    return toShots(this.session).flatMap((each) => (each.listRow === listRow ? [] : [`Shot://${each.shot}`]));
  }

  /** The list's default for an empty cell; null without one, and for a blank row. */
  ghost(row: number, column: number): string | null {
    const { defaults } = this.session.view;
    if (Object.keys(defaults).length === 0 || this.text(row, column) !== '') return null;
    const said = defaults[this.parameterAt({ row, column })?.name ?? ''] ?? null;
    const isBlank = () => this.session.list.row(this.rows.rowAt(row)).every((cell) => cell.trim() === '');
    return said === null || isBlank() ? null : said;
  }

  mark(row: number, column: number): Mark {
    return this.session.defects.index.severityAt(this.rows.rowAt(row), this.listColumn(column));
  }

  rowMark(row: number): Mark {
    return this.session.defects.index.severityOfRow(this.rows.rowAt(row));
  }

  /** As a spreadsheet numbers them, and as defects name them: the header is row 1. */
  number(row: number): number {
    return this.rows.rowAt(row) + 2;
  }

  /** How many rows of each group have defects, and the worst of these. */
  readonly #marked: readonly { readonly mark: Mark; readonly rows: number }[] = $derived.by(() => {
    const groups = this.#ordered?.groups ?? [];
    const { index } = this.session.defects;
    const marked = groups.map(() => ({ mark: null as Mark, rows: 0 }));
    for (const row of groups.length === 0 ? [] : index.rows()) {
      const place = this.rows.placeOf(row);
      const group = place < 0 ? undefined : marked[groupAt(groups, place)];
      if (group === undefined) continue;
      group.rows += 1;
      if (group.mark !== 'error') group.mark = index.severityOfRow(row);
    }
    return marked;
  });

  groupMark(index: number): { readonly mark: Mark; readonly rows: number } {
    return this.#marked[index] ?? { mark: null, rows: 0 };
  }
}
