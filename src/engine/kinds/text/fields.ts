import type { JsonObject } from '../../../contract/json.ts';
import { presentFields } from '../extra-fields.ts';
import type { ShotDraft } from '../rules.ts';

/** The route messages demands a limit. It is enough for a short film's script. */
const MOST_TOKENS = 4096;

/**
 * The fields of a row's columns beside the model; for generateContent, inside `generationConfig`. The reference shows
 * only `messages` of chat; we assume the rest as the usual client libraries send it.
 */
export function fieldsOf({ prompt, params }: Pick<ShotDraft, 'prompt' | 'params'>): JsonObject {
  const { system, max_tokens: most } = params;
  const asJson = params.output_format === 'json';
  const user = { role: 'user', content: prompt };
  switch (params.route) {
    case 'generate_content':
      return presentFields({ maxOutputTokens: most, responseMimeType: asJson ? 'application/json' : undefined });
    case 'responses':
      return presentFields({
        instructions: system,
        input: prompt,
        max_output_tokens: most,
        text: asJson ? { format: { type: 'json_object' } } : undefined,
      });
    case 'messages':
      return presentFields({ system, messages: [user], max_tokens: most ?? MOST_TOKENS });
    default:
      return presentFields({
        messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), user],
        max_tokens: most,
        response_format: asJson ? { type: 'json_object' } : undefined,
      });
  }
}
