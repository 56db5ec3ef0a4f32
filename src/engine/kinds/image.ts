import type { JsonObject } from '../../contract/json.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { KindDriver, Refusal, RequestContext } from './driver.ts';
import { presentFields, sentText, withExtraFields } from './extra-fields.ts';
import { localPath } from './media-reference.ts';
import { filledTaskPath, latePlaces, listPlaces, resultUrls, singlePlaces } from './results.ts';
import type { Place } from './results.ts';

/** The lists of the job-style response; `imageUrl` is the first of `imageUrls`. */
const jobStylePlaces: readonly Place[] = [['imageUrls', '*'], ['data', 'imageUrls', '*'], ['imageUrl']];

/** Statuses with which the service may say that there is no asynchronous entry for the account or the model. */
const NO_ENTRY = [403, 404, 405];

/** Service reference, "Images". */
export const imageDriver: KindDriver = {
  kind: 'image',
  toRequest: (shot, context) => imageRequest(shot, context, needsAsyncEntry(shot) || wantsAsyncEntry(context)),
  fallback: (shot, context, refused, complaint) => {
    if (refused.answers !== 'task' || needsAsyncEntry(shot)) return null;
    if (context.settings.assumed.imageEntry !== 'auto' || !saysNoAsyncEntry(complaint, shot.model)) return null;
    return imageRequest(shot, context, false);
  },
  refusalRemedy: ({ answers }, { httpStatus }) =>
    answers === 'task' && NO_ENTRY.includes(httpStatus)
      ? 'Check the model id. If your account has no asynchronous entry for images, set assumed.imageEntry to ' +
        'synchronous. Then send the shot again: nothing was charged.'
      : undefined,
  taskPath: (taskId, settings) => filledTaskPath(settings.paths.imageTask, taskId),
  readResult: (answer) =>
    resultUrls(answer, 'image', [...listPlaces, ...jobStylePlaces, ...singlePlaces, ...latePlaces]),
};

function wantsAsyncEntry({ settings, asyncImages }: RequestContext): boolean {
  const { imageEntry } = settings.assumed;
  return imageEntry === 'auto' ? asyncImages : imageEntry === 'asynchronous';
}

/**
 * The reference shows neither code nor text for it, so an answer must speak of the asynchronous entry (apart from the
 * model's own id), or be that of a path which is not there. What is said of a model, a mistyped one above all, is no such
 * answer.
 */
function saysNoAsyncEntry({ httpStatus, code = '', message }: Refusal, model: string): boolean {
  if (!NO_ENTRY.includes(httpStatus)) return false;
  if (/async|异步/i.test(`${code} ${message}`.replaceAll(model, ''))) return true;
  if (httpStatus === 403) return false;
  return code === '' ? !/model|模型/i.test(message) : /route|endpoint|path|url|method/i.test(code);
}

/** Only the asynchronous entry has a `resolution`: going round it would pay for another picture than was asked for. */
function needsAsyncEntry(shot: ShotSpec): boolean {
  return shot.params.resolution !== undefined;
}

function imageRequest(shot: ShotSpec, context: RequestContext, asynchronous: boolean): PlannedRequest {
  switch (shot.params.operation) {
    case 'edit':
      return {
        operation: asynchronous ? 'images.editAsync' : 'images.edit',
        method: 'POST',
        path: asynchronous ? '/v1/images/edits/async' : '/v1/images/edits',
        encoding: 'multipart',
        body: formBody(shot, { prompt: shot.prompt }),
        files: formFiles(shot, context, ['image', 'mask']),
        answers: asynchronous ? 'task' : 'answer',
      };
    case 'variation':
      // There is no asynchronous entry for variations.
      return {
        operation: 'images.vary',
        method: 'POST',
        path: '/v1/images/variations',
        encoding: 'multipart',
        body: formBody(shot, {}),
        files: formFiles(shot, context, ['image']),
        answers: 'answer',
      };
    default:
      return {
        operation: asynchronous ? 'images.generateAsync' : 'images.generate',
        method: 'POST',
        path: asynchronous ? '/v1/images/generations/async' : '/v1/images/generations',
        encoding: 'json',
        body: generationBody(shot),
        files: [],
        answers: asynchronous ? 'task' : 'answer',
      };
  }
}

function generationBody(shot: ShotSpec): JsonObject {
  const { params } = shot;
  const fields = presentFields({
    model: shot.model,
    prompt: sentText(shot.prompt),
    size: params.size,
    aspect_ratio: params.aspect_ratio,
    resolution: params.resolution,
    n: params.n,
    response_format: params.response_format,
  });
  return withExtraFields(fields, shot);
}

function formBody(shot: ShotSpec, prompt: JsonObject): JsonObject {
  const fields = presentFields({ model: shot.model, ...prompt, n: shot.params.n, size: shot.params.size });
  return withExtraFields(fields, shot, ['image', 'mask']);
}

function formFiles(shot: ShotSpec, context: RequestContext, fields: readonly string[]): PlannedRequest['files'] {
  return fields.flatMap((field) => {
    const cell = shot.params[field];
    return typeof cell === 'string' ? [{ field, path: localPath(cell, context.listFolder) }] : [];
  });
}
