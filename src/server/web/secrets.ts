import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * What one run of the web host knows its windows by. Made at its start and kept in memory alone: to the next run, and to
 * a stranger who takes the port, what an open page still sends is worth nothing.
 */
export interface WebSecrets {
  /** Held by our page's script and sent as a header, which no other origin can do: opens every call. */
  readonly pass: string;
  /** A cookie, which a browser sends to every port of this machine: opens media to look at, and nothing else. */
  readonly mediaCookie: string;
}

export const newWebSecrets = (): WebSecrets => ({ pass: secret(), mediaCookie: secret() });

/** What shows a page that it speaks with the host which gave it its pass. The page computes the same. */
export const proofOf = (pass: string, challenge: string): string =>
  createHmac('sha256', pass).update(`dailies host ${challenge}`).digest('base64url');

/** Whether two texts are the same, in a time that does not tell how much of them is. */
export function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

const secret = (): string => randomBytes(32).toString('base64url');
