import { createHmac, randomBytes } from 'node:crypto';
import { isSame } from './token.ts';

/** How long a code opens the window, ms: a browser that is not running yet has to start first. */
const VALID_MS = 120_000;

/**
 * A code that lets one browser in, once and soon. The token itself is never handed to another program: whoever uses this
 * machine can read the arguments of every process, for as long as it runs.
 */
export function newEntryCode(token: string, now: number): string {
  const claim = `${now + VALID_MS}.${randomBytes(12).toString('base64url')}`;
  return `${claim}.${proofOf(claim, token)}`;
}

/** The codes that were used: each opens once. */
export class EntryCodes {
  readonly #used = new Map<string, number>();

  /** Whether a code opens, which it does not do again. */
  take(code: string, token: string, now: number): boolean {
    const [until = '', nonce = '', proof = ''] = code.split('.');
    const claim = `${until}.${nonce}`;
    if (!isSame(proof, proofOf(claim, token)) || Number(until) < now || Number(until) > now + VALID_MS) return false;
    for (const [used, end] of this.#used) if (end < now) this.#used.delete(used);
    if (this.#used.has(claim)) return false;
    this.#used.set(claim, Number(until));
    return true;
  }
}

const proofOf = (claim: string, token: string): string =>
  createHmac('sha256', token).update(`dailies entry ${claim}`).digest('base64url');
