import type { EditedCell } from '../../../../contract/batch.ts';
import type { RowEdit } from '../../../../contract/draft-list.ts';
import { t } from '../../../../contract/messages/words.ts';
import { toast } from '../../../lib/toasts.ts';
import type { GridCursor } from '../grid/grid-cursor.svelte.ts';
import { cellsIn, type CellPosition, type Range } from '../grid/grid-source.ts';
import { fillDown, fillRange, planPaste, readTsv } from './cell-texts.ts';
import { columnNamed, rowsEdit, type ColumnText } from './columns.ts';
import type { DraftSheet } from './draft-sheet.svelte.ts';
import { nextDefect } from './defect-index.ts';
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
    sheet.draft.isTyping = () => this.typing !== null || this.isTypingBeside;
    sheet.draft.onreplaced = () => {
      sheet.lookAgain();
      cursor.clamp();
    };
  }

  /** Opens the active cell. With `over`, typing replaces its text. */
  type(over: boolean): void {
    if (this.cursor.isEmpty || !this.sheet.draft.assureEditable()) return;
    const { row, column } = this.cursor.active;
    const text = over ? '' : this.sheet.text(row, column);
    this.#into = { row: this.sheet.rowAt(row), column: this.sheet.listColumn(column) };
    this.typing = { text, over };
  }

  stopTyping(): void {
    this.typing = null;
    this.sheet.draft.typingDone();
  }

  /** Takes in the typed text, also when another window took over the list meanwhile: no text is dropped. */
  finishTyping(text: string): void {
    if (this.typing === null) return;
    this.typing = null;
    this.#writeList([{ ...this.#into, value: text }]);
    this.sheet.draft.typingDone();
  }

  write(cells: readonly EditedCell[], added: string[][] = []): number {
    return this.sheet.draft.assureEditable() ? this.#write(cells, added) : 0;
  }

  #write(cells: readonly EditedCell[], added: string[][] = []): number {
    if (cells.length > MAX_CELLS) {
      toast(t('list.mostCells', { most: MAX_CELLS }));
      return 0;
    }
    const { sheet } = this;
    const listed = cells.map(({ row, column, value }) => {
      return { row: sheet.rowAt(row), column: sheet.listColumn(column), value };
    });
    return this.#writeList(listed, added);
  }

  #writeList(cells: readonly EditedCell[], added: string[][] = []): number {
    const { draft } = this.sheet;
    const changed = cells.filter(({ row, column, value }) => draft.text(row, column) !== value);
    if (changed.length === 0 && added.length === 0) return 0;
    this.edit({ type: 'cells', ...(added.length > 0 && { added }), cells: changed });
    return changed.length;
  }

  /** Writes texts into one row of the list, hidden and missing columns included, as one step. No text is dropped. */
  writeRow(listRow: number, texts: readonly ColumnText[]): void {
    const { draft } = this.sheet;
    const changed = texts.filter(({ column, value }) => draft.text(listRow, column) !== value);
    if (changed.length > 0) this.edit(rowsEdit(draft.columns, changed, [listRow]));
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
    const bounds = { rows: sheet.rowCount, columns: sheet.columns.length };
    const { cells, added, droppedColumns, covered } = planPaste(readTsv(text), cursor.selection, bounds);
    if (added.length > MAX_ROWS) {
      toast(t('list.tooManyRows', { count: added.length }));
      return;
    }
    this.write(cells, this.#listRows(added));
    cursor.select(covered);
    if (droppedColumns > 0) toast(t('list.columnsLeftOut', { count: droppedColumns }));
  }

  /** Puts a row below the active one, or above, empty but for what puts it into the same group. */
  insertRow(where: 'above' | 'below'): void {
    const { cursor, sheet } = this;
    if (!sheet.draft.assureEditable()) return;
    const listRow = sheet.rowCount === 0 ? -1 : sheet.rowAt(cursor.active.row);
    const at = where === 'below' ? listRow + 1 : Math.max(0, listRow);
    this.edit({ type: 'insert', at, rows: [sheet.emptyRowBeside(listRow)] });
    this.#goToListRow(at, cursor.active.column);
  }

  removeRows(): void {
    const { top, bottom } = this.cursor.selection;
    if (this.cursor.isEmpty || !this.sheet.draft.assureEditable()) return;
    if (bottom - top + 1 > MAX_ROWS) {
      toast(t('list.mostRows', { most: MAX_ROWS }));
      return;
    }
    const rows = Array.from({ length: bottom - top + 1 }, (_none, index) => this.sheet.rowAt(top + index));
    this.edit({ type: 'remove', rows });
    this.sheet.lookAgain();
    this.cursor.clamp();
    this.cursor.to({ row: top, column: this.cursor.active.column });
  }

  /** Goes to the next defect, or the one before. False when there is none in sight. */
  goToDefect(back: boolean): boolean {
    const { sheet, cursor } = this;
    const found = nextDefect(sheet.draft.defects.index, cursor.active, back, {
      rowOnScreen: (row) => sheet.placeOf(row),
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

  #show(listRow: number, column: number): void {
    this.cursor.to({ row: Math.max(0, this.sheet.placeOf(listRow)), column });
  }

  /** Goes to a cell of the list, taking the filter off when it hides the row. */
  goTo(listRow: number, listColumn: number): void {
    this.sheet.layout.show(listColumn);
    const column = Math.max(0, this.sheet.layout.shown.indexOf(listColumn));
    this.#goToListRow(listRow, column);
  }

  async goToShot(shot: string): Promise<void> {
    const { draft } = this.sheet;
    if (!(await draft.whole)) return;
    const row = draft.shots.find((each) => each.shot === shot)?.listRow;
    if (row === undefined) toast(t('list.shotGone', { shot }));
    else this.goTo(row, columnNamed(draft.view.columns, 'prompt'));
  }

  #goToListRow(listRow: number, column: number): void {
    const { sheet } = this;
    sheet.lookAgain();
    if (sheet.placeOf(listRow) < 0) sheet.look({ ...sheet.request, text: '', onlyDefects: false });
    this.#show(listRow, column);
  }

  /** The rows as shown, with their cells in the order of the list. */
  #listRows(shown: readonly (readonly string[])[]): string[][] {
    const { sheet } = this;
    const beside = sheet.emptyRowBeside(sheet.rowAt(sheet.rowCount - 1));
    return shown.map((cells) => {
      const row = sheet.draft.view.columns.map((_column, index) => beside[index] ?? '');
      for (const [column, text] of cells.entries()) if (text !== '') row[sheet.listColumn(column)] = text;
      return row;
    });
  }

  /** Whether a range may be edited, and is not too large for one edit. */
  #isWithinReach(range: Range): boolean {
    if (this.cursor.isEmpty || !this.sheet.draft.assureEditable()) return false;
    if (cellsIn(range) > MAX_CELLS) {
      toast(t('list.mostCells', { most: MAX_CELLS }));
      return false;
    }
    return true;
  }

  edit(edit: RowEdit): void {
    void this.sheet.draft.edit(edit);
    if (this.#changesGroups(edit)) void this.#regroup();
  }

  #changesGroups(edit: RowEdit): boolean {
    const { groupColumn } = this.sheet;
    if (edit.type !== 'cells' || groupColumn < 0) return false;
    return edit.added !== undefined || edit.cells.some(({ column }) => column === groupColumn);
  }

  /** Puts rows below the headings they belong to by now. The cursor keeps its row, once the key that ended the cell has moved it on. */
  async #regroup(): Promise<void> {
    const { sheet, cursor } = this;
    await Promise.resolve();
    const listRow = sheet.rowAt(cursor.active.row);
    sheet.lookAgain();
    const row = sheet.placeOf(listRow);
    if (row >= 0 && row !== cursor.active.row) cursor.to({ row, column: cursor.active.column });
    cursor.clamp();
  }
}
