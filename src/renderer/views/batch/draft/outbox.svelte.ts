import type { Trouble } from '../../../lib/client.ts';
import type { RowEdit } from '../../../../contract/draft-list.ts';
import { writeTsv } from './cell-texts.ts';

interface UnsentEdit {
  /** By which the engine knows it when it is sent twice because an answer was lost. */
  readonly id: string;
  readonly edit: RowEdit;
}

interface Unsent {
  /** Revision of the list that the first of them was made on; each of the others was made on top of the one before. */
  readonly revision: number;
  readonly edits: readonly UnsentEdit[];
  /** Why the first was not taken; null while they only wait. A person decides what becomes of them. */
  readonly stopped: Trouble | null;
}

const nothing: Unsent = { revision: 0, edits: [], stopped: null };

/** Cells that a window keeps at most: more would not fit, and writing them down would hold up a large paste. */
const MAX_CELLS = 20_000;

/** Edits of a list on their way, in order. Typed text outlives a reload, and leaves to the engine or when discarded. */
export class Outbox {
  readonly #key: string;
  #unsent: Unsent;

  constructor(draftId: string) {
    this.#key = `dailies.unsent-edits.${draftId}`;
    this.#unsent = $state.raw(stored(this.#key));
  }

  get waiting(): readonly UnsentEdit[] {
    return this.stopped === null ? this.#unsent.edits : [];
  }

  /** Why the engine refused the edits; null while nothing is wrong. */
  get stopped(): Trouble | null {
    return this.#unsent.stopped;
  }

  get revision(): number {
    return this.#unsent.revision;
  }

  get count(): number {
    return this.#unsent.edits.length;
  }

  get text(): string {
    const cells = this.#unsent.edits.flatMap(({ edit }) => (edit.type === 'cells' ? [edit] : []));
    const [only, ...others] = cells.flatMap((edit) => edit.cells);
    const added = cells.flatMap(addedRows);
    if (only !== undefined && others.length === 0 && added.length === 0) return only.value;
    return writeTsv([...cells.flatMap((edit) => toLines(edit.cells)), ...added]);
  }

  /** Adds an edit that was made on the list of `revision`, or on the edits that are here. */
  add(edit: RowEdit, revision: number): void {
    const { edits } = this.#unsent;
    const added = [...edits, { id: crypto.randomUUID(), edit }];
    this.#set({ ...this.#unsent, revision: edits.length === 0 ? revision : this.revision, edits: added });
  }

  taken(): void {
    this.#set({ ...this.#unsent, revision: this.revision + 1, edits: this.#unsent.edits.slice(1) });
  }

  /** The list they were made on has another revision now, in which every row and column is where it was. */
  moveTo(revision: number): void {
    if (this.count > 0) this.#set({ ...this.#unsent, revision });
  }

  stop(why: Trouble): void {
    if (this.count > 0) this.#set({ ...this.#unsent, stopped: why });
  }

  resume(): void {
    this.#set({ ...this.#unsent, stopped: null });
  }

  discard(): void {
    this.#set(nothing);
  }

  #set(unsent: Unsent): void {
    this.#unsent = unsent.edits.length === 0 ? nothing : unsent;
    try {
      if (this.count === 0 || cellsIn(unsent.edits) > MAX_CELLS) sessionStorage.removeItem(this.#key);
      else sessionStorage.setItem(this.#key, JSON.stringify(unsent));
    } catch {
      // The block is larger than a window may store: it lasts only as long as the page.
    }
  }
}

type CellsEdit = Extract<RowEdit, { type: 'cells' }>;

const addedRows = ({ below = [], added = [] }: CellsEdit): readonly string[][] => [
  ...below.map(({ cells }) => cells),
  ...added,
];

const toLines = (cells: CellsEdit['cells']): string[][] =>
  [...Map.groupBy(cells, ({ row }) => row).values()].map((line) => line.map(({ value }) => value));

const cellsIn = (edits: readonly UnsentEdit[]): number =>
  edits.reduce((sum, { edit }) => sum + (edit.type === 'cells' ? edit.cells.length + addedRows(edit).length : 1), 0);

function stored(key: string): Unsent {
  try {
    // Written by this window alone, just above.
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? nothing;
  } catch {
    return nothing;
  }
}
