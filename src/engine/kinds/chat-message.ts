import * as z from 'zod';
import { Json, JsonObject } from '../../contract/json.ts';
import { formatNamed, formats } from '../../contract/formats.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import { models } from '../api/resources/requests.ts';
import { presentFields, withExtraFields } from './extra-fields.ts';
import { sentAddress } from './media-reference.ts';

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

/** What a user says, with pictures by their addresses. */
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

/**
 * A generateContent request. The `param.` fields of the row go into `generationConfig`: the request has no other place
 * for them in the reference.
 */
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
