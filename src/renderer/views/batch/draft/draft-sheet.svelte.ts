import type { DraftColumn } from '../../../../contract/batch.ts';
import type { Kind } from '../../../../contract/kinds/kind.ts';
import type { Parameter } from '../../../../contract/kinds/spec.ts';
import { say } from '../../../../contract/messages/words.ts';
import { toast } from '../../../lib/toasts.ts';
import type { GridColumn, GridSource } from '../grid/grid-source.ts';
import type { Place } from '../grid/places.ts';
import { columnNamed, kindOfRow, parameterOf } from './column-meaning.ts';
import type { DraftSession } from './draft-session.svelte.ts';
import { picturesIn, type NamedPicture } from './media-cell.ts';
import { SheetColumns } from './sheet-columns.svelte.ts';
import { isFiltered, orderOf, placesIn, wholeList, type ViewRequest } from './view-order.ts';

/** A draft as it is looked at: filtered, sorted, its columns as they were arranged. Places on screen become places in the list. */
export class DraftSheet {
  readonly session: DraftSession;
  readonly #kindOfModel: (model: string) => Kind | null;
  request = $state.raw<ViewRequest>(wholeList);
  #order = $state.raw<Int32Array | null>(null);
  readonly #screenRows = $derived(this.#order === null ? null : placesIn(this.#order));
  readonly layout: SheetColumns;
  readonly columns: readonly GridColumn[] = $derived.by(() =>
    this.layout.shown.map((index) => this.layout.shapeOf(index, this.request)),
  );

  constructor(session: DraftSession, kindOfModel: (model: string) => Kind | null) {
    this.session = session;
    this.layout = new SheetColumns(session);
    this.#kindOfModel = kindOfModel;
  }

  get isFiltered(): boolean {
    return isFiltered(this.request);
  }

  /** Rows that are left by a filter; null while none is in force. */
  get shownRows(): number | null {
    return this.isFiltered && this.#order !== null ? this.#order.length : null;
  }

  get rowCount(): number {
    return this.#order === null ? this.session.list.count : this.#order.length;
  }

  /** Shows the list another way; loads all of it first where that is needed. */
  async look(request: ViewRequest): Promise<void> {
    this.request = request;
    await this.lookAgain();
  }

  /** Filters and sorts afresh: rows are not taken from under a person's hands while they edit. */
  async lookAgain(): Promise<void> {
    const request = this.request;
    if (!isFiltered(request) && request.sort === null) {
      this.#order = null;
      return;
    }
    if (!(await this.session.list.loadAll()) || request !== this.request) return;
    const { session } = this;
    const rows = session.defects.index.rows();
    this.#order = orderOf(request, {
      rows: session.list.count,
      columns: session.view.columns.length,
      text: (row, column) => session.list.text(row, column) ?? '',
      hasDefect: (row) => rows.has(row),
    });
  }

  /** Tells which rows are in sight. A filtered or sorted list is loaded as a whole. */
  want(first: number, last: number): void {
    if (this.#order === null) this.session.list.want(first, last);
  }

  /** Row of the list at a place on screen. */
  listRow(row: number): number {
    return this.#order === null ? row : (this.#order[row] ?? -1);
  }

  listColumn(column: number): number {
    return this.layout.shown[column] ?? -1;
  }

  /** -1 when a filter hides it. */
  screenRow(row: number): number {
    return this.#screenRows === null ? row : (this.#screenRows.get(row) ?? -1);
  }

  /** -1 when it is hidden. */
  screenColumn(column: number): number {
    return this.layout.shown.indexOf(column);
  }

  get mayRemoveColumn(): boolean {
    const { view, obstacle, sync } = this.session;
    return view.columns.length > 1 && obstacle === null && !sync.link.isAway;
  }

  /** Takes a column out of the list. Nothing is asked: undo brings it back with all its cells. */
  async removeColumn(listColumn: number): Promise<void> {
    const { session } = this;
    const before = session.view.columns;
    // Filters and order go by the places of columns.
    if (this.isFiltered || this.request.sort !== null) await this.look(wholeList);
    await session.change({ type: 'remove_column', column: listColumn });
    if (session.view.columns.length >= before.length) return;
    toast(say('list.columnRemoved', { column: before[listColumn]?.header ?? '' }));
  }

  text(row: number, column: number): string | null {
    return this.session.list.text(this.listRow(row), this.listColumn(column));
  }

  /** What a person calls the shot of a row on screen; empty where the list does not say. */
  shotAt(row: number): string {
    return this.session.list.text(this.listRow(row), columnNamed(this.session.view.columns, 'shot')) ?? '';
  }

  columnAt(column: number): DraftColumn | null {
    return this.session.view.columns[this.listColumn(column)] ?? null;
  }

  kindAt(row: number): Kind | null {
    const { columns, kind, defaults } = this.session.view;
    const cells = this.session.list.row(this.listRow(row));
    const cell = (name: string) => cells[columnNamed(columns, name)]?.trim() || (defaults[name] ?? '');
    return kindOfRow(cell, this.#kindOfModel, kind);
  }

  parameterAt({ row, column }: Place): Parameter | null {
    const described = this.columnAt(column);
    return described === null ? null : parameterOf(described, this.kindAt(row));
  }

  /** What a cell names that there may be pictures of. */
  picturesAt(place: Place): readonly NamedPicture[] {
    return picturesIn(this.text(place.row, place.column) ?? '', this.columnAt(place.column), this.parameterAt(place));
  }

  /** What the list says in place of an empty cell; null where it says nothing, and for a row that is blank. */
  ghost(row: number, column: number): string | null {
    const { defaults } = this.session.view;
    if (Object.keys(defaults).length === 0 || this.text(row, column) !== '') return null;
    const said = defaults[this.parameterAt({ row, column })?.name ?? ''] ?? null;
    const isBlank = () => this.session.list.row(this.listRow(row)).every((cell) => cell.trim() === '');
    return said === null || isBlank() ? null : said;
  }

  /** What the grid draws. */
  readonly source: GridSource = ((sheet: DraftSheet): GridSource => ({
    get rowCount() {
      return sheet.rowCount;
    },
    get columns() {
      return sheet.columns;
    },
    get frozen() {
      return sheet.layout.layout.frozen;
    },
    text: (row, column) => sheet.text(row, column),
    ghost: (row, column) => sheet.ghost(row, column),
    mark: (row, column) => sheet.session.defects.index.severityAt(sheet.listRow(row), sheet.listColumn(column)),
    // As a spreadsheet numbers them, and as defects name them: the header is row 1.
    number: (row) => sheet.listRow(row) + 2,
    rowMark: (row) => sheet.session.defects.index.severityOfRow(sheet.listRow(row)),
    get editable() {
      return !sheet.session.sync.isEditedElsewhere;
    },
  }))(this);
}
