import type { JsonObject } from '../../../contract/json.ts';
import { chatForm, userMessage, type ContentForm } from '../chat-message.ts';
import type { RequestContext } from '../driver.ts';
import { presentFields } from '../extra-fields.ts';
import { sentAddress } from '../media-reference.ts';
import type { ShotDraft } from '../rules.ts';

/** The route messages demands a limit. It is enough for a short film's script. */
const MOST_TOKENS = 4096;

/** Entries of a content as the client libraries of these routes send them. */
const responsesForm: ContentForm = {
  picture: (url) => ({ type: 'input_image', image_url: url }),
  text: (text) => ({ type: 'input_text', text }),
};
const messagesForm: ContentForm = {
  picture: (url) => ({ type: 'image', source: { type: 'url', url } }),
  text: (text) => ({ type: 'text', text }),
};

type Words = Pick<ShotDraft, 'prompt' | 'params'>;

/** The pictures of a row, as its cells name them. */
export function pictureCells({ image, references }: ShotDraft['params']): string[] {
  return [image, references].flat().filter((cell) => typeof cell === 'string');
}

/**
 * The fields of a row's columns beside the model; for generateContent, inside `generationConfig`. The reference shows
 * only `messages` of chat; we assume the rest as the usual client libraries send it.
 */
export function fieldsOf({ prompt, params }: Words, { assets }: Pick<RequestContext, 'assets'>): JsonObject {
  const { system, max_tokens: most } = params;
  const asJson = params.output_format === 'json';
  const pictures = pictureCells(params).map((cell) => sentAddress(cell, assets));
  const before = Array.isArray(params.messages) ? params.messages : [];
  const isOwnTurn = before.length === 0 || prompt !== '' || pictures.length > 0;
  const turns = (form = chatForm) => [...before, ...(isOwnTurn ? [userMessage(prompt, pictures, form)] : [])];
  switch (params.route) {
    case 'generate_content':
      return presentFields({ maxOutputTokens: most, responseMimeType: asJson ? 'application/json' : undefined });
    case 'responses':
      return presentFields({
        instructions: system,
        input: before.length + pictures.length === 0 ? prompt : turns(responsesForm),
        max_output_tokens: most,
        text: asJson ? { format: { type: 'json_object' } } : undefined,
      });
    case 'messages':
      return presentFields({
        system,
        messages: turns(messagesForm),
        max_tokens: most ?? MOST_TOKENS,
      });
    default:
      return presentFields({
        messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...turns()],
        max_tokens: most,
        response_format: asJson ? { type: 'json_object' } : undefined,
      });
  }
}
