import type { JsonObject } from '../../contract/json.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { KindDriver, RequestContext } from './driver.ts';
import { presentFields, sentText, withExtraFields } from './extra-fields.ts';
import { localPath } from './media-reference.ts';
import { contentsAtFirst, filledTaskPath, latePlaces, listPlaces, resultUrls, singlePlaces } from './results.ts';
import type { Place } from './results.ts';

/** The lists of the job-style response; `imageUrl` is the first of `imageUrls`. */
const jobStylePlaces: readonly Place[] = [['imageUrls', '*'], ['data', 'imageUrls', '*'], ['imageUrl']];

/** Statuses that may mean "this account or model has no asynchronous entry", rather than a mistake in the shot. */
const NO_ASYNC_ENTRY = [403, 404];

/** Service reference, "Images". */
export const imageDriver: KindDriver = {
  kind: 'image',
  toRequest: (shot, context) => imageRequest(shot, context, context.asyncImages || needsAsyncEntry(shot)),
  fallback: (shot, context, refused, httpStatus) => {
    const fromAsync = refused.answers === 'task' && NO_ASYNC_ENTRY.includes(httpStatus);
    return fromAsync && !needsAsyncEntry(shot) ? imageRequest(shot, context, false) : null;
  },
  taskPath: (taskId, settings) => filledTaskPath(settings.paths.imageTask, taskId),
  readResult: (answer) =>
    resultUrls(answer, 'image', [...listPlaces, ...jobStylePlaces, ...singlePlaces, ...latePlaces]),
  readContents: contentsAtFirst,
};

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
