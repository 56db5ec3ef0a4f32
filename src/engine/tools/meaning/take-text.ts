import { createHash } from 'node:crypto';
import type { TakeTexts } from '../../db/meaning-store.ts';

/** Longer texts say nothing more about what a take is, and models refuse them. */
const LONGEST = 8000;

/** Everything that is written about a take, as one text; empty where nothing is. */
export function textOfTake({ prompt, title, notes, note }: TakeTexts): string {
  const parts = [title, prompt, notes, note].filter((part) => part !== null && part.trim() !== '');
  return parts.join('\n').slice(0, LONGEST);
}

/** Names a text, hex. */
export const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex');
