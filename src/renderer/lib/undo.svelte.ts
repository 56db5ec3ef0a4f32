import { toast as sonner } from 'svelte-sonner';
import { say } from '../../contract/messages/words.ts';
import { isUnanswered } from './client.ts';
import { toast, toastError, WITH_ACTION_MS } from './toasts.ts';

/** Something that was done in this window and can be taken back. */
export interface UndoStep {
  /** The change, for people: `Renamed “Night” to “Day”`. */
  readonly words: string;
  /** Takes it back; rejects with why it cannot be. */
  readonly undo: () => unknown;
  /** When it was done, as `undoHistory.now` counts. */
  readonly at: number;
}

const MOST_STEPS = 1000;

/** The changes of this window that can be undone, for as long as the window is open. */
class UndoHistory {
  #steps = $state.raw<readonly UndoStep[]>([]);
  #count = 0;

  /** The newest step; null when there is none. */
  get last(): UndoStep | null {
    return this.#steps.at(-1) ?? null;
  }

  has(step: UndoStep): boolean {
    return this.#steps.includes(step);
  }

  /** A growing number: a later change has a higher one. */
  now(): number {
    return ++this.#count;
  }

  add(words: string, undo: () => unknown): UndoStep {
    const step = { words, undo, at: this.now() };
    this.#steps = [...this.#steps.slice(1 - MOST_STEPS), step];
    return step;
  }

  /** It cannot be taken back any more. */
  drop(step: UndoStep): void {
    this.#steps = this.#steps.filter((each) => each !== step);
  }

  /** Undoes one step, the last by default; says why when that fails. It can be tried again when no answer came. */
  async undo(step = this.last): Promise<void> {
    if (step === null || !this.has(step)) return;
    this.drop(step);
    try {
      await step.undo();
    } catch (error) {
      if (isUnanswered(error)) this.#steps = [...this.#steps, step].toSorted((a, b) => a.at - b.at);
      toastError(error, say('common.notUndone', { done: step.words }));
    }
  }
}

export const undoHistory = new UndoHistory();

/** Says what was done and offers Undo, here for a moment and by the undo key from then on. */
export function toastWithUndo(message: string, undo: () => unknown): UndoStep {
  const step = undoHistory.add(message, async () => {
    sonner.dismiss(id);
    if ((await undo()) !== ALREADY_SAID) toast(say('common.undone', { done: message }));
  });
  const id = offerUndo(message, step);
  return step;
}

/** The same without a word: for a change that is seen at once and made many times. */
export function rememberUndo(message: string, undo: () => unknown): UndoStep {
  return undoHistory.add(message, async () => {
    await undo();
    toast(say('common.undone', { done: message }));
  });
}

/** Throws unless `now` is still what we left there: an undo never overwrites a newer change. */
export function requireUnchanged(now: unknown, left: unknown): void {
  if (JSON.stringify(now) !== JSON.stringify(left)) throw new Error(say('common.changedSince'));
}

/** An undo resolves with this when it has shown its own result. */
export const ALREADY_SAID = Symbol('already said');

/** Says what was done, with an Undo button. Returns the id of the toast. */
export function offerUndo(message: string, step: UndoStep): string | number {
  const action = { label: say('common.undo'), onClick: () => void undoHistory.undo(step) };
  return sonner(message, { duration: WITH_ACTION_MS, action });
}
