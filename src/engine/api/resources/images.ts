import type { JsonObject } from '../../../contract/json.ts';
import type { PlannedRequest } from '../../../contract/take.ts';
import { formRequest, jsonRequest, taskPath } from './requests.ts';

/** Absolute paths of local pictures. The reference's fields are `image` and, for edits, `mask`. */
type ImageFiles = PlannedRequest['files'];

const JOB_SUBMIT = 'images.submitJob.';

/** Images (reference, "Images"). */
export const images = {
  /** Synchronous: the answer is the result. */
  generate: (body: JsonObject) => jsonRequest('images.generate', '/v1/images/generations', 'json', body),
  generateAsync: (body: JsonObject) =>
    jsonRequest('images.generateAsync', '/v1/images/generations/async', 'task', body),
  /** For the family that uses `input.messages`. No other endpoint accepts it. */
  generateFromMessages: (body: JsonObject) =>
    jsonRequest('images.generateFromMessages', '/v1/images/generations/async', 'task', body),
  /** Synchronous. */
  edit: (body: JsonObject, files: ImageFiles) => formRequest('images.edit', '/v1/images/edits', 'json', body, files),
  editAsync: (body: JsonObject, files: ImageFiles) =>
    formRequest('images.editAsync', '/v1/images/edits/async', 'task', body, files),
  /** Synchronous. */
  vary: (body: JsonObject, files: ImageFiles) =>
    formRequest('images.vary', '/v1/images/variations', 'json', body, files),
  /**
   * Typography. The reference does not show the body of its answer, so we read it like those of other synchronous
   * endpoints.
   */
  typography: (operation: 'generate' | 'remix' | 'upscale' | 'describe', body: JsonObject) =>
    jsonRequest(`images.typography.${operation}`, `/typo/${operation}`, 'json', body),
  /** The job-style family: each of its actions has its own path. */
  submitJob: (action: string, body: JsonObject, template: string, files: ImageFiles = []): PlannedRequest => ({
    ...jsonRequest(`${JOB_SUBMIT}${action}`, template.replaceAll('{action}', action), 'task', body),
    files,
  }),
  isJobSubmit: (operation: string) => operation.startsWith(JOB_SUBMIT),
  /** The path that lists the job-style tasks sent with a `state`. */
  listPath: (state: string, template: string) => template.replaceAll('{state}', () => encodeURIComponent(state)),
  path: (taskId: string, template: string) => taskPath(template, taskId),
};
