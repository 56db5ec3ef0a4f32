import { createHash } from 'node:crypto';
import type { TakeTexts } from '../../db/meaning-store.ts';

/** Longer texts say nothing more about what a take is, and models refuse them. */
const LONGEST = 8000;
/** So many bytes hold that many characters, whatever they are. */
export const LONGEST_BYTES = 4 * LONGEST;

/** Everything that is written about a take, as one text; empty where nothing is. */
export function textOfTake({ prompt, title, notes, note }: TakeTexts): string {
  const parts = [title, prompt, notes, note].filter((part) => part !== null && part.trim() !== '');
  return bounded(parts.join('\n'));
}

/** The beginning of a text that a take made, out of its first bytes; empty where there is nothing to read. */
export const textOfWords = (bytes: Buffer): string => bounded(bytes.toString('utf8').trim());

/** A character that is cut in two is no text that could be sent. */
const bounded = (text: string): string => text.slice(0, LONGEST).toWellFormed();

/** Names a text, hex. */
export const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex');
