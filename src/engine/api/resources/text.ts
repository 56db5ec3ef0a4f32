import type { JsonObject } from '../../../contract/json.ts';
import { jsonRequest } from './requests.ts';

/** Text generation (reference, "Text generation"). The answer is the result. */
export const chat = {
  create: (body: JsonObject) => jsonRequest('chat.create', '/v1/chat/completions', 'json', body),
};

/** Also the synchronous endpoint of image models of this format. Only the path names the model. */
export const models = {
  generateContent: (model: string, body: JsonObject) =>
    jsonRequest('models.generateContent', `/v1beta/models/${encodeURIComponent(model)}:generateContent`, 'json', body),
};
