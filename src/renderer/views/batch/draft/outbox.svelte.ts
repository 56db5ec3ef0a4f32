import type { DraftEdit } from '../../../../contract/batch.ts';
import type { Trouble } from '../../../lib/client.ts';
import { keptTexts } from './kept-texts.ts';
import { given, joined, noNames, type Names } from './row-names.ts';

/** An edit that the engine has not taken yet. */
export interface UnsentEdit {
  /** By which the engine knows it when it is sent twice because an answer was lost. */
  readonly id: string;
  /** Revision of the list that it was made on. */
  readonly revision: number;
  /** Rows by what they are called; below zero those that the engine has not heard of. */
  readonly edit: DraftEdit;
  /** What the rows are called here that it puts in. */
  readonly newRows: readonly number[];
  /** Why the engine did not take it. It stays where it was typed until a person decides. */
  readonly refused: Trouble | null;
}

/**
 * The edits of a list that the engine has not taken yet, in the order in which they were made. What a person has typed
 * leaves it only for the engine, or because they said so: it outlives a reload of the page.
 */
export class Outbox {
  readonly #draftId: string;
  #edits: readonly UnsentEdit[] = $state.raw([]);
  #lastName = 0;
  /** What the engine calls the rows that were put in here. */
  #names: Names = noNames;

  constructor(draftId: string) {
    this.#draftId = draftId;
    this.#edits = keptTexts.read(draftId);
    for (const { newRows } of this.#edits) this.#lastName = Math.min(this.#lastName, ...newRows);
  }

  get edits(): readonly UnsentEdit[] {
    return this.#edits;
  }

  get waiting(): readonly UnsentEdit[] {
    return this.#edits.filter(({ refused }) => refused === null);
  }

  get refused(): readonly UnsentEdit[] {
    return this.#edits.filter(({ refused }) => refused !== null);
  }

  /** Names for rows that the engine has not heard of. */
  names(count: number): number[] {
    this.#lastName -= count;
    return Array.from({ length: count }, (_none, index) => this.#lastName + count - 1 - index);
  }

  /** What a row is called now that was called so once. */
  nameNow(name: number): number {
    return this.#names.get(name) ?? name;
  }

  add(made: Pick<UnsentEdit, 'revision' | 'edit' | 'newRows'>, refused: Trouble | null = null): void {
    this.#set([...this.#edits, { ...made, id: crypto.randomUUID(), refused }]);
  }

  /** The engine has made it: what was made on top of it stands on `revision`, and calls its rows as the engine does. */
  taken(sent: UnsentEdit, newRowsFrom: number, revision: number | null): Names {
    const names = given(sent.newRows, newRowsFrom);
    this.#names = joined(this.#names, names);
    this.#set(
      this.#edits
        .filter(({ id }) => id !== sent.id)
        .map((each) => ({
          ...each,
          edit: names.size > 0 ? renamed(each.edit, names) : each.edit,
          revision: revision !== null && each.revision === revision - 1 ? revision : each.revision,
        })),
    );
    return names;
  }

  refuse(sent: UnsentEdit, why: Trouble): void {
    this.#set(this.#edits.map((each) => (each.id === sent.id ? { ...each, refused: why } : each)));
  }

  drop(id: string): void {
    this.#set(this.#edits.filter((each) => each.id !== id));
  }

  /** Sends a refused edit once more, whatever stands there by now. */
  insist(id: string, revision: number): void {
    const insisting = ({ edit, newRows }: UnsentEdit): UnsentEdit => ({
      id: crypto.randomUUID(),
      revision,
      edit: withoutTextsReplaced(edit),
      newRows,
      refused: null,
    });
    this.#set(this.#edits.map((each) => (each.id === id ? insisting(each) : each)));
  }

  #set(edits: readonly UnsentEdit[]): void {
    this.#edits = edits;
    keptTexts.keep(this.#draftId, edits);
  }
}

function renamed(edit: DraftEdit, names: Names): DraftEdit {
  const nameOf = (row: number): number => names.get(row) ?? row;
  if (edit.type === 'cells') return { ...edit, cells: edit.cells.map((cell) => ({ ...cell, row: nameOf(cell.row) })) };
  if (edit.type === 'insert') return { ...edit, after: edit.after === null ? null : nameOf(edit.after) };
  return edit.type === 'remove' ? { ...edit, rows: edit.rows.map(nameOf) } : edit;
}

function withoutTextsReplaced(edit: DraftEdit): DraftEdit {
  if (edit.type !== 'cells') return edit;
  return { ...edit, cells: edit.cells.map(({ row, column, value }) => ({ row, column, value })) };
}
