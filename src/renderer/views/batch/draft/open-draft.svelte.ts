import type { DraftColumn, DraftEdit, DraftView, ReadOptions } from '../../../../contract/batch.ts';
import { editRows, rowAfter, type DraftList, type RowEdit } from '../../../../contract/draft-list.ts';
import { t, sayText } from '../../../../contract/messages/words.ts';
import { api, isUnanswered, toTrouble, type Trouble } from '../../../lib/client.ts';
import { readDraftRows, type Row } from '../../../lib/draft-rows.ts';
import { percent } from '../../../lib/format.ts';
import { toast, toastError } from '../../../lib/toasts.ts';
import { editTimesFor, type Latest, type OwnUndo } from '../../../lib/undo.svelte.ts';
import { columnNamed, rowsAsShots, type ShotRow } from './columns.ts';
import { DefectIndex } from './defect-index.ts';
import { Outbox } from './outbox.svelte.ts';

const notDone = t('list.notDone');
const changedMeanwhile: Trouble = {
  message: t('list.changedMeanwhile'),
  remedy: t('list.changedMeanwhileRemedy'),
};

type Rows = DraftList['rows'];

/** Contents that undo and redo come back to without asking for their rows; they share most of them. */
const MAX_VERSIONS = 100;

/**
 * A list that is open in this window: its rows, its defects, and its edits on their way to the engine, which keeps it.
 * Edits go one after the other; waiting ones show on top of the engine's list.
 */
export class OpenDraft implements OwnUndo {
  readonly id: string;
  readonly outbox: Outbox;
  readonly link = new EngineLink(() => void this.refresh());
  readonly defects: DefectWatch;
  /** As it was when the rows that are here were read, or when the last edit made here was taken. */
  view: DraftView;
  /** As the engine has them, as far as this window knows. */
  #known = $state.raw<Rows>([]);
  readonly rows: Rows = $derived.by(() =>
    this.isRead ? this.outbox.waiting.reduce((shown, { edit }) => editRows(shown, edit), this.#known) : [],
  );
  /** Until then nothing of it is shown. */
  isRead = $state(false);
  /** How much of it was read so far, 0 to 1. */
  readShare = $state(0);
  readonly #whole = Promise.withResolvers<boolean>();
  /** Resolves once it was read; false when it never will be. */
  readonly whole = this.#whole.promise;
  /** A cell is open: rows are not replaced under it. */
  isTyping: () => boolean = () => false;
  onreplaced: () => void = () => undefined;
  /** The known rows are not those of the engine's present list. */
  #isStale = $state(true);
  #queue: Promise<void> = Promise.resolve();
  #refreshing: Promise<void> | null = null;
  /** The newest last. */
  #versions: readonly { readonly version: string; readonly rows: Rows }[] = [];

  constructor(view: DraftView) {
    this.id = view.id;
    this.view = $state.raw(view);
    this.outbox = new Outbox(view.id);
    this.defects = new DefectWatch(this);
    void this.refresh();
  }

  get count(): number {
    return this.rows.length;
  }

  row(row: number): Row {
    return this.rows[row] ?? [];
  }

  text(row: number, column: number): string {
    return this.rows[row]?.[column] ?? '';
  }

  get shots(): readonly ShotRow[] {
    return rowsAsShots(this.rows, columnNamed(this.view.columns, 'shot'));
  }

  /** Columns of the list, with those that edits on their way to the engine add. */
  get columns(): readonly DraftColumn[] {
    const added = this.outbox.waiting.flatMap(({ edit }) => (edit.type === 'cells' ? (edit.columns ?? []) : []));
    return [...this.view.columns, ...added.map((header) => ({ header, column: header, isExtra: false }))];
  }

  get isSaving(): boolean {
    return this.outbox.waiting.length > 0;
  }

  get isInStep(): boolean {
    return !this.isSaving && !this.#isStale;
  }

  /** Why it cannot be edited here, for people; null when it can. */
  get obstacle(): string | null {
    const { link, outbox } = this;
    if (link.trouble !== null) return sayText(link.trouble.message);
    if (!this.isRead) return t('list.loading', { share: percent(this.readShare) });
    return outbox.stopped === null ? null : t('list.settleTextFirst');
  }

  /** Says why the list cannot be edited. Returns whether it can. */
  assureEditable(): boolean {
    const { obstacle } = this;
    if (obstacle !== null) toast(obstacle);
    return obstacle === null;
  }

  /** An edit on its way can be undone once the engine has it. */
  get changed(): Latest | null {
    return this.view.canUndo || this.isSaving ? this.#editAt(editTimesFor(this.id).changed) : null;
  }

  get undone(): Latest | null {
    return this.view.canRedo ? this.#editAt(editTimesFor(this.id).undone) : null;
  }

  #editAt(at: number): Latest {
    return { words: t('list.editOf', { list: this.view.name }), at };
  }

  /** Changes rows: at once here, then in the engine. Where the list has changed since, its text is kept aside. */
  edit(edit: RowEdit): Promise<void> {
    // Text is never dropped.
    if (edit.type !== 'cells' && !this.assureEditable()) return Promise.resolve();
    editTimesFor(this.id).noteEdit();
    const newPlace = rowAfter(edit);
    if (newPlace !== null) this.defects.move(newPlace);
    this.outbox.add(edit, this.view.revision);
    return this.#enqueue(async () => {
      // The last call had no answer: the next one sends this too.
      if (this.link.isAway || !(await this.#send())) return;
      if (this.#isStale) await this.#readIfChanged();
      else void this.defects.check();
    });
  }

  change(edit: Exclude<DraftEdit, RowEdit>): Promise<void> {
    editTimesFor(this.id).noteEdit();
    return this.#change(
      () => api.drafts.edit({ draftId: this.id, revision: this.view.revision, edit }),
      (rows) => editRows(rows, edit),
    );
  }

  undo(): Promise<void> {
    editTimesFor(this.id).noteUndo();
    return this.#change(() => api.drafts.undo({ draftId: this.id }));
  }

  redo(): Promise<void> {
    editTimesFor(this.id).noteRedo();
    return this.#change(() => api.drafts.redo({ draftId: this.id }));
  }

  reread(read: ReadOptions): Promise<void> {
    return this.#change(() => api.drafts.reread({ draftId: this.id, read }));
  }

  /** Resolves once all that was asked for so far is done. */
  settled(): Promise<void> {
    return this.#queue;
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#enqueue(async () => {
      this.#refreshing = null;
      if (await this.#send()) await this.#readIfChanged();
    });
    return this.#refreshing;
  }

  /** What could not be shown while a cell was open is shown now. */
  typingDone(): void {
    if (this.#isStale) void this.refresh();
  }

  /** Sends the edits that the engine refused once more. */
  sendAgain(): Promise<void> {
    return this.#enqueue(async () => {
      this.outbox.resume();
      this.#isStale = true;
      if (await this.#send()) await this.#readIfChanged();
    });
  }

  close(): void {
    this.link.close();
    this.#whole.resolve(false);
  }

  #take(view: DraftView, rows: Rows): void {
    const { version } = view;
    this.view = view;
    this.#known = rows;
    this.#isStale = false;
    this.isRead = true;
    this.#whole.resolve(true);
    const others = this.#versions.filter((each) => each.version !== version);
    this.#versions = [...others, { version, rows }].slice(-MAX_VERSIONS);
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(work).catch((error: unknown) => this.link.failed(error));
    return this.#queue;
  }

  /** Has the engine change the list, after all that was edited before. `rowsAfter`: what that makes of its rows. */
  #change(call: () => Promise<DraftView>, rowsAfter?: (rows: Rows) => Rows): Promise<void> {
    if (!this.assureEditable()) return Promise.resolve();
    const madeBefore = this.outbox.waiting.map(({ id }) => id);
    return this.#enqueue(async () => {
      if (!(await this.#send((id) => madeBefore.includes(id)))) return toast(notDone);
      try {
        this.#moveTo(await call(), rowsAfter);
      } catch (error) {
        if (!isUnanswered(error)) toastError(error);
        else {
          this.link.failed(error);
          this.#isStale = true;
          return toast(notDone);
        }
      }
      await this.#readIfChanged();
    });
  }

  /** Sends what waits, one edit after the other, as far as it is due. False when no answer comes. */
  async #send(isDue: (id: string) => boolean = () => true): Promise<boolean> {
    for (let [next] = this.outbox.waiting; next !== undefined && isDue(next.id); [next] = this.outbox.waiting) {
      const { edit, id: editId } = next;
      try {
        const { revision } = this.outbox;
        const view = await api.drafts.edit({ draftId: this.id, revision, edit, editId });
        this.link.answered();
        const rows = editRows(this.#known, edit);
        if (view.revision === this.view.revision + 1 && !this.#isStale) this.#take(view, rows);
        else [this.#known, this.#isStale] = [rows, true];
        this.outbox.taken();
      } catch (error) {
        if (isUnanswered(error)) {
          this.link.failed(error);
          return false;
        }
        this.outbox.stop(toTrouble(error));
        this.#isStale = true;
      }
    }
    return true;
  }

  /** The engine has changed the list for this window. What was typed meanwhile stays where no row has moved. */
  #moveTo(after: DraftView, rowsAfter: ((rows: Rows) => Rows) | undefined): void {
    const isNext = after.revision === this.view.revision + 1;
    const staysInPlace = isNext && haveSamePlaces(this.view, after);
    if (staysInPlace) this.outbox.moveTo(after.revision);
    else this.outbox.stop(changedMeanwhile);
    const before = this.#known;
    const mayReplace = isNext && !this.#isStale && !this.isTyping();
    const rows = mayReplace ? (rowsAfter?.(before) ?? this.#rowsOf(after.version)) : undefined;
    if (rows) {
      this.#take(after, rows);
      if (rows !== before) this.onreplaced();
      return;
    }
    if (staysInPlace) this.view = after;
    this.#isStale = true;
  }

  #rowsOf(version: string): Rows | undefined {
    return this.#versions.find((each) => each.version === version)?.rows;
  }

  /** Reads the present list, or, while a cell is open, once it is closed. */
  async #readIfChanged(): Promise<void> {
    if (this.link.isClosed) return;
    const told = await api.drafts.get({ draftId: this.id });
    this.link.answered();
    if (told.revision === this.view.revision && !this.#isStale) {
      this.view = told;
      void this.defects.check();
      return;
    }
    this.#isStale = true;
    if (this.isTyping()) return;
    const rows = this.#rowsOf(told.version) ?? (await readDraftRows(told, (share) => this.#onProgress(share)));
    // Another window edited it while it was read: the stream of changes asks for it again.
    if (rows === null || this.isTyping() || this.link.isClosed) return;
    this.#take(told, rows);
    this.onreplaced();
    void this.defects.check();
  }

  #onProgress(share: number): void {
    if (!this.isRead) this.readShare = share;
  }
}

/** Every step changes rows, or how many there are, or the columns: with the same number of both, all stay in place. */
const haveSamePlaces = (before: DraftView, after: DraftView): boolean =>
  before.rows === after.rows && before.columns.length === after.columns.length;

/** How long after a call without an answer the engine is asked again, ms; the stream of changes may be quicker. */
const ASK_AGAIN_MS = 3000;

class EngineLink {
  readonly #askAgain: () => void;
  /** Why the list cannot be read any more. */
  trouble = $state.raw<Trouble | null>(null);
  /** The engine did not answer; it is asked again every few seconds. */
  isAway = $state(false);
  isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(askAgain: () => void) {
    this.#askAgain = askAgain;
  }

  get isGone(): boolean {
    return this.trouble?.code === 'unknown_draft';
  }

  answered(): void {
    this.isAway = false;
    this.trouble = null;
    clearTimeout(this.#timer);
  }

  failed(error: unknown): void {
    clearTimeout(this.#timer);
    if (isUnanswered(error)) {
      this.isAway = true;
      if (!this.isClosed) this.#timer = setTimeout(this.#askAgain, ASK_AGAIN_MS);
      return;
    }
    this.isAway = false;
    this.trouble = toTrouble(error);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.#timer);
  }
}

/** The defects of a draft, read again until they fit the present list. */
class DefectWatch {
  readonly #draft: OpenDraft;
  index = $state.raw(new DefectIndex([]));
  #checkedRevision = $state(-1);
  #turn: Promise<void> = Promise.resolve();

  constructor(draft: OpenDraft) {
    this.#draft = draft;
  }

  get isChecked(): boolean {
    return this.#draft.isInStep && this.#checkedRevision >= this.#draft.view.revision;
  }

  /** How many there are in all, as far as they were counted; the index may hold the first of them only. */
  get errors(): number {
    const { errors } = this.index;
    return this.isChecked ? Math.max(this.#draft.view.errors, errors) : errors;
  }

  get warnings(): number {
    const { warnings } = this.index;
    return this.isChecked ? Math.max(this.#draft.view.warnings, warnings) : warnings;
  }

  /** Rows were put in or taken out: their defects go with them, until they are counted again. */
  move(newRow: (row: number) => number | null): void {
    this.index = this.index.moved(newRow);
  }

  again(): Promise<void> {
    return this.#enqueue(() => this.#read(true));
  }

  /** The engine says when it has checked the list after an edit: then its defects are read. */
  check(): Promise<void> {
    return this.#enqueue(async () => {
      const { view, isInStep } = this.#draft;
      if (isInStep && view.checkedRevision === view.revision && !this.isChecked) await this.#read(false);
    });
  }

  /** What is asked while an answer is on its way is asked after it. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work);
    return this.#turn;
  }

  async #read(again: boolean): Promise<void> {
    const draft = this.#draft;
    if (draft.link.isClosed) return;
    try {
      await draft.settled();
      const { revision, defects } = await api.drafts.defects({ draftId: draft.id, again });
      // Only the first of very many come one by one; the counts cover all.
      const view = await api.drafts.get({ draftId: draft.id });
      if (!draft.isInStep || view.revision !== draft.view.revision || revision !== view.revision) return;
      this.index = new DefectIndex(defects);
      this.#checkedRevision = view.revision;
      draft.view = view;
    } catch (error) {
      draft.link.failed(error);
    }
  }
}
