import { Json, JsonObject, parseBoundedJson } from '../../contract/json.ts';
import { foldHeader, kindSpecs } from '../../contract/kinds/index.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import type { Parameter } from '../../contract/kinds/spec.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { error, type Finding } from './rules.ts';
import * as z from 'zod';
import { formatNamed, formats } from '../../contract/formats.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import { models } from '../api/resources/requests.ts';
import { sentAddress } from './media-reference.ts';

const JSON_SUFFIX = /:json$/i;

/** `param.NAME` columns: sent as NAME with the text of the cell, or, as `param.NAME:json`, with the JSON value. */
function extraFields(extra: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(extra)
      // Sorted by name: moving a column in the list does not change the bytes.
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, text]): [string, Json] => [extraFieldName(name), extraFieldValue(name, text)]),
  );
}

/**
 * The fields of the columns and, after them, those of the `param.NAME` columns, which never take the place of one.
 * Throws when one would: checking the list has excluded that, for the settings it was checked with.
 */
export function withExtraFields(fields: JsonObject, { extra }: Pick<ShotSpec, 'extra'>, files: readonly string[] = []) {
  const more = extraFields(extra);
  const twice = Object.keys(more).find((name) => name in fields || files.includes(name));
  if (twice !== undefined) throw new Error(`param.${twice} would take the place of what a column sends as ${twice}`);
  return { ...fields, ...more };
}

/** The `param.` fields that would take the place of what columns send under another name. */
export function checkSentTwice(sent: JsonObject, extra: ShotSpec['extra']): Finding[] {
  return Object.keys(extra)
    .filter((name) => extraFieldName(name) in sent)
    .map((name) => {
      const problem = messageFor('defect.fieldSentAlready', { field: extraFieldName(name) });
      return error(`param.${name}`, problem, messageFor('remedy.clearThisOrThose'));
    });
}

/** The column of a kind that sends this field under any of its names, ours or the service's; undefined where none does. */
export function columnThatSends(field: string, kind: Kind): Parameter | undefined {
  const wanted = foldHeader(field);
  return kindSpecs[kind].parameters.find(({ name, aliases, sentAs = name }) =>
    [name, sentAs, ...aliases].some((each) => foldHeader(each) === wanted),
  );
}

export function extraFieldName(name: string): string {
  return name.replace(JSON_SUFFIX, '');
}

/** Throws SyntaxError when a `:json` column does not hold JSON; checking the list has excluded that. */
export function extraFieldValue(name: string, text: string): Json {
  if (!JSON_SUFFIX.test(name)) return text;
  // Spreadsheet programs write TRUE for JSON's true.
  return parseBoundedJson(/^\s*(true|false)\s*$/i.test(text) ? text.toLowerCase() : text) as Json;
}

/** Where the service is to report to: as the row says, in its column or by a `param.` column, else as the settings do. */
export function callbackFor(
  { callbackUrl, extra }: ShotSpec,
  settings: Pick<Settings, 'callbackUrl'>,
  field = 'callback_url',
): string | undefined {
  if (Object.keys(extra).some((name) => extraFieldName(name) === field)) return undefined;
  return callbackUrl ?? sentText(settings.callbackUrl);
}

export function sentText(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** Leaves out absent fields and keeps the order: the same shot gives the same bytes. */
export function presentFields(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, Json] => field[1] !== undefined));
}

/** Service reference, "ChatMessage". */
export const Messages = z
  .array(
    z
      .object({
        role: z.enum(['system', 'user', 'assistant', 'tool']),
        content: z.union([z.string(), z.array(JsonObject)]),
      })
      .catchall(Json),
  )
  .min(1);

/**
 * How a request names a picture and a text among the entries of a content. The reference shows no entries of a
 * ChatMessage: these are those of the compatible video route.
 */
export const chatForm = {
  picture: (url: string): JsonObject => ({ type: 'image_url', image_url: { url } }),
  text: (text: string): JsonObject => ({ type: 'text', text }),
};

export function userMessage(text: string, pictures: readonly string[], form = chatForm): JsonObject {
  if (pictures.length === 0) return { role: 'user', content: text };
  return { role: 'user', content: [...pictures.map(form.picture), ...(text === '' ? [] : [form.text(text)])] };
}

export const textPart = (text: string): JsonObject => ({ text });

export function picturePart(cell: string, assets: ReadonlyMap<string, string>): JsonObject {
  return { fileData: presentFields({ mimeType: pictureType(cell), fileUri: sentAddress(cell, assets) }) };
}

function pictureType(cell: string): string | undefined {
  const format = formatNamed(/\.([A-Za-z0-9]{2,5})(?:[?#]|$)/.exec(cell)?.[1] ?? '');
  return format !== null && formats[format].medium === 'still' ? formats[format].contentType : undefined;
}

/** A generateContent request. `param.` fields go into `generationConfig`: the reference has no other place for them. */
export function generateContent(shot: ShotSpec, parts: readonly JsonObject[], config: JsonObject): PlannedRequest {
  const { system } = shot.params;
  const generationConfig = withExtraFields(config, shot);
  const body = presentFields({
    contents: [{ role: 'user', parts: [...parts] }],
    systemInstruction: typeof system === 'string' ? { parts: [textPart(system)] } : undefined,
    generationConfig: Object.keys(generationConfig).length > 0 ? generationConfig : undefined,
  });
  return models.generateContent(shot.model, body);
}
