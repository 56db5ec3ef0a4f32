import type { JsonObject } from '../../../contract/json.ts';
import type { PlannedRequest } from '../../../contract/take.ts';
import { formRequest, jsonRequest, taskPath } from './requests.ts';

/** Local pictures, absolute paths. `image` and, for edits, `mask` are the fields of the reference. */
type ImageFiles = PlannedRequest['files'];

/** Images (reference, "Images"). */
export const images = {
  /** Synchronous: the answer is the result. */
  generate: (body: JsonObject) => jsonRequest('images.generate', '/v1/images/generations', 'json', body),
  generateAsync: (body: JsonObject) =>
    jsonRequest('images.generateAsync', '/v1/images/generations/async', 'task', body),
  /** The family that uses `input.messages`: no other entry does its work. */
  generateFromMessages: (body: JsonObject) =>
    jsonRequest('images.generateFromMessages', '/v1/images/generations/async', 'task', body),
  /** Synchronous. */
  edit: (body: JsonObject, files: ImageFiles) => formRequest('images.edit', '/v1/images/edits', 'json', body, files),
  editAsync: (body: JsonObject, files: ImageFiles) =>
    formRequest('images.editAsync', '/v1/images/edits/async', 'task', body, files),
  /** Synchronous. */
  vary: (body: JsonObject, files: ImageFiles) =>
    formRequest('images.vary', '/v1/images/variations', 'json', body, files),
  /** Typography. The body of its answer is not shown: it is read as that of the other synchronous entries. */
  typography: (operation: 'generate' | 'remix' | 'upscale' | 'describe', body: JsonObject) =>
    jsonRequest(`images.typography.${operation}`, `/typo/${operation}`, 'json', body),
  /** The job-style family: each of its actions has a path of its own. */
  submitJob: (action: string, body: JsonObject, template: string, files: ImageFiles = []): PlannedRequest => ({
    ...jsonRequest(`images.submitJob.${action}`, template.replaceAll('{action}', action), 'task', body),
    files,
  }),
  /** Where the job-style family lists the tasks that were sent with a `state`. */
  listPath: (state: string, template: string) => template.replaceAll('{state}', () => encodeURIComponent(state)),
  path: (taskId: string, template: string) => taskPath(template, taskId),
};
