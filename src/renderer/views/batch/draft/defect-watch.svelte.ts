import type { DraftView } from '../../../../contract/batch.ts';
import { api } from '../../../lib/client.ts';
import { DefectIndex } from './defect-index.ts';

/** How long after an edit its defects are asked for, and how long until they are asked for again, ms. */
const CHECK_AFTER_MS = 120;
const CHECK_AGAIN_MS = 250;

interface WatchedDraft {
  readonly id: string;
  readonly isClosed: () => boolean;
  /** No edit is on its way to the engine. */
  readonly isSettled: () => boolean;
  /** Resolves when the edits made so far have been answered. */
  readonly settled: () => Promise<void>;
  readonly view: () => DraftView;
  /** The draft with fresh counts of its defects. */
  readonly oncounted: (view: DraftView) => void;
  readonly ontrouble: (error: unknown) => void;
}

/** The defects of a draft, read again until they fit the present list. */
export class DefectWatch {
  readonly #draft: WatchedDraft;
  index = $state.raw(new DefectIndex([]));
  #checkedRevision = $state(-1);
  #checking = false;

  constructor(draft: WatchedDraft) {
    this.#draft = draft;
  }

  /** They fit the present list. */
  get isChecked(): boolean {
    return this.#draft.isSettled() && this.#checkedRevision >= this.#draft.view().revision;
  }

  /** How many there are in all, as far as they were counted; the index may hold the first of them only. */
  get errors(): number {
    const { errors } = this.index;
    return this.isChecked ? Math.max(this.#draft.view().errors, errors) : errors;
  }

  get warnings(): number {
    const { warnings } = this.index;
    return this.isChecked ? Math.max(this.#draft.view().warnings, warnings) : warnings;
  }

  /** Rows were put in or taken out: their defects go with them, until they are counted again. */
  move(newRow: (row: number) => number | null): void {
    this.index = this.index.moved(newRow);
  }

  /** Looks once more, though nothing was edited: files that rows name come and go. */
  async again(): Promise<void> {
    if (this.#checking || this.#draft.isClosed()) return;
    this.#checking = true;
    try {
      await this.#draft.settled();
      await this.#ask(true);
    } catch (error) {
      this.#draft.ontrouble(error);
    } finally {
      this.#checking = false;
    }
    // Edits made meanwhile found it busy.
    await this.check();
  }

  async check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    const draft = this.#draft;
    try {
      for (let wait = CHECK_AFTER_MS; !draft.isClosed() && this.#checkedRevision < draft.view().revision;) {
        await pause(this.#checkedRevision < 0 ? 0 : wait);
        await draft.settled();
        await this.#ask();
        wait = CHECK_AGAIN_MS;
      }
    } catch (error) {
      draft.ontrouble(error);
    } finally {
      this.#checking = false;
    }
  }

  async #ask(again = false): Promise<void> {
    const draft = this.#draft;
    const { revision, defects } = await api.drafts.defects({ draftId: draft.id, again });
    // Only the first of very many come one by one; the counts cover all.
    const view = await api.drafts.get({ draftId: draft.id });
    if (!draft.isSettled() || view.revision !== draft.view().revision || revision !== view.revision) return;
    this.index = new DefectIndex(defects);
    this.#checkedRevision = view.revision;
    draft.oncounted(view);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
