import * as z from 'zod';
import { formatNamed, formats } from '../../../contract/formats.ts';
import { Json, JsonObject } from '../../../contract/json.ts';
import { isObject } from '../../api/answer.ts';
import type { RequestContext } from '../driver.ts';
import { presentFields } from '../extra-fields.ts';
import { textPart } from '../generate-content.ts';
import { sentAddress } from '../media-reference.ts';
import type { ShotDraft } from '../rules.ts';

type Words = Pick<ShotDraft, 'prompt' | 'params'>;
type Assets = Pick<RequestContext, 'assets'>;

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

/** The `generationConfig` of the entry content. */
export function generationConfig({ params }: Words): JsonObject {
  return isObject(params.generation_config) ? params.generation_config : {};
}

/** The parts of the entry content. Media go by address, as in every other request that names an asset. */
export function contentParts({ prompt, params }: Words, { assets }: Assets): JsonObject[] {
  const parts = prompt === '' ? [] : [textPart(prompt)];
  if (typeof params.image !== 'string') return parts;
  const fileUri = sentAddress(params.image, assets);
  return [{ fileData: presentFields({ mimeType: pictureType(params.image), fileUri }) }, ...parts];
}

/** The type of a picture by its name. */
function pictureType(cell: string): string | undefined {
  const format = formatNamed(/\.([A-Za-z0-9]{2,5})(?:[?#]|$)/.exec(cell)?.[1] ?? '');
  return format !== null && formats[format].medium === 'still' ? formats[format].contentType : undefined;
}

/**
 * The message of a row for the family that uses `input.messages`. Content has the entries of the compatible video
 * route.
 */
export function messageFields({ prompt, params }: Words, { assets }: Assets): JsonObject {
  const { image, messages, size } = params;
  const content =
    typeof image === 'string'
      ? [
          { type: 'image_url', image_url: { url: sentAddress(image, assets) } },
          { type: 'text', text: prompt },
        ]
      : prompt;
  return presentFields({
    input: { messages: messages ?? [{ role: 'user', content }] },
    parameters: size === undefined ? undefined : { size },
  });
}
