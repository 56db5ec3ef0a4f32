import type { JsonObject } from '../../../contract/json.ts';
import { jsonRequest } from './requests.ts';

/** Text generation (reference, "Text generation"). Each answer is the result. */
export const chat = {
  create: (body: JsonObject) => jsonRequest('chat.create', '/v1/chat/completions', 'json', body),
};

/** Also the synchronous entry of image models of this format. The model is in the path alone. */
export const models = {
  generateContent: (model: string, body: JsonObject) =>
    jsonRequest('models.generateContent', `/v1beta/models/${encodeURIComponent(model)}:generateContent`, 'json', body),
};
