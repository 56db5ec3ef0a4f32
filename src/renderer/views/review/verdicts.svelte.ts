import type { TakeView, Verdict } from '../../../contract/review.ts';
import { api } from '../../lib/client.ts';
import { tellTrouble, tellWithUndo } from '../../lib/toasts.ts';
import { counted } from '../../lib/words.ts';
import { verdictsByTake } from './page-book.ts';

interface Judged {
  readonly takeId: string;
  readonly verdict: Verdict;
}

interface Step {
  /** Verdicts that were on screen. */
  readonly seen: readonly Judged[];
  /** All of them, as the engine has told; null until then. */
  before: readonly Judged[] | null;
  /** What was done, for people: `010 · take 1: picked`. */
  readonly words: string;
}

/** How many judgements can be taken back. */
const MOST_STEPS = 500;

/**
 * Gives verdicts and takes them back, the last one first. `shown` is called with what takes stand at from now on, before
 * the engine has answered: judging must not wait.
 */
export class Verdicts {
  #steps = $state.raw<readonly Step[]>([]);
  #last = $state.raw<string | null>(null);
  readonly #shown: (verdicts: ReadonlyMap<string, Verdict>) => void;
  /** Calls go out in the order of the keys. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(shown: (verdicts: ReadonlyMap<string, Verdict>) => void) {
    this.#shown = shown;
  }

  get canUndo(): boolean {
    return this.#steps.length > 0;
  }

  /** What was done last, until it is taken back. */
  get last(): string | null {
    return this.#last;
  }

  /** Gives one verdict on some takes; `seen` are those of them that are on screen, as they stand now. */
  judge(takeIds: readonly string[], seen: readonly TakeView[], change: Partial<Verdict>, words: string): void {
    const step: Step = { seen: seen.map(({ id, verdict }) => ({ takeId: id, verdict })), before: null, words };
    this.#shown(verdictsByTake(seen.map(({ id, verdict }) => ({ takeId: id, verdict: { ...verdict, ...change } }))));
    this.#steps = [...this.#steps.slice(1 - MOST_STEPS), step];
    this.#last = words;
    this.#send(
      async () => {
        step.before = (await api.takes.judge({ ids: [...takeIds], verdict: change })).before;
      },
      () => this.#forget(step),
    );
    // One take is taken back by a key and a button in sight; many deserve a word.
    if (takeIds.length > 1) tellWithUndo(`${counted(takeIds.length, 'take')}: ${words}`, () => this.#takeBack(step));
  }

  undo(): void {
    const step = this.#steps.at(-1);
    if (step) this.#takeBack(step);
  }

  #takeBack(step: Step): void {
    if (!this.#steps.includes(step)) return;
    this.#steps = this.#steps.filter((each) => each !== step);
    this.#last = `Taken back: ${step.words}`;
    this.#show(step);
    this.#send(
      // By then the engine has told what was before: calls go out one after the other.
      async () => {
        if (step.before) await api.takes.restore({ before: [...step.before] });
      },
      () => undefined,
    );
  }

  #forget(step: Step): void {
    this.#steps = this.#steps.filter((each) => each !== step);
    this.#last = null;
    this.#show(step);
  }

  #show(step: Step): void {
    this.#shown(verdictsByTake(step.seen));
  }

  #send(call: () => Promise<unknown>, onfailure: () => void): void {
    this.#queue = this.#queue.then(call).catch((error: unknown) => {
      onfailure();
      tellTrouble(error);
    });
  }
}
