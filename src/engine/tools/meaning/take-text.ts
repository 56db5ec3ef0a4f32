import { createHash } from 'node:crypto';
import type { TakeTexts } from '../../db/meaning-store.ts';

/** Longer texts say nothing more about a take, and models refuse them. */
const LONGEST = 8000;
/** Enough bytes for that many characters of any kind. */
export const LONGEST_BYTES = 4 * LONGEST;

/**
 * The texts about a take: what its shot says, and the reviewer's note. The note is a separate text, so that the takes
 * of a shot share one text and a new note does not make a take unfindable.
 */
export function textsOfTake({ prompt, title, notes, note }: TakeTexts): string[] {
  const ofShot = [title, prompt, notes].filter((part) => part !== null && part.trim() !== '');
  return [ofShot.join('\n'), note ?? ''].filter((text) => text.trim() !== '').map(bounded);
}

/** The beginning of a text that a take made, from its first bytes; empty if there is no text. */
export const textOfWords = (bytes: Buffer): string => bounded(bytes.toString('utf8').trim());

/** Half a character could not be sent. */
const bounded = (text: string): string => text.slice(0, LONGEST).toWellFormed();

/** Hash of a text, hex. */
export const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex');
