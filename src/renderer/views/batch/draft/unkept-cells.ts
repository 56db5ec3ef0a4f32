import type { DraftEdit, PlacedEdit } from '../../../../contract/batch.ts';
import type { UnsentEdit } from './outbox.svelte.ts';
import type { RowStore } from './row-store.ts';

type Cells = Extract<DraftEdit, { type: 'cells' }>['cells'];

const keyOf = (row: number, column: number): string => `${row} ${column}`;

/** The cells whose text the engine does not have, with the edits that wrote them. Rows by what they are called. */
export class UnkeptCells {
  readonly #edits: readonly UnsentEdit[];
  readonly #byCell = new Map<string, UnsentEdit>();
  readonly #byNewRow = new Map<number, UnsentEdit>();
  /** What the list has in the cells of refused edits. */
  readonly #theirs: ReadonlyMap<string, string>;

  constructor(edits: readonly UnsentEdit[], theirs: ReadonlyMap<string, string>) {
    this.#edits = edits;
    this.#theirs = theirs;
    for (const each of edits) {
      for (const { row, column } of cellsOf(each.edit)) this.#byCell.set(keyOf(row, column), each);
      for (const row of each.newRows) this.#byNewRow.set(row, each);
    }
  }

  /** The edit that wrote a cell and is not kept; null when it is. */
  at(row: number | null, column: number): UnsentEdit | null {
    if (row === null || this.#edits.length === 0) return null;
    return this.#byCell.get(keyOf(row, column)) ?? this.#byNewRow.get(row) ?? null;
  }

  /** What the list has in a cell where another text is shown; null when that is not known. */
  theirs(row: number, column: number): string | null {
    return this.#theirs.get(keyOf(row, column)) ?? null;
  }

  /** The edit with the texts that it replaces: those that the list has, as far as they are known. */
  withTextsReplaced(edit: PlacedEdit, rows: RowStore): PlacedEdit {
    if (edit.type !== 'cells') return edit;
    const replaced = (row: number, column: number): string | null => {
      const name = rows.idAt(row);
      return (name === undefined ? null : this.theirs(name, column)) ?? rows.row(row)?.[column] ?? '';
    };
    return { ...edit, cells: edit.cells.map((cell) => ({ was: replaced(cell.row, cell.column) ?? '', ...cell })) };
  }

  /** Refused edits that mean nothing any more after this one, which writes all of their cells anew. */
  replacedBy(edit: DraftEdit): string[] {
    if (edit.type !== 'cells' || this.#edits.length === 0) return [];
    const written = new Set(edit.cells.map(({ row, column }) => keyOf(row, column)));
    return this.#edits
      .filter(({ refused, newRows }) => refused !== null && newRows.length === 0)
      .filter((old) => cellsOf(old.edit).every(({ row, column }) => written.has(keyOf(row, column))))
      .map(({ id }) => id);
  }
}

/** What rows have in the cells of these edits. */
export function textsUnder(edits: readonly UnsentEdit[], rows: RowStore): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  if (edits.length === 0) return texts;
  const places = rows.places();
  for (const { row, column } of edits.flatMap(({ edit }) => cellsOf(edit))) {
    const cells = rows.row(places.get(row) ?? -1);
    if (cells !== undefined) texts.set(keyOf(row, column), cells[column] ?? '');
  }
  return texts;
}

const cellsOf = (edit: DraftEdit): Cells => (edit.type === 'cells' ? edit.cells : []);
