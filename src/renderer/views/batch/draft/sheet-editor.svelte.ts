import type { EditedCell } from '../../../../contract/batch.ts';
import type { RowEdit } from '../../../../contract/draft-list.ts';
import { t } from '../../../../contract/messages/words.ts';
import { toast } from '../../../lib/toasts.ts';
import type { GridCursor } from '../grid/grid-cursor.svelte.ts';
import { cellsIn, type CellPosition, type Range } from '../grid/grid-source.ts';
import { fillDown, fillRange, planPaste, readTsv } from './cell-texts.ts';
import { columnNamed, rowsEdit, type ColumnText, toShots } from './columns.ts';
import type { DraftSheet } from './draft-sheet.svelte.ts';
import { nextDefect } from './defect-index.ts';
import { decidingColumns, textsOfGroup } from './list-groups.ts';
import { mediaTakenBy, withReference } from '../../../lib/shot-form/media-cell.ts';

export const MAX_CELLS = 200_000;
const MAX_ROWS = 100_000;

export interface Typing {
  readonly text: string;
  /** Begun by typing over the cell: arrows then leave it, as in a spreadsheet. */
  readonly over: boolean;
}

export class SheetEditor {
  readonly sheet: DraftSheet;
  readonly cursor: GridCursor;
  typing = $state.raw<Typing | null>(null);
  /** Something is typed beside the grid that is not in the list yet. */
  isTypingBeside = false;
  /** The cell of the list it is meant for: the cursor, or the row, may have moved on by the time the cell is left. */
  #into: CellPosition = { row: 0, column: 0 };

  constructor(sheet: DraftSheet, cursor: GridCursor) {
    this.sheet = sheet;
    this.cursor = cursor;
    sheet.session.sync.isTyping = () => this.typing !== null || this.isTypingBeside;
    sheet.session.sync.onreplaced = () => this.#lookAgain();
  }

  /** Opens the active cell. With `over`, typing replaces its text. */
  type(over: boolean): void {
    if (this.cursor.isEmpty || !this.sheet.session.assureEditable()) return;
    const { row, column } = this.cursor.active;
    const text = over ? '' : this.sheet.text(row, column);
    this.#into = { row: this.sheet.rows.rowAt(row), column: this.sheet.listColumn(column) };
    this.typing = { text, over };
  }

  stopTyping(): void {
    this.typing = null;
    this.sheet.session.sync.typingDone();
  }

  /** Takes in the typed text, also when another window took over the list meanwhile: no text is dropped. */
  finishTyping(text: string): void {
    if (this.typing === null) return;
    this.typing = null;
    this.#writeList([{ ...this.#into, value: text }]);
    this.sheet.session.sync.typingDone();
  }

  write(cells: readonly EditedCell[], added: string[][] = []): number {
    return this.sheet.session.assureEditable() ? this.#write(cells, added) : 0;
  }

  #write(cells: readonly EditedCell[], added: string[][] = []): number {
    if (cells.length > MAX_CELLS) {
      toast(t('list.tooManyCells', { count: cells.length, most: MAX_CELLS }));
      return 0;
    }
    const { sheet } = this;
    const listed = cells.map(({ row, column, value }) => {
      return { row: sheet.rows.rowAt(row), column: sheet.listColumn(column), value };
    });
    return this.#writeList(listed, added);
  }

  #writeList(cells: readonly EditedCell[], added: string[][] = []): number {
    const { list } = this.sheet.session;
    const changed = cells.filter(({ row, column, value }) => list.text(row, column) !== value);
    if (changed.length === 0 && added.length === 0) return 0;
    this.edit({ type: 'cells', ...(added.length > 0 && { added }), cells: changed });
    return changed.length;
  }

  /** Writes texts into one row of the list, hidden and missing columns included, as one step. No text is dropped. */
  writeRow(listRow: number, texts: readonly ColumnText[]): void {
    const { list, columns } = this.sheet.session;
    const changed = texts.filter(({ column, value }) => list.text(listRow, column) !== value);
    if (changed.length > 0) this.edit(rowsEdit(columns, changed, [listRow]));
  }

  /** Has a cell name an asset, where it takes media; a list of them grows. */
  addReference(place: CellPosition, reference: string): void {
    const { sheet } = this;
    const [column, parameter] = [sheet.columnAt(place.column), sheet.parameterAt(place)];
    if (mediaTakenBy(column, parameter) === null) {
      toast(t('list.notMedia', { column: column?.header ?? '' }));
      return;
    }
    const before = sheet.text(place.row, place.column);
    this.write([{ ...place, value: withReference(before, reference, parameter) }]);
  }

  /** Whether the selected rows may be edited, and are not too many for one edit. */
  mayEditRows(): boolean {
    const { top, bottom } = this.cursor.selection;
    return this.#isWithinReach({ top, bottom, left: 0, right: 0 });
  }

  clear(): void {
    const { selection } = this.cursor;
    if (this.#isWithinReach(selection)) this.write(fillRange(selection, () => ''));
  }

  fillDown(): void {
    const { selection } = this.cursor;
    if (this.#isWithinReach(selection)) this.write(fillDown(selection, (row, column) => this.sheet.text(row, column)));
  }

  /** TRUE, FALSE, empty, and round again. */
  toggle({ row, column }: CellPosition): void {
    const text = this.sheet.text(row, column).trim().toUpperCase();
    const value = text === 'TRUE' ? 'FALSE' : text === 'FALSE' ? '' : 'TRUE';
    this.write([{ row, column, value }]);
  }

  paste(text: string): void {
    const { cursor, sheet } = this;
    if (!this.#isWithinReach(cursor.selection)) return;
    const bounds = { rows: sheet.rows.rowCount, columns: sheet.columns.length };
    const { cells, added, droppedColumns, covered } = planPaste(readTsv(text), cursor.selection, bounds);
    if (added.length > MAX_ROWS) {
      toast(t('list.tooManyRows', { count: added.length }));
      return;
    }
    this.write(cells, this.#listRows(added));
    cursor.select(covered);
    if (droppedColumns > 0) toast(t('list.columnsLeftOut', { count: droppedColumns }));
  }

  /** Puts a row below the active one, or above, empty but for what puts it into the same group. On a heading it is the first of the group. */
  insertRow(where: 'above' | 'below'): void {
    const { cursor, sheet } = this;
    if (!sheet.session.assureEditable()) return;
    const heading = cursor.heading === null ? undefined : sheet.rows.headings[cursor.heading];
    const rowOfCursor = sheet.rows.rowCount === 0 ? -1 : sheet.rows.rowAt(cursor.active.row);
    const listRow = heading ? sheet.rows.rowInOrder(heading.start) : rowOfCursor;
    const at = where === 'below' && !heading ? listRow + 1 : Math.max(0, listRow);
    this.edit({ type: 'insert', at, rows: [this.#rowBeside(listRow)] });
    this.#goToListRow(at, cursor.active.column);
  }

  /** An empty row in the same group as another one. */
  #rowBeside(listRow: number): string[] {
    const { grouping, rows, session } = this.sheet;
    const group = rows.groupOf(listRow);
    if (grouping === undefined || group === undefined) return [];
    const row: string[] = [];
    for (const { column, value } of textsOfGroup(grouping, group.name, session.view.columns)) {
      while (row.length < column) row.push('');
      row[column] = value;
    }
    return row;
  }

  removeRows(): void {
    const { top, bottom } = this.cursor.selection;
    if (this.cursor.isEmpty || !this.sheet.session.assureEditable()) return;
    if (bottom - top + 1 > MAX_ROWS) {
      toast(t('list.mostRows', { most: MAX_ROWS }));
      return;
    }
    const rows = Array.from({ length: bottom - top + 1 }, (_none, index) => this.sheet.rows.rowAt(top + index));
    this.edit({ type: 'remove', rows });
    this.sheet.lookAgain();
    this.cursor.clamp();
    this.cursor.to({ row: top, column: this.cursor.active.column });
  }

  /** Goes to the next defect, or the one before. False when there is none in sight. */
  goToDefect(back: boolean): boolean {
    const { sheet } = this;
    const found = nextDefect(sheet.session.defects.index, this.placeInOrder(back), back, {
      rowOnScreen: (row) => sheet.rows.placeOf(row),
      columnOnScreen: (column) => {
        const place = sheet.layout.shown.indexOf(column);
        // A hidden column comes behind the shown ones of its row.
        return place < 0 && column >= 0 ? sheet.columns.length + column : place;
      },
    });
    if (found === null) return false;
    sheet.layout.show(found.defect.columnIndex);
    this.#show(found.defect.rowIndex, Math.max(0, sheet.layout.shown.indexOf(found.defect.columnIndex)));
    return true;
  }

  /** The place of the cursor among all rows, those in folded groups included. From a heading the way leads into its group, or out above it. */
  placeInOrder(back: boolean): CellPosition {
    const { sheet, cursor } = this;
    const heading = cursor.heading === null ? undefined : sheet.rows.headings[cursor.heading];
    const { column } = cursor.active;
    if (heading === undefined) return { row: sheet.rows.placeOf(sheet.rows.rowAt(cursor.active.row)), column };
    return back ? { row: heading.start, column: 0 } : { row: heading.start - 1, column: sheet.columns.length - 1 };
  }

  #show(listRow: number, column: number): void {
    this.sheet.rows.openFor([listRow]);
    this.cursor.to({ row: Math.max(0, this.sheet.rows.onScreen(listRow)), column });
  }

  goToPlace({ row, column }: CellPosition): void {
    this.#show(this.sheet.rows.rowInOrder(row), column);
  }

  /** Goes to a cell of the list, taking the filter off when it hides the row. */
  goTo(listRow: number, listColumn: number): void {
    this.sheet.layout.show(listColumn);
    const column = Math.max(0, this.sheet.layout.shown.indexOf(listColumn));
    this.#goToListRow(listRow, column);
  }

  async goToShot(shot: string): Promise<void> {
    const { session } = this.sheet;
    if (!(await session.list.whole)) return;
    const row = toShots(session).find((each) => each.shot === shot)?.listRow;
    if (row === undefined) toast(t('list.shotGone', { shot }));
    else this.goTo(row, columnNamed(session.view.columns, 'prompt'));
  }

  #goToListRow(listRow: number, column: number): void {
    const { sheet } = this;
    sheet.lookAgain();
    if (sheet.rows.placeOf(listRow) < 0) sheet.look({ ...sheet.request, text: '', onlyDefects: false });
    this.#show(listRow, column);
  }

  /** The rows as shown, with their cells in the order of the list. */
  #listRows(shown: readonly (readonly string[])[]): string[][] {
    const { sheet } = this;
    const beside = this.#rowBeside(sheet.rows.rowAt(sheet.rows.rowCount - 1));
    return shown.map((cells) => {
      const row = sheet.session.view.columns.map((_column, index) => beside[index] ?? '');
      for (const [column, text] of cells.entries()) if (text !== '') row[sheet.listColumn(column)] = text;
      return row;
    });
  }

  /** Whether a range may be edited, and is not too large for one edit. */
  #isWithinReach(range: Range): boolean {
    if (this.cursor.isEmpty || !this.sheet.session.assureEditable()) return false;
    if (cellsIn(range) > MAX_CELLS) {
      toast(t('list.mostCells', { most: MAX_CELLS }));
      return false;
    }
    return true;
  }

  #lookAgain(): void {
    this.sheet.lookAgain();
    this.cursor.clamp();
  }

  edit(edit: RowEdit): void {
    void this.sheet.session.edit(edit);
    if (this.#changesGroups(edit)) void this.#regroup();
  }

  #changesGroups(edit: RowEdit): boolean {
    const { grouping, session } = this.sheet;
    if (edit.type !== 'cells' || grouping === undefined) return false;
    const deciding = decidingColumns(grouping, session.columns);
    return edit.added !== undefined || edit.cells.some(({ column }) => deciding.includes(column));
  }

  /** Puts rows below the headings they belong to by now. The cursor keeps its row, once the key that ended the cell has moved it on. */
  async #regroup(): Promise<void> {
    const { sheet, cursor } = this;
    await Promise.resolve();
    const listRow = cursor.heading === null ? sheet.rows.rowAt(cursor.active.row) : -1;
    sheet.lookAgain();
    const row = sheet.rows.onScreen(listRow);
    if (row >= 0 && row !== cursor.active.row) cursor.to({ row, column: cursor.active.column });
    cursor.clamp();
  }
}
