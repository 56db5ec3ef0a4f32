import type { DraftColumn } from '../../../../contract/batch.ts';
import type { Kind } from '../../../../contract/kinds/kind.ts';
import type { Parameter } from '../../../../contract/kinds/spec.ts';
import { t } from '../../../../contract/messages/words.ts';
import { assetThumbUrl } from '../../../lib/assets/drag-asset.ts';
import { models } from '../../../lib/state/models.svelte.ts';
import { groupingNamed } from '../../../lib/grouping.ts';
import { toast } from '../../../lib/toasts.ts';
import { chosenPictures } from '../../../lib/shot-form/chosen-media.svelte.ts';
import { picturesIn, type NamedPicture } from '../../../lib/shot-form/media-cell.ts';
import { groupAt, type CellPosition, type GridColumn, type GridHeading, type Mark } from '../grid/grid-source.ts';
import { ArrangedColumns } from './arranged-columns.svelte.ts';
import { columnNamed, kindOfRow, parameterFor } from './columns.ts';
import type { OpenDraft } from './open-draft.svelte.ts';
import {
  groupColumns,
  groupRows,
  isFiltered,
  orderFor,
  wholeList,
  type OrderedRows,
  type ViewRequest,
} from './row-order.ts';

/** A picture that a cell names, and its address; null of a shot, whose take the engine is asked for. */
export interface CellImage extends NamedPicture {
  readonly url: string | null;
}

/** A draft as it is looked at: filtered, sorted, in groups, its columns as they were arranged. Places on screen become places in the list. */
export class DraftSheet {
  readonly draft: OpenDraft;
  readonly layout: ArrangedColumns;
  readonly columns: readonly GridColumn[] = $derived.by(() =>
    this.layout.shown.map((index) => this.layout.shapeOf(index, this.request)),
  );
  request = $state.raw<ViewRequest>(wholeList);
  /** Null while the list is shown as it is. */
  #ordered = $state.raw<OrderedRows | null>(null);
  /** The place of each row of the list on screen; -1 for those that a filter hides. */
  readonly #places = $derived.by(() => {
    const places = new Int32Array(this.draft.count).fill(-1);
    for (const [place, row] of this.#ordered?.rows.entries() ?? []) if (row < places.length) places[row] = place;
    return places;
  });
  /** The column of the list that rows are put together by; -1 without groups, and where that column is gone. */
  readonly groupColumn: number = $derived.by(() => {
    const grouping = groupingNamed(this.layout.layout.group, []);
    const all = groupColumns(this.draft.view.columns);
    return all.find(({ column }) => grouping?.by === 'column' && column === grouping.column)?.index ?? -1;
  });
  readonly headings: readonly GridHeading[] = $derived.by(() => {
    const groups = this.#ordered?.groups ?? [];
    if (groups.length === 0) return [];
    const without = t('review.groupWithoutColumn', { column: this.layout.nameOf(this.groupColumn) });
    const { index } = this.draft.defects;
    const marked = Map.groupBy(index.rows(), (row) => groupAt(groups, this.placeOf(row)));
    return groups.map(({ name, start, count }, at) => {
      const rows = marked.get(at) ?? [];
      const mark = rows.some((row) => index.severityOfRow(row) === 'error') ? 'error' : 'warning';
      return { title: name || without, start, count, mark: rows.length === 0 ? null : mark, marked: rows.length };
    });
  });

  constructor(draft: OpenDraft) {
    this.draft = draft;
    this.layout = new ArrangedColumns(draft);
  }

  get frozen(): number {
    return this.layout.layout.frozen;
  }

  get rowCount(): number {
    return this.#ordered?.rows.length ?? this.draft.count;
  }

  /** The row of the list at a place on screen; -1 beyond them. */
  rowAt(place: number): number {
    return this.#ordered === null ? place : (this.#ordered.rows[place] ?? -1);
  }

  /** The place of a row of the list on screen; -1 when it is filtered out. */
  placeOf(listRow: number): number {
    return this.#ordered === null ? listRow : (this.#places[listRow] ?? -1);
  }

  /** Rows that are left by a filter; null while none is in force. */
  get shownRows(): number | null {
    return isFiltered(this.request) && this.#ordered !== null ? this.rowCount : null;
  }

  look(request: ViewRequest): void {
    this.request = request;
    this.lookAgain();
  }

  /** Filters, sorts and groups again; not on its own while a person edits: rows must not move away under their hands. */
  lookAgain(): void {
    const { draft, request, groupColumn } = this;
    const { view, count } = draft;
    const withDefects = draft.defects.index.rows();
    const text = (row: number, column: number) => draft.text(row, column);
    const order = orderFor(request, {
      ...{ rows: count, columns: view.columns.length, text },
      hasDefect: (row) => withDefects.has(row),
    });
    if (groupColumn < 0) {
      this.#ordered = order && { rows: order, groups: [] };
      return;
    }
    const rows = order ?? Int32Array.from({ length: count }, (_none, row) => row);
    this.#ordered = groupRows(rows, (row) => text(row, groupColumn).trim());
  }

  /** An empty row in the same group as another one. */
  emptyRowBeside(listRow: number): string[] {
    const place = this.placeOf(listRow);
    const groups = this.#ordered?.groups ?? [];
    const group = place < 0 ? undefined : groups[groupAt(groups, place)];
    return group ? [...Array<string>(this.groupColumn).fill(''), group.name] : [];
  }

  listColumn(column: number): number {
    return this.layout.shown[column] ?? -1;
  }

  get mayRemoveColumn(): boolean {
    const { view, obstacle, link } = this.draft;
    return view.columns.length > 1 && obstacle === null && !link.isAway;
  }

  /** Removes a column from the list without a question: undo restores it with all its cells. */
  async removeColumn(listColumn: number): Promise<void> {
    const { draft } = this;
    const before = draft.view.columns;
    // Filters and order go by the places of columns.
    if (isFiltered(this.request) || this.request.sort !== null) this.look(wholeList);
    await draft.change({ type: 'remove_column', column: listColumn });
    if (draft.view.columns.length >= before.length) return;
    toast(t('list.columnRemoved', { column: before[listColumn]?.header ?? '' }));
  }

  text(row: number, column: number): string {
    return this.draft.text(this.rowAt(row), this.listColumn(column));
  }

  /** The key of the shot of a row on screen; empty when the list has none. */
  shotAt(row: number): string {
    return this.draft.text(this.rowAt(row), columnNamed(this.draft.view.columns, 'shot'));
  }

  /** The key of its shot, else its number, for people. */
  nameAt(row: number): string {
    return this.shotAt(row) || t('list.rowNumber', { row: this.number(row) });
  }

  columnAt(column: number): DraftColumn | null {
    return this.draft.view.columns[this.listColumn(column)] ?? null;
  }

  kindAt(row: number): Kind | null {
    return this.kindOf(this.rowAt(row));
  }

  kindOf(listRow: number): Kind | null {
    const { columns, kind, defaults } = this.draft.view;
    const cells = this.draft.row(listRow);
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
    const cell = { row: this.rowAt(row), column: this.listColumn(column) };
    return named.map((each) => ({ ...each, url: this.addressFor(each, cell) }));
  }

  /** Address of what a cell of the list names; null of a shot. */
  addressFor({ of, name }: NamedPicture, { row, column }: CellPosition): string | null {
    const { id, view } = this.draft;
    if (of === 'asset') return assetThumbUrl(name, view.projectId, 320);
    if (of === 'shot') return null;
    return chosenPictures.get(name) ?? `/cell-thumb/${id}/${row}/${column}?w=320&named=${encodeURIComponent(name)}`;
  }

  /** The other shots of the list, as a media cell names them. */
  shotsBeside(listRow: number): readonly string[] {
    return this.draft.shots.flatMap((each) => (each.listRow === listRow ? [] : [`Shot://${each.shot}`]));
  }

  /** The list's default for an empty cell; null without one, and for a blank row. */
  ghost(row: number, column: number): string | null {
    const { defaults } = this.draft.view;
    if (Object.keys(defaults).length === 0 || this.text(row, column) !== '') return null;
    const said = defaults[this.parameterAt({ row, column })?.name ?? ''] ?? null;
    const isBlank = () => this.draft.row(this.rowAt(row)).every((cell) => cell.trim() === '');
    return said === null || isBlank() ? null : said;
  }

  mark(row: number, column: number): Mark {
    return this.draft.defects.index.severityAt(this.rowAt(row), this.listColumn(column));
  }

  rowMark(row: number): Mark {
    return this.draft.defects.index.severityOfRow(this.rowAt(row));
  }

  /** As a spreadsheet numbers them, and as defects name them: the header is row 1. */
  number(row: number): number {
    return this.rowAt(row) + 2;
  }
}
