import * as z from 'zod';
import { Json, JsonObject } from '../../contract/json.ts';

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

/** How a request names a picture and a text among the entries of a content. */
export interface ContentForm {
  readonly picture: (url: string) => JsonObject;
  readonly text: (text: string) => JsonObject;
}

/** The reference shows no entries of a ChatMessage: these are those of the compatible video route. */
export const chatForm: ContentForm = {
  picture: (url) => ({ type: 'image_url', image_url: { url } }),
  text: (text) => ({ type: 'text', text }),
};

/** What a user says, with pictures by their addresses. */
export function userMessage(text: string, pictures: readonly string[], form = chatForm): JsonObject {
  if (pictures.length === 0) return { role: 'user', content: text };
  return { role: 'user', content: [...pictures.map(form.picture), ...(text === '' ? [] : [form.text(text)])] };
}
