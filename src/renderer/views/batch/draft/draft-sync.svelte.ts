import type { DraftView } from '../../../../contract/batch.ts';
import { t } from '../../../../contract/messages/words.ts';
import { api, isUnanswered, type Trouble, toTrouble } from '../../../lib/client.ts';
import { toast, toastError } from '../../../lib/toasts.ts';
import { Outbox } from './outbox.svelte.ts';
import { editRows, type DraftList, type RowEdit } from '../../../../contract/draft-list.ts';
import { readDraftRows, type Row } from '../../../lib/draft-rows.ts';

const notDone = t('list.notDone');
const changedMeanwhile: Trouble = {
  message: t('list.changedMeanwhile'),
  remedy: t('list.changedMeanwhileRemedy'),
};

type Rows = DraftList['rows'];

/** Contents that undo and redo come back to without asking for their rows; they share most of them. */
const MAX_VERSIONS = 100;
/** How often a list is read again while another window keeps editing it. */
const MAX_READINGS = 5;

/** Keeps a list in step with the engine, one edit after the other; waiting ones show on top of the engine's list. */
export class DraftSync {
  readonly id: string;
  readonly list = new ListRows();
  readonly outbox: Outbox;
  readonly link = new DraftLink(() => void this.refresh());
  /** A cell is open: rows are not replaced under it. */
  isTyping: () => boolean = () => false;
  onreplaced: () => void = () => undefined;
  oninstep: () => void = () => undefined;
  /** As it was when the rows that are here were read, or when the last edit made here was taken. */
  view: DraftView;
  /** The window does not show the engine's list with the waiting edits on top. */
  #isStale = $state(true);
  #queue: Promise<void> = Promise.resolve();
  #refreshing: Promise<void> | null = null;
  /** The newest last. */
  #versions: readonly { readonly version: string; readonly rows: Rows }[] = [];

  constructor(view: DraftView) {
    this.id = view.id;
    this.view = $state.raw(view);
    this.outbox = new Outbox(view.id);
  }

  get isInStep(): boolean {
    return this.outbox.waiting.length === 0 && !this.#isStale;
  }

  settled(): Promise<void> {
    return this.#queue;
  }

  sendAgain(): Promise<void> {
    return this.#enqueue(() => this.#sendAgain());
  }

  /** Makes an edit: at once here, then in the engine. Where the list has changed since, its text is kept aside. */
  edit(edit: RowEdit): Promise<void> {
    this.outbox.add(edit, this.view.revision);
    if (this.outbox.stopped === null && this.list.isRead) this.list.replace(editRows(this.list.all, edit));
    return this.#enqueue(async () => {
      // The last call had no answer: the next one sends this too.
      if (this.link.isAway || !(await this.#send())) return;
      if (this.#isStale) await this.#readIfChanged();
      else this.oninstep();
    });
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

  /** Has the engine change the list, after all that was edited before. `rowsAfter`: what that makes of its rows. */
  change(call: () => Promise<DraftView>, rowsAfter?: (rows: Rows) => Rows): Promise<void> {
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

  close(): void {
    this.link.close();
    this.list.giveUp();
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(work).catch((error: unknown) => this.link.failed(error));
    return this.#queue;
  }

  async #sendAgain(): Promise<void> {
    this.outbox.resume();
    this.#isStale = true;
    if (await this.#send()) await this.#readIfChanged();
  }

  /** Sends what waits, one edit after the other, as far as it is due. False when no answer comes. */
  async #send(isDue: (id: string) => boolean = () => true): Promise<boolean> {
    for (let [next] = this.outbox.waiting; next !== undefined && isDue(next.id); [next] = this.outbox.waiting) {
      const { edit, id: editId } = next;
      try {
        const { revision } = this.outbox;
        const view = await api.drafts.edit({ draftId: this.id, revision, edit, editId });
        this.link.answered();
        this.outbox.taken();
        const isNext = view.revision === this.view.revision + 1;
        if (isNext && !this.#isStale) {
          this.view = view;
          this.#remember();
        } else this.#isStale = true;
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
    const mayReplace = isNext && !this.#isStale && this.outbox.count === 0 && !this.isTyping();
    const rows = mayReplace ? (rowsAfter?.(this.list.all) ?? this.#rowsOf(after.version)) : undefined;
    if (rows || (isNext && haveSamePlaces(this.view, after))) {
      this.outbox.moveTo(after.revision);
      this.view = after;
    } else this.outbox.stop(changedMeanwhile);
    if (!rows) this.#isStale = true;
    else if (rows !== this.list.all) {
      this.list.replace(rows);
      this.onreplaced();
    }
    this.#remember();
  }

  /** Keeps the rows of the engine's present list, for an undo or a redo that comes back to it. */
  #remember(): void {
    if (!this.isInStep) return;
    const { version } = this.view;
    const others = this.#versions.filter((each) => each.version !== version);
    this.#versions = [...others, { version, rows: this.list.all }].slice(-MAX_VERSIONS);
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
      this.oninstep();
      return;
    }
    this.#isStale = true;
    if (this.isTyping()) return;
    const read = await this.#read(told);
    if (read === null || this.isTyping() || this.link.isClosed) return;
    this.view = read.view;
    this.list.replace(this.outbox.waiting.reduce((rows, { edit }) => editRows(rows, edit), read.rows));
    this.#isStale = false;
    this.#remember();
    this.onreplaced();
    this.oninstep();
  }

  /** Null while another window keeps editing it: that says when it has changed again. */
  async #read(told: DraftView): Promise<{ readonly view: DraftView; readonly rows: Rows } | null> {
    let view = told;
    for (let reading = 0; reading < MAX_READINGS; reading += 1) {
      const rows = this.#rowsOf(view.version) ?? (await readDraftRows(view, (share) => this.#onProgress(share)));
      if (rows !== null) return { view, rows };
      view = await api.drafts.get({ draftId: this.id });
    }
    return null;
  }

  #onProgress(share: number): void {
    if (!this.list.isRead) this.list.readShare = share;
  }
}

/** Every step changes rows, or how many there are, or the columns: with the same number of both, all stay in place. */
const haveSamePlaces = (before: DraftView, after: DraftView): boolean =>
  before.rows === after.rows && before.columns.length === after.columns.length;

/** How long after a call without an answer the engine is asked again, ms; the stream of changes may be quicker. */
const ASK_AGAIN_MS = 3000;

class DraftLink {
  readonly #askAgain: () => void;
  /** Why the list cannot be read any more. */
  trouble = $state.raw<Trouble | null>(null);
  /** The engine did not answer; it is asked again by and by. */
  isAway = $state(false);
  isGone = $state(false);
  isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(askAgain: () => void) {
    this.#askAgain = askAgain;
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
    this.isGone = this.trouble.code === 'unknown_draft';
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.#timer);
  }
}

/** The rows of a list as this window shows them: the engine's, with the edits on their way on top. Counts from 0. */
class ListRows {
  all = $state.raw<readonly Row[]>([]);
  /** Until then nothing of it is shown. */
  isRead = $state(false);
  /** How much of it was read so far, 0 to 1. */
  readShare = $state(0);
  readonly #whole = Promise.withResolvers<boolean>();
  /** Resolves once it was read; false when it never will be. */
  readonly whole = this.#whole.promise;

  get count(): number {
    return this.all.length;
  }

  row(row: number): Row {
    return this.all[row] ?? [];
  }

  text(row: number, column: number): string {
    return this.all[row]?.[column] ?? '';
  }

  replace(rows: readonly Row[]): void {
    this.all = rows;
    this.isRead = true;
    this.#whole.resolve(true);
  }

  giveUp(): void {
    this.#whole.resolve(false);
  }
}
