import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * What one run of the web host knows its windows by. Made at its start and kept in memory alone: to the next run, and to
 * a stranger who takes the port, what an open page still sends is worth nothing.
 */
export interface WebSecrets {
  /** Our page's script has it and sends it as a header, which no other origin can do: it allows every call. */
  readonly pass: string;
  /** A cookie, which a browser sends to every port of this machine: opens media to look at, and nothing else. */
  readonly mediaCookie: string;
}

export const newWebSecrets = (): WebSecrets => ({ pass: secret(), mediaCookie: secret() });

/** What shows a page that it speaks with the host which gave it its pass. The page computes the same. */
export const proofOf = (pass: string, challenge: string): string =>
  createHmac('sha256', pass).update(`dailies host ${challenge}`).digest('base64url');

/** Whether two texts are equal, in a time that does not reveal how much of them is. */
export function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

const secret = (): string => randomBytes(32).toString('base64url');

/** How long a code opens the window, ms: a browser that is not running yet has to start first. */
const VALID_MS = 120_000;

/** Unused codes to keep, at most. */
const MOST_WAITING = 100;

/**
 * Codes that let one window in, each once and soon. The address that is opened or printed has such a code only: the
 * secrets that the window works with are in no file, address or argument.
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
