import type { JsonObject } from '../../../contract/json.ts';
import { isObject } from '../../api/answer.ts';
import { userMessage } from '../chat-message.ts';
import type { RequestContext } from '../driver.ts';
import { presentFields } from '../extra-fields.ts';
import { picturePart, textPart } from '../generate-content.ts';
import { sentAddress } from '../media-reference.ts';
import type { ShotDraft } from '../rules.ts';

type Words = Pick<ShotDraft, 'prompt' | 'params'>;
type Assets = Pick<RequestContext, 'assets'>;

/** The `generationConfig` of the entry content. */
export function generationConfig({ params }: Words): JsonObject {
  return isObject(params.generation_config) ? params.generation_config : {};
}

/** The parts of the entry content. Media go by address, as in every other request that names an asset. */
export function contentParts({ prompt, params }: Words, { assets }: Assets): JsonObject[] {
  const parts = prompt === '' ? [] : [textPart(prompt)];
  return typeof params.image === 'string' ? [picturePart(params.image, assets), ...parts] : parts;
}

/** The message of a row for the family that uses `input.messages`. */
export function messageFields({ prompt, params }: Words, { assets }: Assets): JsonObject {
  const { image, messages, size } = params;
  const pictures = typeof image === 'string' ? [sentAddress(image, assets)] : [];
  return presentFields({
    input: { messages: messages ?? [userMessage(prompt, pictures)] },
    parameters: size === undefined ? undefined : { size },
  });
}
