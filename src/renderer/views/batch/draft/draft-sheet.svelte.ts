import type { DraftColumn } from '../../../../contract/batch.ts';
import type { Kind } from '../../../../contract/kinds/kind.ts';
import type { Parameter } from '../../../../contract/kinds/spec.ts';
import { say } from '../../../../contract/messages/words.ts';
import { groupingNamed, rowGroupings } from '../../../lib/grouping.ts';
import { toast } from '../../../lib/toasts.ts';
import { groupAt, groupRows, type OrderedRows } from '../grid/row-groups.ts';
import { GroupedRows } from '../grid/grouped-rows.svelte.ts';
import type { GridColumn, GridGroups, GridSource, Mark } from '../grid/grid-source.ts';
import type { Place } from '../grid/places.ts';
import { pictureUrl, type CellImage } from './cell-image.ts';
import { columnNamed, kindOfRow, parameterOf } from './column-meaning.ts';
import type { DraftSession } from './draft-session.svelte.ts';
import { groupNames, keptGrouping, rowGroupTitle, type GroupedList } from './list-groups.ts';
import { picturesIn } from './media-cell.ts';
import { SheetColumns } from './sheet-columns.svelte.ts';
import { isFiltered, orderOf, wholeList, type ViewRequest } from './view-order.ts';

/** A draft as it is looked at: filtered, sorted, in groups, its columns as they were arranged. Places on screen become places in the list. */
export class DraftSheet {
  readonly session: DraftSession;
  readonly #kindOfModel: (model: string) => Kind | null;
  request = $state.raw<ViewRequest>(wholeList);
  #ordered = $state.raw<OrderedRows | null>(null);
  readonly rows = new GroupedRows(
    () => this.#ordered,
    () => this.session.list.count,
  );
  /** Empty without groups. */
  readonly groupingName: string = $derived.by(() => keptGrouping(this.session.view, this.session.view.columns));
  readonly grouping = $derived(groupingNamed(this.groupingName, rowGroupings));
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
    return this.isFiltered && this.rows.isOrdered ? this.rows.total : null;
  }

  get rowCount(): number {
    return this.rows.rowCount;
  }

  look(request: ViewRequest): void {
    this.request = request;
    this.lookAgain();
  }

  /** Filters, sorts and groups again; not on its own while a person edits: rows must not move away under their hands. */
  lookAgain(): void {
    const { request, groupingName } = this;
    const isPlain = !isFiltered(request) && request.sort === null && groupingName === '';
    this.#ordered = isPlain ? null : this.#inOrder();
  }

  #inOrder(): OrderedRows {
    const { session, request, grouping } = this;
    const withDefects = session.defects.index.rows();
    const content = {
      rows: session.list.count,
      columns: session.view.columns.length,
      text: this.grouped.text,
      hasDefect: (row: number) => withDefects.has(row),
    };
    const rows = orderOf(request, content) ?? Int32Array.from({ length: content.rows }, (_none, row) => row);
    return grouping === undefined ? { rows, groups: [] } : groupRows(rows, groupNames(grouping, this.grouped));
  }

  get grouped(): GroupedList {
    const { list, view } = this.session;
    return {
      columns: view.columns,
      defaults: view.defaults,
      text: (row, column) => list.text(row, column),
      kindOf: (row) => this.kindOf(row),
    };
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
    if (this.isFiltered || this.request.sort !== null) this.look(wholeList);
    await session.change({ type: 'remove_column', column: listColumn });
    if (session.view.columns.length >= before.length) return;
    toast(say('list.columnRemoved', { column: before[listColumn]?.header ?? '' }));
  }

  text(row: number, column: number): string {
    return this.session.list.text(this.rows.rowAt(row), this.listColumn(column));
  }

  /** The key of the shot of a row on screen; empty when the list has none. */
  shotAt(row: number): string {
    return this.session.list.text(this.rows.rowAt(row), columnNamed(this.session.view.columns, 'shot'));
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
    return kindOfRow(cell, this.#kindOfModel, kind);
  }

  parameterAt({ row, column }: Place): Parameter | null {
    const described = this.columnAt(column);
    return described === null ? null : parameterOf(described, this.kindAt(row));
  }

  /** Assets, shots and local files in a cell that may have pictures. */
  picturesAt(place: Place): readonly CellImage[] {
    const { id, view } = this.session;
    const text = this.text(place.row, place.column);
    const listed = { row: this.rows.rowAt(place.row), column: this.listColumn(place.column) };
    return picturesIn(text, this.columnAt(place.column), this.parameterAt(place)).map((picture) => ({
      ...picture,
      url: pictureUrl(picture, { id, projectId: view.projectId }, listed),
    }));
  }

  /** The list's default for an empty cell; null without one, and for a blank row. */
  ghost(row: number, column: number): string | null {
    const { defaults } = this.session.view;
    if (Object.keys(defaults).length === 0 || this.text(row, column) !== '') return null;
    const said = defaults[this.parameterAt({ row, column })?.name ?? ''] ?? null;
    const isBlank = () => this.session.list.row(this.rows.rowAt(row)).every((cell) => cell.trim() === '');
    return said === null || isBlank() ? null : said;
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

  readonly #groups: GridGroups | null = $derived.by(() => {
    const { grouping, rows } = this;
    if (grouping === undefined || !rows.isOrdered) return null;
    return {
      headings: rows.headings,
      titleOf: ({ name }) => rowGroupTitle(grouping, name, this.session.view.columns),
      marked: (index) => this.#marked[index] ?? { mark: null, rows: 0 },
      fold: (index, isFolded) => rows.fold(index, isFolded),
    };
  });

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
    mark: (row, column) => sheet.session.defects.index.severityAt(sheet.rows.rowAt(row), sheet.listColumn(column)),
    // As a spreadsheet numbers them, and as defects name them: the header is row 1.
    number: (row) => sheet.rows.rowAt(row) + 2,
    rowMark: (row) => sheet.session.defects.index.severityOfRow(sheet.rows.rowAt(row)),
    get editable() {
      return !sheet.session.sync.isEditedElsewhere;
    },
    get groups() {
      return sheet.#groups;
    },
  }))(this);
}
