import type { Json, JsonObject } from '../../../contract/json.ts';
import { isObject, parseJson } from '../../api/answer.ts';
import { hasNoResult, wrappers } from '../../api/wire-schemas.ts';
import type { AnswerPart } from '../driver.ts';
import { candidateParts, valuesAt, type Place } from '../results.ts';

/** How deep a text may be wrapped. */
const DEEPEST = 6;

/**
 * The texts of an answer, in its order: one of each choice or candidate. Every form is tried, whatever the route, also
 * inside what wraps it: the reference shows none ("Text generation"). Empty when there is no text; such an answer is
 * kept and shown to a person. `fields`: further names of a text, read first.
 */
export function textsIn(answer: Json, fields: readonly string[] = []): AnswerPart[] {
  const found = Array.isArray(answer)
    ? answer.filter(isObject).flatMap((item) => textsOf(item, fields, 1))
    : textsOf(answer, fields, 0);
  const texts = new Map(found.map(({ text, isCut }) => [withoutFence(text), isCut]));
  return [...texts].map(([text, isCut]) => ({ content: () => Buffer.from(text), ...(isCut && { isCut }) }));
}

interface FoundText {
  readonly text: string;
  readonly isCut: boolean;
}

function textsOf(answer: Json | undefined, fields: readonly string[], depth: number): FoundText[] {
  if (depth > DEEPEST) return [];
  if (typeof answer === 'string') return depth > 0 && isWords(answer) ? [{ text: answer, isCut: false }] : [];
  if (Array.isArray(answer)) return answer.flatMap((item) => textsOf(item, fields, depth + 1));
  if (!isObject(answer) || hasNoResult(answer)) return [];
  const isCut = isCutShort(answer);
  const named = (record: JsonObject): string[] => fields.map((name) => joined(record[name] ?? null));
  for (const read of [named, chatTexts, contentTexts, responseTexts, messageTexts, plainTexts]) {
    const texts = read(answer).filter((text) => text.trim() !== '');
    if (texts.length > 0) return texts.map((text) => ({ text, isCut }));
  }
  for (const name of wrappers) {
    const texts = textsOf(answer[name], fields, depth + 1);
    if (texts.length > 0) return texts;
  }
  return [];
}

/** An address in place of a text is where the text lies. */
const isWords = (text: string): boolean => text.trim() !== '' && !/^\s*https?:\/\/\S+\s*$/i.test(text);

/** Where the answers of the four routes say why a text ends. */
const ends: readonly Place[] = [
  ['choices', '*', 'finish_reason'],
  ['candidates', '*', 'finishReason'],
  ['incomplete_details', 'reason'],
  ['stop_reason'],
];

/** Whether a text of an answer ends because it reached the limit of the request. */
const isCutShort = (answer: Json): boolean =>
  ends.flatMap((place) => valuesAt(answer, place)).some((reason) => LIMIT_REACHED.test(String(reason)));

const LIMIT_REACHED = /^(?:length|max_(?:output_|completion_)?tokens)$/i;

function chatTexts(answer: JsonObject): string[] {
  return valuesAt(answer, ['choices', '*', 'message', 'content']).map(joined);
}

function contentTexts(answer: JsonObject): string[] {
  return candidateParts(answer).map(joined);
}

function responseTexts(answer: JsonObject): string[] {
  const messages = valuesAt(answer, ['output', '*']).filter((item) => isObject(item) && item['type'] === 'message');
  return [
    messages
      .flatMap((message) => valuesAt(message, ['content', '*']))
      .map(textIn)
      .join(''),
  ];
}

function messageTexts(answer: JsonObject): string[] {
  return answer['role'] === 'assistant' ? [joined(answer['content'] ?? null)] : [];
}

/** A record that holds the text itself. What has a role is a message, of the model or of another. */
function plainTexts(answer: JsonObject): string[] {
  const { message, role, content } = answer;
  if (!isText(answer) && answer['type'] !== 'message') return [];
  const said = isObject(message) && message['role'] !== 'user' ? message['content'] : undefined;
  const own = role === undefined ? content : undefined;
  return [answer['text'], answer['output_text'], said, own].map((each) => joined(each ?? null));
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
