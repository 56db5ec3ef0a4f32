import { randomBytes } from 'node:crypto';

/** How long a code opens the window, ms: a browser that is not running yet has to start first. */
const VALID_MS = 120_000;
/** Codes that wait to be used; more than these nobody has asked for. */
const MOST_WAITING = 100;

/**
 * Codes that let one window in, each once and soon. What opens a browser, and what is printed, is such a code: the secrets
 * that the window then works with are in no file, address or argument.
 */
export class EntryCodes {
  readonly #validUntil = new Map<string, number>();

  issue(now: number): string {
    const code = randomBytes(24).toString('base64url');
    this.#validUntil.set(code, now + VALID_MS);
    const [oldest] = this.#validUntil.keys();
    if (this.#validUntil.size > MOST_WAITING && oldest !== undefined) this.#validUntil.delete(oldest);
    return code;
  }

  /** Whether a code opens, which it does not do again. */
  take(code: string, now: number): boolean {
    const until = this.#validUntil.get(code);
    this.#validUntil.delete(code);
    return until !== undefined && now <= until;
  }
}
