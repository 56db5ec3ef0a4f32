import { troubleOf, type Trouble } from '../../../lib/client.ts';
import { isUnanswered, refusalCode } from './refusals.ts';

/** How long after a call without an answer the engine is asked again, ms; the stream of changes may be quicker. */
const ASK_AGAIN_MS = 3000;

/** How a list stands with the engine: whether that answers, and whether it has the list still. */
export class DraftLink {
  readonly #askAgain: () => void;
  #trouble = $state.raw<Trouble | null>(null);
  #isAway = $state(false);
  #isGone = $state(false);
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(askAgain: () => void) {
    this.#askAgain = askAgain;
  }

  /** The engine did not answer; it is asked again by and by. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** The list was discarded: nothing brings it back. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Why the list cannot be read any more. */
  get trouble(): Trouble | null {
    return this.#trouble;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  answered(): void {
    this.#isAway = false;
    this.#trouble = null;
    clearTimeout(this.#timer);
  }

  failed(error: unknown): void {
    clearTimeout(this.#timer);
    if (isUnanswered(error)) {
      this.#isAway = true;
      if (!this.#isClosed) this.#timer = setTimeout(this.#askAgain, ASK_AGAIN_MS);
      return;
    }
    this.#isAway = false;
    this.#isGone = refusalCode(error) === 'unknown_draft';
    this.#trouble = troubleOf(error);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
