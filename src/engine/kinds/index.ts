import type { Kind } from '../../contract/kinds/all.ts';
import type { Json } from '../../contract/json.ts';
import { mediumFor } from '../../contract/kinds/index.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { tasks } from '../api/resources/requests.ts';
import { allDrivers } from './all.ts';
import type { AnswerPart, KindDriver, KindRules } from './rules.ts';
import { resultsFor } from './results.ts';
import { isUtf8 } from 'node:buffer';
import { parseJson } from '../api/answer.ts';

export const driverFor = (kind: Kind): KindDriver => allDrivers[kind];

export const rulesFor = (kind: Kind): KindRules => allDrivers[kind].rules;

/** Path of the query of a task; that of generic tasks for a kind without its own. */
export function taskPathFor(shot: Pick<ShotSpec, 'kind' | 'params'>, taskId: string, settings: Settings): string {
  return driverFor(shot.kind).taskPath?.(taskId, settings, shot) ?? tasks.path(taskId);
}

/**
 * The results in an answer: of a finished task, or of a request whose answer is the result. In its order and without
 * repeats, addresses complete with their signed query. Empty when there is none. `sent`: addresses that the request
 * named, which are no results of it.
 */
export function readResultOf(
  shot: Pick<ShotSpec, 'kind' | 'params'>,
  answer: Json,
  sent: ReadonlySet<string> = new Set(),
): AnswerPart[] {
  const medium = mediumFor(shot.kind, shot.params);
  return driverFor(shot.kind).readResult?.(answer, sent, shot) ?? resultsFor(answer, medium, { sent });
}

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

const MAX_ADDRESSES = 20;

/** Every address in an answer in which no result could be read, to choose from. `isCut`: without one cut off. */
export function addressesIn(body: Buffer, { isCut = false } = {}): string[] {
  if (!isUtf8(body)) return [];
  const text = body.toString('utf8').replaceAll('\\/', '/').replaceAll('\\u0026', '&');
  const found = [...text.matchAll(/https?:\/\/[^\s"'<>\\]{1,2000}/gi)]
    .filter(({ 0: address, index }) => !isCut || index + address.length < text.length)
    .map(([address]) => address);
  return [...new Set(found)].slice(0, MAX_ADDRESSES);
}
