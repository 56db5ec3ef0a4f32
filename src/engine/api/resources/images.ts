import type { JsonObject } from '../../../contract/json.ts';
import type { PlannedRequest } from '../../../contract/take.ts';
import type { CallOptions, Poll, Submit, SubmitOptions } from '../calls.ts';
import type { PollOutcome, SubmitOutcome } from '../outcomes.ts';

/** Local pictures, absolute paths. `image` and, for edits, `mask` are the fields of the reference. */
export type ImageFiles = PlannedRequest['files'];

/** Images (reference, "Images"). All but `get` are billable: see `ServiceClient.submit`. */
export interface Images {
  /** Synchronous: the answer is the result. */
  generate(body: JsonObject, options?: SubmitOptions): Promise<SubmitOutcome>;
  generateAsync(body: JsonObject, options?: SubmitOptions): Promise<SubmitOutcome>;
  /** Synchronous, multipart. */
  edit(body: JsonObject, files: ImageFiles, options?: SubmitOptions): Promise<SubmitOutcome>;
  editAsync(body: JsonObject, files: ImageFiles, options?: SubmitOptions): Promise<SubmitOutcome>;
  /** Synchronous, multipart. */
  vary(body: JsonObject, files: ImageFiles, options?: SubmitOptions): Promise<SubmitOutcome>;
  get(taskId: string, options?: CallOptions): Promise<PollOutcome>;
}

export function imagesResource(submit: Submit, poll: Poll): Images {
  const imageRequest = (
    operation: string,
    path: string,
    answers: 'task' | 'answer',
    body: JsonObject,
  ): PlannedRequest => ({
    operation,
    method: 'POST',
    path: `/v1/images/${path}`,
    encoding: 'json',
    body,
    files: [],
    answers,
  });
  const withFiles = (request: PlannedRequest, files: ImageFiles): PlannedRequest => ({
    ...request,
    encoding: 'multipart',
    files,
  });
  return {
    generate: (body, options) => submit(imageRequest('images.generate', 'generations', 'answer', body), options),
    generateAsync: (body, options) =>
      submit(imageRequest('images.generateAsync', 'generations/async', 'task', body), options),
    edit: (body, files, options) =>
      submit(withFiles(imageRequest('images.edit', 'edits', 'answer', body), files), options),
    editAsync: (body, files, options) =>
      submit(withFiles(imageRequest('images.editAsync', 'edits/async', 'task', body), files), options),
    vary: (body, files, options) =>
      submit(withFiles(imageRequest('images.vary', 'variations', 'answer', body), files), options),
    get: (taskId, options) => poll(`/v1/images/tasks/${encodeURIComponent(taskId)}`, options),
  };
}
