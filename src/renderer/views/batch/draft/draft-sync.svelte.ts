import type { DraftView } from '../../../../contract/batch.ts';
import { api, troubleOf } from '../../../lib/client.ts';
import { tell, tellTrouble } from '../../../lib/toasts.ts';
import { DraftLink } from './draft-link.svelte.ts';
import { windowName } from './kept-texts.ts';
import { LoadedList } from './loaded-list.svelte.ts';
import { Outbox, type UnsentEdit } from './outbox.svelte.ts';
import { isAboutNoRow } from './placed-edits.ts';
import { isUnanswered } from './refusals.ts';
import { RowStore } from './row-store.ts';
import { textsUnder } from './unkept-cells.ts';

const notDone = 'Dailies does not answer, so that was not done. What you wrote waits in its cells.';

interface Watcher {
  /** Somebody is typing: rows are not taken from under their hands. */
  readonly isTyping: () => boolean;
  /** Other rows come in place of these. */
  readonly onreplaced: (before: RowStore, after: RowStore) => void;
  /** The list is in step with the engine again. */
  readonly oninstep: () => void;
}

/**
 * Keeps a list in step with the engine: sends what was edited here, one edit after the other, and reads what was edited
 * elsewhere. What the engine has, with the edits on top that it does not have yet, is what is shown.
 */
export class DraftSync {
  readonly id: string;
  readonly list: LoadedList;
  readonly outbox: Outbox;
  readonly link = new DraftLink(() => void this.refresh());
  /** As it was when the rows that are here were read, or when the last edit made here was taken. */
  #view: DraftView;
  /** The list was edited elsewhere since its rows were read. */
  #isStale = $state(false);
  /** What the list has in the cells of edits that it did not take. */
  #theirs = $state.raw(textsUnder([], new RowStore(0)));
  #queue: Promise<void> = Promise.resolve();
  #refreshing: Promise<void> | null = null;
  readonly #watcher: Watcher;

  constructor(view: DraftView, watcher: Watcher) {
    this.id = view.id;
    this.#view = $state.raw(view);
    this.#watcher = watcher;
    this.outbox = new Outbox(view.id);
    this.list = new LoadedList({
      id: view.id,
      isClosed: () => this.link.isClosed,
      settled: () => this.#queue,
      ontrouble: (error) => this.link.failed(error),
      view: () => this.#view,
      isInStep: () => this.isInStep,
      onbehind: () => void this.refresh(),
    });
    // What an earlier page of this window has not sent is put on top of what is read.
    this.#isStale = this.outbox.edits.length > 0;
  }

  get view(): DraftView {
    return this.#view;
  }

  /** Nothing waits to be sent, or to be read. */
  get isInStep(): boolean {
    return this.outbox.waiting.length === 0 && !this.#isStale;
  }

  get theirs(): ReadonlyMap<string, string> {
    return this.#theirs;
  }

  /** The list as it stands, counted afresh. */
  counted(view: DraftView): void {
    this.#view = view;
  }

  /** Resolves when what was asked of the engine is answered. */
  settled(): Promise<void> {
    return this.#queue;
  }

  /** Sends what waits, unless no answer came to what was sent before: whoever asks again sends this too. */
  send(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.link.isAway || !(await this.#sendAll())) return;
      if (this.#isStale) await this.#readIfChanged();
      else this.#watcher.oninstep();
    });
  }

  /** Sends what waits, and reads the list again when somebody else has changed it. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#inTurn(async () => {
      this.#refreshing = null;
      if (await this.#sendAll()) await this.#readIfChanged();
    });
    return this.#refreshing;
  }

  /** The same, with what was shown here and is not in the list any more. */
  readAgain(): Promise<void> {
    this.#isStale = true;
    return this.refresh();
  }

  /** What was edited elsewhere while somebody typed is shown now. */
  typingDone(): void {
    if (this.#isStale) void this.refresh();
  }

  /** A change of which only the engine knows what it does to the rows. */
  travel(call: () => Promise<DraftView>, onrefused: (error: unknown) => void): Promise<void> {
    return this.#inTurn(async () => {
      if (!(await this.#sendAll())) {
        tell(notDone);
        return;
      }
      this.#isStale = true;
      try {
        await call();
      } catch (error) {
        if (isUnanswered(error)) {
          this.link.failed(error);
          tell(notDone);
          return;
        }
        await this.#readIfChanged();
        onrefused(error);
        return;
      }
      await this.#readIfChanged();
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(work).catch((error: unknown) => this.link.failed(error));
    return this.#queue;
  }

  /** Sends what waits, one edit after the other. False when no answer comes. */
  async #sendAll(): Promise<boolean> {
    for (let [edit] = this.outbox.waiting; edit !== undefined; [edit] = this.outbox.waiting) {
      try {
        await this.#sendOne(edit);
        this.link.answered();
      } catch (error) {
        if (isUnanswered(error)) {
          this.link.failed(error);
          return false;
        }
        this.#notTaken(edit, error);
      }
    }
    return true;
  }

  async #sendOne(sent: UnsentEdit): Promise<void> {
    const { edit, revision } = sent;
    if (isAboutNoRow(edit)) throw new Error('The row it is in could not be put into the list.');
    const call = { draftId: this.id, revision, edit, editId: sent.id, by: windowName() };
    const { newRowsFrom, ...view } = await api.drafts.edit(call);
    const isOurs = view.revision === this.#view.revision + 1;
    const names = this.outbox.taken(sent, newRowsFrom, isOurs ? view.revision : null);
    this.list.change((rows) => rows.rename(names));
    if (isOurs && !this.#isStale) this.#view = view;
    else this.#isStale = true;
  }

  #notTaken(sent: UnsentEdit, error: unknown): void {
    this.#isStale = true;
    if (sent.edit.type === 'cells') return this.outbox.refuse(sent, troubleOf(error));
    this.outbox.drop(sent.id);
    const { message, remedy } = troubleOf(error);
    tellTrouble(new Error(`Your last change of the list was not made. ${message} ${remedy}`));
  }

  /** Reads the list as it stands, unless somebody is typing: then once they are done. */
  async #readIfChanged(): Promise<void> {
    if (this.link.isClosed) return;
    const told = await api.drafts.get({ draftId: this.id });
    this.link.answered();
    if (told.revision === this.#view.revision && !this.#isStale) {
      this.#view = told;
      this.#watcher.oninstep();
      return;
    }
    this.#isStale = true;
    if (this.#watcher.isTyping()) return;
    const { view, rows } = await this.list.readAfresh(told);
    if (this.#watcher.isTyping() || this.link.isClosed) return;
    this.#theirs = textsUnder(this.outbox.refused, rows);
    for (const { edit, newRows } of this.outbox.edits) rows.apply(rows.placed(edit), newRows);
    const before = this.list.rows;
    this.#view = view;
    this.list.replace(rows);
    this.#isStale = false;
    this.#watcher.onreplaced(before, rows);
    this.#watcher.oninstep();
  }
}
