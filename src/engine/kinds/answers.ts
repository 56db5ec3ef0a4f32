import { isUtf8 } from 'node:buffer';
import type { ShotSpec } from '../../contract/shot.ts';
import { parseJson } from '../api/answer.ts';
import type { AnswerPart } from './driver.ts';
import { readResultOf } from './index.ts';

/**
 * The results in the body of an answer that is the result, in its order; empty when none can be read. The reference does
 * not show such a body ("Images", "Speech"), and it is paid for: so we read every plain shape. `sent` as in
 * `readResultOf`. Pure.
 */
export function readAnswer(
  shot: Pick<ShotSpec, 'kind' | 'params'>,
  body: Buffer,
  sent?: ReadonlySet<string>,
): AnswerPart[] {
  if (!isUtf8(body) || body.includes(0)) return [{ content: () => body }];
  const text = body.toString('utf8').trim();
  if (/^(?:<\?xml[^>]*>\s*)?<svg[\s>]/i.test(text)) return [{ content: () => body }];
  const json = parseJson(text);
  if (json !== undefined) return readResultOf(shot, json, sent);
  // Of a text alone: a sentence that begins with an address is not one.
  return /\s/.test(text) && !text.startsWith('data:') ? [] : readResultOf(shot, text, sent);
}

const MOST_ADDRESSES = 20;

/**
 * Every address in an answer from which no result could be read, for a person to choose from. `isCut`: without one at
 * which it was cut off. Pure.
 */
export function addressesIn(body: Buffer, { isCut = false } = {}): string[] {
  if (!isUtf8(body)) return [];
  const text = body.toString('utf8').replaceAll('\\/', '/').replaceAll('\\u0026', '&');
  const found = [...text.matchAll(/https?:\/\/[^\s"'<>\\]{1,2000}/gi)]
    .filter(({ 0: address, index }) => !isCut || index + address.length < text.length)
    .map(([address]) => address);
  return [...new Set(found)].slice(0, MOST_ADDRESSES);
}
