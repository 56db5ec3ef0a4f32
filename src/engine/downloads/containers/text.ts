import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../api/answer.ts';
import type { ByteSource } from './source.ts';

/** The most that is read; no answer of a model is longer. */
const MOST_BYTES = 16 * 1000 * 1000;

/** The format of a text file: a JSON object or list, or any other text in UTF-8. Null if it is not text. */
export async function wordsFormat(source: ByteSource): Promise<'json' | 'md' | null> {
  if (source.size > MOST_BYTES) return null;
  const bytes = await source.all();
  if (!isUtf8(bytes)) return null;
  const json = parseJson(bytes.toString('utf8'));
  return typeof json === 'object' && json !== null ? 'json' : 'md';
}
