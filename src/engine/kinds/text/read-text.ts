import type { Json, JsonObject } from '../../../contract/json.ts';
import { isObject, parseJson } from '../../api/answer.ts';
import { candidateParts } from '../generate-content.ts';
import { valuesAt, type Place } from '../results.ts';

/**
 * The texts of an answer, in its order: one of each choice or candidate. Every form is tried, whatever the route: the
 * reference shows none ("Text generation"). Empty when there is no text; such an answer is kept and shown to a person.
 */
export function textsIn(answer: Json): string[] {
  for (const textsOf of [chatTexts, contentTexts, responseTexts, messageTexts]) {
    const texts = textsOf(answer).filter((text) => text.trim() !== '');
    if (texts.length > 0) return [...new Set(texts.map(withoutFence))];
  }
  return [];
}

/** Where the answers of the four routes say why a text ends. */
const ends: readonly Place[] = [
  ['choices', '*', 'finish_reason'],
  ['candidates', '*', 'finishReason'],
  ['incomplete_details', 'reason'],
  ['stop_reason'],
];

/** Whether a text of an answer ends because it reached the limit of the request. */
export const isCutShort = (answer: Json): boolean =>
  ends.flatMap((place) => valuesAt(answer, place)).some((reason) => LIMIT_REACHED.test(String(reason)));

const LIMIT_REACHED = /^(?:length|max_(?:output_|completion_)?tokens)$/i;

function chatTexts(answer: Json): string[] {
  return valuesAt(answer, ['choices', '*', 'message', 'content']).map(joined);
}

function contentTexts(answer: Json): string[] {
  return candidateParts(answer).map(joined);
}

function responseTexts(answer: Json): string[] {
  const messages = valuesAt(answer, ['output', '*']).filter((item) => isObject(item) && item['type'] === 'message');
  return [
    messages
      .flatMap((message) => valuesAt(message, ['content', '*']))
      .map(textIn)
      .join(''),
  ];
}

function messageTexts(answer: Json): string[] {
  return isObject(answer) && answer['role'] === 'assistant' ? [joined(answer['content'] ?? null)] : [];
}

/** Content is a text, or a list of parts, some of which are texts. */
function joined(content: Json): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map(textIn).join('') : '';
}

/** `type`, where a part has one: thoughts, calls of tools and refusals are no part of the text. */
function textIn(part: Json): string {
  if (!isObject(part) || !isText(part)) return '';
  return typeof part['text'] === 'string' ? part['text'] : '';
}

const isText = ({ type }: JsonObject): boolean => type === undefined || type === 'text' || type === 'output_text';

/** JSON that a model has put into a code fence, as many do, is JSON. Any other text stays as it came. */
function withoutFence(text: string): string {
  const inside = /^\s*```json[^\S\n]*\n([^]*)\n[^\S\n]*```\s*$/i.exec(text)?.[1];
  return inside !== undefined && typeof parseJson(inside) === 'object' ? inside : text;
}
