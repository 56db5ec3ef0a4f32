import { ORPCError } from '@orpc/client';
import { troubleOf, type Trouble } from '../../../lib/client.ts';
import { EngineGoneError } from '../../../lib/port-link.ts';
import { NotOurHostError } from '../../../web/pass.ts';

/** How long after a call without an answer the engine is asked again, ms; the stream of changes may be quicker. */
const ASK_AGAIN_MS = 3000;

/** The link of a list to the engine: whether the engine answers, and whether it still has the list. */
export class DraftLink {
  readonly #askAgain: () => void;
  /** Why the list cannot be read any more. */
  trouble = $state.raw<Trouble | null>(null);
  /** The engine did not answer; it is asked again by and by. */
  isAway = $state(false);
  /** The list was discarded: nothing brings it back. */
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
    this.isGone = refusalCode(error) === 'unknown_draft';
    this.trouble = troubleOf(error);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.#timer);
  }
}

/** The code of the engine's refusal; null for any other failure. */
function refusalCode(error: unknown): string | null {
  if (!(error instanceof ORPCError)) return null;
  const data: unknown = error.data;
  return typeof data === 'object' && data !== null && 'code' in data ? String(data.code) : null;
}

/** No answer came, or one about something else: the engine does not know this window any more. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof EngineGoneError ||
  error instanceof NotOurHostError ||
  (error instanceof ORPCError && error.status === 401);
