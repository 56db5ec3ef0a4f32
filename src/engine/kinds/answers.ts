import { isUtf8 } from 'node:buffer';
import { unescape } from 'node:querystring';
import type { Json } from '../../contract/json.ts';
import type { Medium } from '../../contract/formats.ts';
import type { Kind } from '../../contract/kinds/all.ts';
import { kindSpecs } from '../../contract/kinds/index.ts';
import { parseJson } from '../api/answer.ts';
import type { AnswerPart } from './driver.ts';
import { candidateParts } from './generate-content.ts';
import { driverOf, readResultOf } from './index.ts';
import { ofMedium, valuesAt, type Place } from './results.ts';

/** Where several results may be listed; the first place that has any is read. */
const lists: readonly Place[] = [
  ['data', '*'],
  ['output', '*'],
  ['images', '*'],
  ['imageUrls', '*'],
  ['results', '*'],
  ['data', 'images', '*'],
  ['data', 'imageUrls', '*'],
  ['data', 'data', '*'],
  ['data', 'output', '*'],
  ['result', 'data', '*'],
  ['result', 'images', '*'],
  ['output', 'images', '*'],
  ['result', '*'],
  ['*'],
];
/** Where a single one may be. */
const singles: readonly Place[] = [[], ['data'], ['output'], ['result'], ['image']];

/** Fields of a result that hold its content. What came with the answer cannot expire, so they go before addresses. */
const contentFields = ['b64_json', 'base64', 'b64', 'image_base64'];
const otherFields = [
  ...['url', 'image_url', 'video_url', 'audio_url', 'result_url', 'imageUrl', 'uri', 'image', 'images'],
  // Of a part of a generateContent answer.
  ...['fileData', 'file_data', 'fileUri', 'file_uri'],
];
const inlineFields = ['inlineData', 'inline_data'];

/**
 * The results of a synchronous answer, in its order; empty when none can be read. The reference does not show the body
 * of such an answer ("Images"), and it is paid for: so we read every plain shape. Pure.
 */
export function readAnswer(kind: Kind, body: Buffer): AnswerPart[] {
  if (!isUtf8(body) || body.includes(0)) return [{ content: () => body }];
  const text = body.toString('utf8').trim();
  const parsed = parseJson(text);
  const own = driverOf(kind).readAnswer;
  if (own) return parsed === undefined ? [] : own(parsed);
  if (/^(?:<\?xml[^>]*>\s*)?<svg[\s>]/i.test(text)) return [{ content: () => body }];
  const json = parsed ?? text;
  const found = partsIn(json, kindSpecs[kind].medium);
  if (found.length > 0 || typeof json !== 'object' || json === null || Array.isArray(json)) return found;
  return readResultOf(kind, json).map((url) => ({ url }));
}

function partsIn(answer: Json, medium: Medium): AnswerPart[] {
  const inParts = candidateParts(answer).flat();
  const inPlaces = [...lists, ...singles].map((place) => ofMedium(valuesAt(answer, place), medium));
  for (const values of [inParts, ...inPlaces]) {
    const parts = values.flatMap((value) => partOf(value) ?? []);
    if (parts.length > 0) return withoutRepeats(parts);
  }
  return [];
}

function partOf(value: Json | undefined): AnswerPart | null {
  if (typeof value === 'string') return fromText(value, false);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const named = contentFields.map((name) => value[name]);
  const inline = inlineFields.flatMap((name) => valuesAt(value[name], ['data']));
  for (const content of [...named, ...inline]) {
    const part = typeof content === 'string' ? fromText(content, true) : null;
    if (part) return part;
  }
  for (const name of otherFields) {
    const part = partOf(value[name]);
    if (part) return part;
  }
  return null;
}

/** `isContent`: its name says that it is base64; elsewhere only a long text of nothing else is taken for it. */
function fromText(text: string, isContent: boolean): AnswerPart | null {
  if (/^https?:\/\/\S+$/i.test(text)) return { url: text };
  const [, encoding] = /^data:(?:image|video|audio)\/[^,;]+((?:;[^,;]+)*),/i.exec(text.slice(0, 200)) ?? [];
  if (encoding !== undefined) {
    const data = text.slice(text.indexOf(',') + 1);
    return { content: () => (/;base64$/i.test(encoding) ? Buffer.from(data, 'base64') : Buffer.from(unescape(data))) };
  }
  if (text.length < (isContent ? 1 : 200) || !/^[\w+/\s-]+(?:={1,2}\s*)?$/.test(text)) return null;
  return { content: () => Buffer.from(text, 'base64') };
}

function withoutRepeats(parts: readonly AnswerPart[]): AnswerPart[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    if (!('url' in part)) return true;
    const isNew = !seen.has(part.url);
    seen.add(part.url);
    return isNew;
  });
}

/** How many addresses of an answer are shown to a person. */
const MOST_ADDRESSES = 20;

/** Every address in an answer from which no result could be read, for a person to choose from. Pure. */
export function addressesIn(body: Buffer): string[] {
  if (!isUtf8(body)) return [];
  const text = body.toString('utf8').replaceAll('\\/', '/').replaceAll('\\u0026', '&');
  const found = text.match(/https?:\/\/[^\s"'<>\\]{1,2000}/gi) ?? [];
  return [...new Set(found)].slice(0, MOST_ADDRESSES);
}
