import { untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import * as z from 'zod';
import { allKinds, type Kind } from '../../../../contract/kinds/all.ts';
import { saySentences } from '../../../../contract/messages/words.ts';
import type { Defect } from '../../../../contract/shot.ts';
import { Persisted } from '../../../lib/state/persisted.svelte.ts';
import { parameterOf } from './column-meaning.ts';
import { placeOf, type ColumnText } from './preset-rows.ts';
import type { SheetEditor } from './sheet-editor.svelte.ts';

interface Field {
  readonly column: number;
  readonly name: string;
}

/** The row of the cursor as a form. Like a cell, it writes its text into the list when it is left. */
export class RowForm {
  readonly #editor: SheetEditor;
  /** Typed texts that are not in the list yet, by the key of their field. */
  readonly #typed = new SvelteMap<string, ColumnText>();
  /** Row of the list that it is about: the cursor may have moved on. */
  #typedRow = -1;
  /** The error that each field of that row had when the person began to type there. */
  readonly #errorBefore = new SvelteMap<string, string | undefined>();
  readonly row: number = $derived.by(() => this.#sheet.rows.rowAt(this.#editor.cursor.active.row));
  readonly kind: Kind = $derived.by(() => this.#sheet.kindAt(this.#editor.cursor.active.row) ?? allKinds[0].kind);
  /** Columns that are no parameter of its kind, by their places in the list. */
  readonly ownColumns: readonly number[] = $derived.by(() =>
    this.#columns.flatMap((column, index) => (parameterOf(column, this.kind) === null ? [index] : [])),
  );
  readonly #defects = $derived.by(() => {
    const defects = this.#sheet.session.defects.index.ofRow(this.row);
    return defects.map(({ columnIndex, column, severity, problem, remedy }) => {
      return { key: this.keyOf(columnIndex) ?? column, severity, words: saySentences(problem, remedy) };
    });
  });

  constructor(editor: SheetEditor) {
    this.#editor = editor;
  }

  get #sheet(): SheetEditor['sheet'] {
    return this.#editor.sheet;
  }

  get #columns(): SheetEditor['sheet']['session']['columns'] {
    return this.#sheet.session.columns;
  }

  get isLoaded(): boolean {
    return this.row >= 0 && this.row < this.#sheet.session.list.count && this.#text(0) !== null;
  }

  /** Key of a field: the parameter of its kind, or the place of a column of the list's own. */
  keyOf(column: number): string | null {
    const found = this.#columns[column];
    return found === undefined ? null : (parameterOf(found, this.kind)?.name ?? ownKey(column));
  }

  text(key: string): string {
    return this.#typed.get(key)?.value ?? this.#text(this.#fieldOf(key).column) ?? '';
  }

  said(key: string, severity: Defect['severity']): string | undefined {
    return this.#defects.find((defect) => defect.key === key && defect.severity === severity)?.words;
  }

  /** Defects of the row as a whole, or of a place that has no field. */
  defectsBeside(keys: readonly string[]): readonly { readonly severity: Defect['severity']; readonly words: string }[] {
    return this.#defects.filter(({ key }) => !keys.includes(key));
  }

  /** Whether typing caused a field's error: one that the row had before is not announced. */
  isNews(key: string): boolean {
    const isTypedHere = this.#typedRow === this.row && this.#errorBefore.has(key);
    return isTypedHere && this.#errorBefore.get(key) !== this.said(key, 'error');
  }

  type(key: string, value: string): void {
    if (this.#typedRow !== this.row) this.#errorBefore.clear();
    if (!this.#typed.has(key)) this.#errorBefore.set(key, this.said(key, 'error'));
    if (this.#typed.size === 0) this.#typedRow = this.row;
    this.#typed.set(key, { ...this.#fieldOf(key), value });
    this.#editor.isTypingBeside = true;
  }

  write(): void {
    if (this.#typed.size === 0) return;
    const texts = [...this.#typed].map(([key, text]) => {
      // A column may have come since.
      return text.column >= 0 ? text : { ...text, ...this.#fieldOf(key) };
    });
    this.#typed.clear();
    this.#editor.writeRow(this.#typedRow, texts);
    this.#editor.isTypingBeside = false;
    this.#sheet.session.sync.typingDone();
  }

  #fieldOf(key: string): Field {
    const own = this.ownColumns.find((column) => ownKey(column) === key);
    return { column: own ?? placeOf(this.#columns, this.kind, key), name: key };
  }

  #text(column: number): string | null {
    return this.#sheet.session.list.text(this.row, column);
  }
}

/** No name of a parameter has a blank. */
export const ownKey = (column: number): string => `column ${column}`;

/** Lists that are remembered: those in which it was opened last. */
const MOST_KEPT = 60;

const Ids = z.array(z.string());

/** The lists that are shown with the form of the row beside the grid, by their ids. */
class OpenForms {
  readonly #kept = new Persisted<readonly string[]>(
    'open-row-forms',
    [],
    (stored): stored is z.infer<typeof Ids> => Ids.safeParse(stored).success,
  );

  has(listId: string): boolean {
    return this.#kept.current.includes(listId);
  }

  set(listId: string, isOpen: boolean): void {
    const kept = untrack(() => this.#kept.current);
    if (kept.includes(listId) === isOpen) return;
    this.#kept.change((now) => {
      const others = now.filter((id) => id !== listId);
      return isOpen ? [...others, listId].slice(-MOST_KEPT) : others;
    });
  }
}

export const openForms = new OpenForms();
