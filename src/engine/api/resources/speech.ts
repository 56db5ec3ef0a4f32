import type { JsonObject } from '../../../contract/json.ts';
import { jsonRequest } from './requests.ts';

/** Speech (reference, "Speech, embeddings, web and music request shapes"). Synchronous: the answer is the sound. */
export const speech = {
  create: (body: JsonObject, path: string) => jsonRequest('speech.create', path, 'bytes', body),
};
