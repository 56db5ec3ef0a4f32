import { createHash } from 'node:crypto';
import type { TakeTexts } from '../../db/meaning-store.ts';

/** Longer texts say nothing more about what a take is, and models refuse them. */
const LONGEST = 8000;
/** So many bytes hold that many characters, whatever they are. */
export const LONGEST_BYTES = 4 * LONGEST;

/**
 * What is written about a take: what its shot says, and what its reviewer noted. A note is a text of its own, so that the
 * takes of a shot share one text, and a take is still found after a note was written on it.
 */
export function textsOfTake({ prompt, title, notes, note }: TakeTexts): string[] {
  const ofShot = [title, prompt, notes].filter((part) => part !== null && part.trim() !== '');
  return [ofShot.join('\n'), note ?? ''].filter((text) => text.trim() !== '').map(bounded);
}

/** The beginning of a text that a take made, out of its first bytes; empty where there is nothing to read. */
export const textOfWords = (bytes: Buffer): string => bounded(bytes.toString('utf8').trim());

/** A character that is cut in two is no text that could be sent. */
const bounded = (text: string): string => text.slice(0, LONGEST).toWellFormed();

/** Names a text, hex. */
export const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex');
