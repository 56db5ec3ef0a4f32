import { say } from '../../../../contract/messages/words.ts';
import { toast } from '../../../lib/toasts.ts';
import { findNext, type Place } from '../grid/places.ts';
import type { EditedCell } from '../../../../contract/batch.ts';
import { finderFor } from './find-cells.ts';
import type { SheetEditor } from './sheet-editor.svelte.ts';

/** How long after the last letter the finds are counted, ms: a long list takes a moment. */
const COUNT_AFTER_MS = 150;
/** Characters that a cell, and one edit, may hold. */
const LONGEST_CELL = 1_000_000;
const MOST_CHARACTERS = 50_000_000;

export class FindInList {
  readonly #editor: SheetEditor;
  #text = $state('');
  by = $state('');
  /** Column of the list; null for all that are shown. */
  column = $state<number | null>(null);
  matchCase = $state(false);
  wholeCell = $state(false);
  /** Nothing was found at the last step. */
  isMissing = $state(false);
  /** The text that finds are counted of. */
  #counted = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly #finder = $derived(finderFor({ text: this.#text, matchCase: this.matchCase, wholeCell: this.wholeCell }));
  /** How often it occurs, in how many cells; null while that is not counted. */
  readonly found: { readonly times: number; readonly cells: number } | null = $derived.by(() => {
    const finder = finderFor({ text: this.#counted, matchCase: this.matchCase, wholeCell: this.wholeCell });
    if (finder === null || this.#counted !== this.#text) return null;
    let [times, cells] = [0, 0];
    for (const { text } of this.#cells()) {
      const count = finder.count(text);
      times += count;
      if (count > 0) cells += 1;
    }
    return { times, cells };
  });

  constructor(editor: SheetEditor) {
    this.#editor = editor;
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    this.isMissing = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#counted = text), COUNT_AFTER_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  next(back: boolean): void {
    const { sheet } = this.#editor;
    if (this.#finder === null) return;
    const isFound = ({ row, column }: Place) => this.#isFound(sheet.rows.rowInOrder(row), sheet.listColumn(column));
    const place = findNext(isFound, this.#editor.placeInOrder(back), back, {
      rows: sheet.rows.total,
      columns: sheet.columns.length,
    });
    this.isMissing = place === null;
    if (place) this.#editor.goToPlace(place);
  }

  /** Replaces it in the active cell, where that has it, and goes to the next one. */
  replaceOne(): void {
    const { sheet, cursor } = this.#editor;
    const finder = this.#finder;
    if (finder === null) return;
    const { active } = cursor;
    if (!cursor.isEmpty && this.#isFound(sheet.rows.rowAt(active.row), sheet.listColumn(active.column))) {
      const text = sheet.text(active.row, active.column);
      this.#write([{ ...active, value: finder.replaced(text, this.by) }]);
    }
    this.next(false);
  }

  replaceAll(): void {
    const finder = this.#finder;
    if (finder === null) return;
    const found = [...this.#cells()].filter(({ text }) => finder.matches(text));
    const { rows } = this.#editor.sheet;
    rows.openFor(found.map(({ listRow }) => listRow));
    const cells = found.map(({ listRow, column, text }) => {
      return { row: rows.onScreen(listRow), column, value: finder.replaced(text, this.by) };
    });
    this.isMissing = cells.length === 0;
    const count = this.#write(cells);
    if (count > 0) toast(say('list.replaced', { count }));
  }

  #write(cells: readonly EditedCell[]): number {
    const total = cells.reduce((sum, { value }) => sum + value.length, 0);
    if (total <= MOST_CHARACTERS && cells.every(({ value }) => value.length <= LONGEST_CELL)) {
      return this.#editor.write(cells);
    }
    toast(say('list.replacedTooLong'));
    return 0;
  }

  #isFound(listRow: number, listColumn: number): boolean {
    if (this.column !== null && listColumn !== this.column) return false;
    return this.#finder?.matches(this.#editor.sheet.session.list.text(listRow, listColumn)) ?? false;
  }

  /** The cells that are looked at, those in folded groups included. `column`: on screen. */
  *#cells(): Generator<{ readonly listRow: number; readonly column: number; readonly text: string }> {
    const { sheet } = this.#editor;
    const { list } = sheet.session;
    const columns = sheet.columns
      .map((_column, column) => ({ column, listColumn: sheet.listColumn(column) }))
      .filter(({ listColumn }) => this.column === null || listColumn === this.column);
    for (let place = 0; place < sheet.rows.total; place += 1) {
      const listRow = sheet.rows.rowInOrder(place);
      const cells = list.row(listRow);
      for (const { column, listColumn } of columns) yield { listRow, column, text: cells[listColumn] ?? '' };
    }
  }
}
