import { toast as sonner } from 'svelte-sonner';
import { t } from '../../contract/messages/words.ts';
import { isUnanswered } from './client.ts';
import { toast, toastError, WITH_ACTION_MS } from './toasts.ts';

/**
 * Takes a change back, or makes it again, and resolves with what reverses that in turn; with anything else where nothing
 * does. Rejects with why it could not be done.
 */
export type Reverse = () => unknown;

/** When something was changed or taken back, as `undoHistory.now` counts, and what, for people. */
export interface Latest {
  readonly words: string;
  readonly at: number;
}

export interface UndoStep extends Latest {
  readonly reverse: Reverse;
}

interface UndoneStep extends UndoStep {
  /** When it was done; `at` is when it was taken back. */
  readonly doneAt: number;
}

export interface OwnUndo {
  /** What its undo takes back; null where there is nothing. */
  readonly changed: Latest | null;
  readonly undone: Latest | null;
  undo(): Promise<void>;
  redo(): Promise<void>;
}

const MAX_STEPS = 1000;

/**
 * The changes of this window, for as long as it is open: one history in every view, with which the edits of the list on
 * screen are joined by their time. Undo takes back the latest change. Redo does again what was taken back last, until
 * something else is changed.
 */
class UndoHistory {
  #done = $state.raw<readonly UndoStep[]>([]);
  #undone = $state.raw<readonly UndoneStep[]>([]);
  #list = $state.raw<OwnUndo | null>(null);
  #count = 0;
  #turn: Promise<void> = Promise.resolve();
  said = $state.raw('');

  /** What undo takes back; null where there is nothing. */
  get toUndo(): Latest | null {
    return later(this.#done.at(-1), this.#list?.changed);
  }

  get toRedo(): Latest | null {
    const undone = later(this.#undone.at(-1), this.#list?.undone);
    return undone !== null && undone.at >= (this.toUndo?.at ?? 0) ? undone : null;
  }

  now(): number {
    return ++this.#count;
  }

  /** Joins a list's own undo until the returned function is called. For `$effect`. */
  join(list: OwnUndo): () => void {
    this.#list = list;
    return () => {
      if (this.#list === list) this.#list = null;
    };
  }

  add(words: string, reverse: Reverse, at = this.now()): UndoStep {
    const step = { words, reverse, at };
    this.#put(step);
    this.#undone = [];
    this.said = words;
    return step;
  }

  empty(): void {
    [this.#done, this.#undone] = [[], []];
  }

  drop(step: UndoStep): void {
    this.#done = this.#done.filter((each) => each !== step);
  }

  /** Takes back the latest change, or this one. Says why when that fails; it can be tried again when no answer came. */
  undo(step?: UndoStep): Promise<void> {
    return this.#enqueue(async () => {
      const wanted = step ?? this.#done.at(-1);
      if (step === undefined && this.toUndo !== wanted) return this.#list?.undo();
      if (wanted === undefined || !this.#done.includes(wanted)) return;
      const { words, at: doneAt } = wanted;
      const at = this.now();
      this.said = '';
      this.drop(wanted);
      try {
        const reversed = await wanted.reverse();
        if (isReverse(reversed)) this.#undone = [...this.#undone, { words, reverse: reversed, at, doneAt }];
        toast(t('common.undone', { done: words }));
      } catch (error) {
        if (isUnanswered(error)) this.#put(wanted);
        toastError(error, t('common.notUndone', { done: words }));
      }
    });
  }

  redo(): Promise<void> {
    return this.#enqueue(async () => {
      const wanted = this.#undone.at(-1);
      if (this.toRedo === null) return;
      if (wanted === undefined || this.toRedo !== wanted) return this.#list?.redo();
      const { words, doneAt: at } = wanted;
      this.#undone = this.#undone.slice(0, -1);
      this.said = '';
      try {
        const reverse = await wanted.reverse();
        if (isReverse(reverse)) this.#put({ words, reverse, at });
        toast(t('common.redone', { done: words }));
      } catch (error) {
        if (isUnanswered(error)) this.#undone = [...this.#undone, wanted];
        toastError(error, t('common.notRedone', { done: words }));
      }
    });
  }

  /** In the order of their times: of two calls the later may be answered first. */
  #put(step: UndoStep): void {
    this.#done = [...this.#done, step].toSorted((a, b) => a.at - b.at).slice(-MAX_STEPS);
  }

  /** Each press of the key means another change: the next is looked for once this one is taken back. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work);
    return this.#turn;
  }
}

export const undoHistory = new UndoHistory();

/** What undo takes back, as a button or a menu names it: `Undo: Renamed “Night” to “Day”`. */
export const undoTitle = (): string | null =>
  undoHistory.toUndo && t('common.undoStep', { done: undoHistory.toUndo.words });

export const redoTitle = (): string | null =>
  undoHistory.toRedo && t('common.redoStep', { done: undoHistory.toRedo.words });

const isReverse = (value: unknown): value is Reverse => typeof value === 'function';

const later = (a: Latest | null | undefined, b: Latest | null | undefined): Latest | null =>
  a && b ? (a.at >= b.at ? a : b) : (a ?? b ?? null);

export const between = (back: () => unknown, again: () => unknown): Reverse => {
  return async () => {
    await back();
    return between(again, back);
  };
};

/** When a list that keeps its own steps was edited in this window. */
class EditTimes {
  #edits = $state.raw<readonly number[]>([]);
  #undone = $state.raw<readonly { readonly doneAt: number; readonly at: number }[]>([]);

  /** Of the latest edit that is not undone; 0 for one from before the window was opened. */
  get changed(): number {
    return this.#edits.at(-1) ?? 0;
  }

  get undone(): number {
    return this.#undone.at(-1)?.at ?? 0;
  }

  noteEdit(): void {
    this.#edits = [...this.#edits, undoHistory.now()];
    this.#undone = [];
  }

  noteUndo(): void {
    this.#undone = [...this.#undone, { doneAt: this.changed, at: undoHistory.now() }];
    this.#edits = this.#edits.slice(0, -1);
  }

  noteRedo(): void {
    this.#edits = [...this.#edits, this.#undone.at(-1)?.doneAt ?? 0];
    this.#undone = this.#undone.slice(0, -1);
  }
}

const timesByList: Record<string, EditTimes> = {};

export const editTimesFor = (listId: string): EditTimes => (timesByList[listId] ??= new EditTimes());

export function toastWithUndo(message: string, reverse: Reverse, at?: number): UndoStep {
  const step = undoHistory.add(
    message,
    () => {
      sonner.dismiss(id);
      return reverse();
    },
    at,
  );
  undoHistory.said = '';
  const id = offerUndo(message, step);
  return step;
}

export function offerUndo(message: string, step: UndoStep): string | number {
  const action = { label: t('menu.role.undo'), onClick: () => void undoHistory.undo(step) };
  return sonner(message, { duration: WITH_ACTION_MS, action });
}
