import { unescape } from 'node:querystring';
import type { Json, JsonObject } from '../../contract/json.ts';
import { formatNamed, formats, media, type Medium } from '../../contract/formats.ts';
import { isObject, parseJson } from '../api/answer.ts';
import { hasNoResult, wrappers } from '../api/wire-schemas.ts';
import type { AnswerPart } from './rules.ts';

/** A place for a result: keys from the top, `*` for each item of a list. */
export type JsonPath = readonly string[];

/** Reference, "Videos", rule 5, and the `output` list of the task record as well as its `output.url`. */
const referencePlaces: readonly JsonPath[] = [
  ['data', 'video_url'],
  ['video_url'],
  ['url'],
  ['result_url'],
  ['output'],
  ['metadata', 'url'],
];

/**
 * Where answers list several results: the reference shows `output`, `data`, `result` and, of pictures, `imageUrls`. Read
 * before the single places, which would show only the first; for videos after them, as the reference has it.
 */
const listPlaces = (names: readonly string[]): JsonPath[] =>
  [[], ['data'], ['result'], ['output']].flatMap((wrapper) => names.map((name) => [...wrapper, name, '*']));

const lists: Readonly<Record<Medium, readonly JsonPath[]>> = {
  moving: listPlaces(['output', 'data', 'results', 'result']),
  still: listPlaces(['output', 'data', 'images', 'imageUrls', 'results', 'result']),
  sound: listPlaces(['output', 'data', 'results', 'result']),
  words: listPlaces(['output', 'data', 'results', 'result']),
};

/** Fields named after a medium, as the reference spells them for one record or another. */
const mediaFields: Readonly<Record<Medium, readonly string[]>> = {
  moving: ['video_url', 'videoUrl', 'videos', 'video'],
  still: ['imageUrl', 'image_url', 'images', 'image'],
  sound: ['audio_url', 'audioUrl', 'audios', 'audio'],
  words: [],
};

/** Those that no request has: what a record repeats of its request is not taken for the result. */
const ownPlaces: Readonly<Record<Medium, readonly JsonPath[]>> = {
  moving: [],
  still: [['imageUrl']],
  sound: [['data', 'audio_url'], ['audio_url']],
  words: [],
};

/** Of a part of a generateContent answer. */
const fileFields = ['fileData', 'file_data', 'fileUri', 'file_uri', 'uri'];

/** Fields of a result that hold its content. What came with the answer cannot expire, so they go before addresses. */
const contentFields = ['b64_json', 'base64', 'b64', 'image_base64', 'audio_base64', 'video_base64'];
const inlineFields = ['inlineData', 'inline_data'];

/** Steps of a task each may show a result; only that of the last one is final. */
const chainPlace: JsonPath = ['task_chain', '*', 'result_url'];

/** Limits of what is looked at in one answer: levels, items of a list, and records altogether. */
const DEEPEST = 10;
const MAX_LIST = 1000;
const MAX_RECORDS = 5000;

interface Reading {
  readonly medium: Medium;
  readonly places: readonly JsonPath[];
  readonly sent: ReadonlySet<string>;
  readonly found: Map<Json, AnswerPart[]>;
}

interface ReadingOptions {
  readonly first?: readonly JsonPath[];
  /** Addresses that the request named: no record that repeats them has made them. */
  readonly sent?: ReadonlySet<string>;
}

/**
 * The results in an answer, in its order and without repeats; empty when none can be read. Every record is read in
 * every place that the reference shows, one record like a list of them, wherever it is wrapped. Of one record only the
 * first place counts that has any: the same result often stands in several, under differently signed addresses, and
 * would be saved twice. A record whose status is no success is left out. Pure.
 */
export function resultsFor(
  answer: Json,
  medium: Medium,
  { first = [], sent = new Set() }: ReadingOptions = {},
): AnswerPart[] {
  const reading = { medium, places: [...first, ...toPlaces(medium)], sent, found: new Map() };
  return withoutRepeats(read(answer, reading, 0)).slice(0, MAX_LIST);
}

function toPlaces(medium: Medium): JsonPath[] {
  const ordered = [...ownPlaces[medium], ...referencePlaces];
  const inOrder = medium === 'moving' ? [...ordered, ...lists[medium]] : [...lists[medium], ...ordered];
  const late = [...wrappers, ...mediaFields[medium], ...fileFields].map((name) => [name]);
  return [...inOrder, ...late];
}

function read(value: Json | undefined, reading: Reading, depth: number): AnswerPart[] {
  if (depth > DEEPEST) return [];
  if (typeof value === 'string') return fromText(value, false).filter((part) => !isSent(part, reading));
  if (Array.isArray(value)) {
    return ofMedium(value.slice(0, MAX_LIST), reading.medium).flatMap((item) => read(item, reading, depth + 1));
  }
  if (!isObject(value) || hasNoResult(value)) return [];
  const before = reading.found.get(value);
  if (before || reading.found.size >= MAX_RECORDS) return before ?? [];
  reading.found.set(value, []);
  const parts = readRecord(value, reading, depth);
  reading.found.set(value, parts);
  return parts;
}

function readRecord(record: JsonObject, reading: Reading, depth: number): AnswerPart[] {
  const inline = inlineFields.flatMap((name) => valuesAt(record[name], ['data']));
  const contents = [...contentFields.map((name) => record[name]), ...inline];
  const [content] = contents.flatMap((each) => (typeof each === 'string' ? fromText(each, true) : []));
  if (content) return [content];
  const candidates = candidateParts(record).flatMap((parts) => read(parts, reading, depth + 3));
  if (candidates.length > 0) return candidates;
  for (const place of reading.places) {
    const isList = place.at(-1) === '*';
    const found = isList ? valuesAt(record, place.slice(0, -1)).filter(Array.isArray) : valuesAt(record, place);
    const parts = found.flatMap((each) => read(each, reading, depth + place.length));
    if (parts.length > 0) return parts;
  }
  return ofOtherMedia(record, reading, depth) ?? read(valuesAt(record, chainPlace).at(-1) ?? null, reading, depth);
}

/** A field named after another medium may hold the cover of the result: its address must be of the wanted medium. */
function ofOtherMedia(record: JsonObject, reading: Reading, depth: number): AnswerPart[] | null {
  const names = [...Object.values(mediaFields).flat(), 'imageUrls'];
  const parts = names
    .flatMap((name) => read(record[name], reading, depth + 1))
    .filter((part) => 'url' in part && mediumOfAddress(part.url) === reading.medium);
  return parts.length > 0 ? parts : null;
}

/** By the end of its path; null when that says nothing. */
function mediumOfAddress(url: string): Medium | null {
  const extension = /\.(\w{2,5})$/.exec(URL.parse(url)?.pathname ?? '')?.[1] ?? '';
  const format = formatNamed(extension.toLowerCase());
  return format && formats[format].medium;
}

function ofMedium(items: readonly Json[], medium: Medium): readonly Json[] {
  const wanted = items.filter((item) => isObject(item) && item['type'] === media[medium].type);
  return wanted.length > 0 ? wanted : items;
}

/** The parts of each candidate of an answer, as the usual client libraries read it: without those that a model thought. */
function candidateParts(answer: Json): JsonObject[][] {
  return valuesAt(answer, ['candidates', '*', 'content']).map((content) =>
    valuesAt(content, ['parts', '*']).filter((part): part is JsonObject => isObject(part) && part['thought'] !== true),
  );
}

/** What stands at a place, but for records that have no result yet. */
export function valuesAt(value: Json | undefined, place: JsonPath): Json[] {
  const [key, ...rest] = place;
  if (value === undefined) return [];
  if (key === undefined) return [value];
  if (key === '*') return Array.isArray(value) ? value.flatMap((item) => valuesAt(item, rest)) : [];
  return isObject(value) && !hasNoResult(value) ? valuesAt(value[key], rest) : [];
}

/** `isContent`: its name says that it is base64; elsewhere only a long text of nothing else is taken for it. */
function fromText(text: string, isContent: boolean): AnswerPart[] {
  if (/^\s*https?:\/\//i.test(text.slice(0, 20))) {
    const url = text.trim();
    return url.includes('\n') ? [] : [{ url }];
  }
  const [, encoding] = /^data:(?:image|video|audio)\/[^,;]+((?:;[^,;]+)*),/i.exec(text.slice(0, 200)) ?? [];
  if (encoding !== undefined) {
    const data = text.slice(text.indexOf(',') + 1);
    return [
      { content: () => (/;base64$/i.test(encoding) ? Buffer.from(data, 'base64') : Buffer.from(unescape(data))) },
    ];
  }
  if (text.length < (isContent ? 1 : 200) || !/^[\w+/\s-]+(?:={1,2}\s*)?$/.test(text)) return [];
  return [{ content: () => Buffer.from(text, 'base64') }];
}

const isSent = (part: AnswerPart, { sent }: Reading): boolean => 'url' in part && sent.has(part.url);

function withoutRepeats(parts: readonly AnswerPart[]): AnswerPart[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    if (!('url' in part)) return true;
    const isFirst = !seen.has(part.url);
    seen.add(part.url);
    return isFirst;
  });
}

export function addressesSent(body: Json): Set<string> {
  if (typeof body === 'string') return new Set(/^https?:/i.test(body) ? [body] : []);
  if (typeof body !== 'object' || body === null) return new Set();
  return new Set(Object.values(body).flatMap((value) => [...addressesSent(value)]));
}

const DEEPEST_TEXT = 6;

/**
 * The texts of an answer, in its order: one of each choice or candidate. Every form is tried, whatever the route, also
 * inside what wraps it: the reference shows none ("Text generation"). Empty when there is no text; such an answer is
 * kept and shown to a person. `fields`: further names of a text, read first.
 */
export function textsIn(answer: Json, fields: readonly string[] = []): AnswerPart[] {
  const found = Array.isArray(answer)
    ? answer.filter(isObject).flatMap((item) => textsFor(item, fields, 1))
    : textsFor(answer, fields, 0);
  const texts = new Map(found.map(({ text, isCut }) => [withoutFence(text), isCut]));
  return [...texts].map(([text, isCut]) => ({ content: () => Buffer.from(text), ...(isCut && { isCut }) }));
}

interface FoundText {
  readonly text: string;
  readonly isCut: boolean;
}

function textsFor(answer: Json | undefined, fields: readonly string[], depth: number): FoundText[] {
  if (depth > DEEPEST_TEXT) return [];
  if (typeof answer === 'string') return depth > 0 && isWords(answer) ? [{ text: answer, isCut: false }] : [];
  if (Array.isArray(answer)) return answer.flatMap((item) => textsFor(item, fields, depth + 1));
  if (!isObject(answer) || hasNoResult(answer)) return [];
  const isCut = isCutShort(answer);
  const named = (record: JsonObject): string[] => fields.map((name) => joined(record[name] ?? null));
  for (const read of [named, chatTexts, contentTexts, responseTexts, messageTexts, plainTexts]) {
    const texts = read(answer).filter((text) => text.trim() !== '');
    if (texts.length > 0) return texts.map((text) => ({ text, isCut }));
  }
  for (const name of wrappers) {
    const texts = textsFor(answer[name], fields, depth + 1);
    if (texts.length > 0) return texts;
  }
  return [];
}

/** An address in place of a text is where the text lies. */
const isWords = (text: string): boolean => text.trim() !== '' && !/^\s*https?:\/\/\S+\s*$/i.test(text);

/** Where the answers of the four routes say why a text ends. */
const ends: readonly JsonPath[] = [
  ['choices', '*', 'finish_reason'],
  ['candidates', '*', 'finishReason'],
  ['incomplete_details', 'reason'],
  ['stop_reason'],
];

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
