import type { DraftEdit, DraftView, PlacedEdit, ReadOptions } from '../../../../contract/batch.ts';
import { api, troubleOf, type Trouble } from '../../../lib/client.ts';
import { tell, tellTrouble } from '../../../lib/toasts.ts';
import type { DefectIndex } from './defect-index.ts';
import { DefectWatch } from './defect-watch.svelte.ts';
import { DraftSync } from './draft-sync.svelte.ts';
import { windowName } from './kept-texts.ts';
import type { UnsentEdit } from './outbox.svelte.ts';
import { placesIn, rowAfter, rowsPutIn } from './placed-edits.ts';
import { refusalCode } from './refusals.ts';
import type { RowStore } from './row-store.ts';
import { UnkeptCells } from './unkept-cells.ts';

/**
 * A list being edited. The engine holds it; here is the part in sight, with edits shown at once and sent one after the
 * other. Others may edit it too: rows go by what they are called, and what was edited elsewhere is read afresh. An edit
 * that the engine has not taken stays in its cells.
 */
export class DraftSession {
  readonly id: string;
  readonly #sync: DraftSync;
  readonly #defects: DefectWatch;
  readonly #unkept = $derived.by(() => {
    const { outbox, link, theirs } = this.#sync;
    return new UnkeptCells(link.isAway ? outbox.edits : outbox.refused, theirs);
  });
  /** Somebody is typing: rows are not taken from under their hands. */
  isTyping: () => boolean = () => false;
  /** Told when other rows come in place of these. */
  onreplaced: (before: RowStore, after: RowStore) => void = () => undefined;

  constructor(view: DraftView) {
    this.id = view.id;
    this.#sync = new DraftSync(view, {
      isTyping: () => this.isTyping(),
      onreplaced: (before, after) => this.onreplaced(before, after),
      oninstep: () => this.#load(),
    });
    const { link } = this.#sync;
    this.#defects = new DefectWatch({
      id: view.id,
      isClosed: () => link.isClosed,
      isSettled: () => this.#sync.isInStep,
      settled: () => this.#sync.settled(),
      revision: () => this.view.revision,
      oncounted: (counted) => this.#sync.counted(counted),
      ontrouble: (error) => link.failed(error),
    });
    if (this.#sync.isInStep) this.#load();
    else void this.#sync.refresh();
  }

  get view(): DraftView {
    return this.#sync.view;
  }

  get rowCount(): number {
    return this.#sync.list.rows.count;
  }

  /** Every row is here. */
  get isComplete(): boolean {
    return this.#sync.list.rows.isComplete;
  }

  get defects(): DefectIndex {
    return this.#defects.index;
  }

  /** The defects are those of the list as it stands. */
  get isChecked(): boolean {
    return this.#sync.isInStep && this.#defects.checkedRevision >= this.view.revision;
  }

  /** How many there are in all, as far as they were counted; `defects` may hold the first of them only. */
  get errors(): number {
    const { errors } = this.defects;
    return this.isChecked ? Math.max(this.view.errors, errors) : errors;
  }

  get warnings(): number {
    const { warnings } = this.defects;
    return this.isChecked ? Math.max(this.view.warnings, warnings) : warnings;
  }

  get isSaving(): boolean {
    return this.#sync.outbox.waiting.length > 0;
  }

  get isAway(): boolean {
    return this.#sync.link.isAway;
  }

  /** Edits wait until the engine answers again. */
  get waiting(): readonly UnsentEdit[] {
    return this.isAway ? this.#sync.outbox.waiting : [];
  }

  /** Edits that the engine did not take. */
  get refused(): readonly UnsentEdit[] {
    return this.#sync.outbox.refused;
  }

  /** Cells whose text the engine does not have. */
  get unkept(): UnkeptCells {
    return this.#unkept;
  }

  /** How much of the list is here while all of it is being loaded, 0 to 1. */
  get loadedShare(): number {
    return this.#sync.list.loadedShare;
  }

  /** Why the list cannot be read any more. */
  get trouble(): Trouble | null {
    return this.#sync.link.trouble;
  }

  /** It was discarded: nothing brings it back. */
  get isGone(): boolean {
    return this.#sync.link.isGone;
  }

  /** Text of a cell; null while its row is not loaded. */
  text(row: number, column: number): string | null {
    const cells = this.#sync.list.rows.row(row);
    return cells === undefined ? null : (cells[column] ?? '');
  }

  row(row: number): readonly string[] {
    return this.#sync.list.rows.row(row) ?? [];
  }

  /** What a row is called wherever it moves; null while it is not loaded. */
  nameOf(row: number): number | null {
    return this.#sync.list.rows.idAt(row) ?? null;
  }

  /** Where the row stands that is called so; -1 when it is not here. */
  placeOf(name: number): number {
    return this.#sync.list.rows.placeOf(name);
  }

  close(): void {
    this.#sync.link.close();
  }

  /** Tells which rows are in sight, so that they are loaded. */
  want(first: number, last: number): void {
    this.#sync.list.want(first, last);
  }

  /** Makes an edit: at once here, then in the engine. */
  edit(edit: PlacedEdit): Promise<void> {
    const { rows } = this.#sync.list;
    const named = rows.named(this.#unkept.withTextsReplaced(edit, rows));
    return named === null ? this.#editOnceLoaded(edit) : this.#write(named);
  }

  /** Writes what was typed into a cell; its row by what it was called in the list of `revision`, when typing began. */
  writeCell(cell: { row: number; column: number; value: string; was: string }, revision: number): Promise<void> {
    const row = this.#sync.outbox.nameNow(cell.row);
    const was = this.unkept.theirs(row, cell.column) ?? cell.was;
    return this.#write({ type: 'cells', cells: [{ ...cell, row, was }] }, revision);
  }

  #write(edit: DraftEdit, revision = this.view.revision): Promise<void> {
    for (const old of this.#unkept.replacedBy(edit)) this.#sync.outbox.drop(old);
    const placed = this.#sync.list.rows.placed(edit);
    const newRows = this.#sync.outbox.names(rowsPutIn(placed));
    this.#sync.list.change((rows) => rows.apply(placed, newRows));
    const newPlace = rowAfter(placed);
    if (newPlace !== null) this.#defects.move(newPlace);
    this.#sync.outbox.add({ revision, edit, newRows });
    return this.#sync.send();
  }

  /** Sends an edit that was refused once more, whatever stands there by now. */
  insist(edit: UnsentEdit): Promise<void> {
    this.#sync.outbox.insist(edit.id, this.view.revision);
    return this.refresh();
  }

  /** Lets go of an edit that was refused: what the list has instead is shown. */
  letGo(edit: UnsentEdit): Promise<void> {
    this.#sync.outbox.drop(edit.id);
    return this.#sync.readAgain();
  }

  undo(): Promise<void> {
    return this.#back('undo');
  }

  redo(): Promise<void> {
    return this.#back('redo');
  }

  reread(read: ReadOptions): Promise<void> {
    const call = (): Promise<DraftView> => {
      const { revision } = this.view;
      return api.drafts.reread({ draftId: this.id, read, revision });
    };
    return this.#sync.travel(call, tellTrouble);
  }

  /** Takes a column out of the list; the places of those behind it are read afresh. */
  removeColumn(column: number): Promise<void> {
    const call = (): Promise<DraftView> => {
      const { revision } = this.view;
      const edit = { type: 'remove_column' as const, column };
      return api.drafts.edit({ draftId: this.id, revision, edit, by: windowName() });
    };
    return this.#sync.travel(call, tellTrouble);
  }

  /** Sends what waits, and reads the list again when somebody else has changed it. */
  refresh(): Promise<void> {
    return this.#sync.refresh();
  }

  /** What was edited elsewhere while somebody typed is shown now. */
  typingDone(): void {
    this.#sync.typingDone();
  }

  /** Looks once more for what is wrong with it, though nothing was edited: files that rows name come and go. */
  checkAgain(): Promise<void> {
    return this.#defects.checkAgain();
  }

  /** Loads every row, which filters, sorting and searching need. False when it cannot. */
  loadAll(): Promise<boolean> {
    return this.#sync.list.loadAll();
  }

  /** What is in sight, and what is wrong with it. */
  #load(): void {
    void this.#sync.list.fill();
    void this.#defects.check();
  }

  /** What was typed before its row had come. */
  async #editOnceLoaded(edit: PlacedEdit): Promise<void> {
    let isHere = true;
    try {
      for (const row of placesIn(edit)) isHere &&= await this.#sync.list.loadRow(row);
    } catch (error) {
      isHere = false;
      this.#sync.link.failed(error);
    }
    if (isHere) return this.edit(edit);
    const lost = { message: 'The list was changed before the row had come.', remedy: 'Copy the text into its cell.' };
    const [nowhere = -1] = this.#sync.outbox.names(1);
    if (edit.type === 'cells') {
      const cells = edit.cells.map((cell) => ({ ...cell, row: nowhere }));
      this.#sync.outbox.add({ revision: this.view.revision, edit: { ...edit, cells }, newRows: [] }, lost);
    } else tell(`${lost.message} Nothing was done.`);
  }

  #back(way: 'undo' | 'redo', revision?: number): Promise<void> {
    const call = { draftId: this.id, by: windowName(), ...(revision !== undefined && { revision }) };
    return this.#sync.travel(
      () => api.drafts[way](call),
      (error) => {
        if (refusalCode(error) !== 'not_yours') return tellTrouble(error);
        const { message, remedy } = troubleOf(error);
        const seen = this.view.revision;
        const label = way === 'undo' ? 'Undo it here' : 'Redo it here';
        tell(`${message} ${remedy}`, { label, run: () => void this.#back(way, seen) });
      },
    );
  }
}
