import type { JsonObject } from '../../../contract/json.ts';
import type { PlannedRequest } from '../../../contract/take.ts';
import { jsonRequest } from './requests.ts';

/**
 * Operations whose path is a setting, because the reference does not give it (reference, "Speech, embeddings, web and
 * music request shapes"). Each answer is the result.
 */
const at =
  (operation: string, answers: PlannedRequest['answers']) =>
  (body: JsonObject, path: string): PlannedRequest =>
    jsonRequest(operation, path, answers, body);

export const responses = { create: at('responses.create', 'json') };

export const messages = { create: at('messages.create', 'json') };

export const speech = { create: at('speech.create', 'bytes') };

export const embeddings = { create: at('embeddings.create', 'json') };

export const web = { search: at('web.search', 'json'), read: at('web.read', 'json') };
