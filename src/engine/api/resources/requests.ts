import type { JsonObject } from '../../../contract/json.ts';
import type { PlannedRequest } from '../../../contract/take.ts';

/**
 * Resources of billable work know their paths but send nothing. Whatever is paid for must be on disk before its first
 * byte, so each call returns the exact request, and `ServiceClient.submit` sends it.
 */
export const jsonRequest = (
  operation: string,
  path: string,
  answers: PlannedRequest['answers'],
  body: JsonObject,
): PlannedRequest => ({ operation, method: 'POST', path, encoding: 'json', body, files: [], answers });

const formRequest = (
  ...[operation, path, answers, body, files]: [...Parameters<typeof jsonRequest>, PlannedRequest['files']]
): PlannedRequest => ({ ...jsonRequest(operation, path, answers, body), encoding: 'multipart', files });

function taskPath(template: string, taskId: string): string {
  return template.replaceAll('{task_id}', () => encodeURIComponent(taskId));
}

/** Text generation (reference, "Text generation"). The answer is the result. */
export const chat = {
  create: (body: JsonObject) => jsonRequest('chat.create', '/v1/chat/completions', 'json', body),
};

/** Also the synchronous endpoint of image models of this format. Only the path names the model. */
export const models = {
  generateContent: (model: string, body: JsonObject) =>
    jsonRequest('models.generateContent', `/v1beta/models/${encodeURIComponent(model)}:generateContent`, 'json', body),
};

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

const GENERIC = '/v1/tasks';

/** Generic tasks, including music (reference, "Generic tasks"). */
export const tasks = {
  GENERIC,
  create: (body: JsonObject, path = GENERIC) => jsonRequest('tasks.create', path, 'task', body),
  /** Works for video tasks too. */
  path: (taskId: string, template = `${GENERIC}/{task_id}`) => taskPath(template, taskId),
};

/** Video tasks (reference, "Videos"). */
export const videos = {
  create: (body: JsonObject) => jsonRequest('videos.create', '/v1/videos', 'task', body),
  /** The endpoint that uses `content[]`, `ratio` and `resolution`. */
  createCompatible: (body: JsonObject) =>
    jsonRequest('videos.createCompatible', '/api/v3/contents/generations/tasks', 'task', body),
  path: (taskId: string, template: string) => taskPath(template, taskId),
};

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
  edit: (body: JsonObject, files: ImageFiles) => formRequest('images.edit', '/v1/images/edits', 'json', body, files),
  editAsync: (body: JsonObject, files: ImageFiles) =>
    formRequest('images.editAsync', '/v1/images/edits/async', 'task', body, files),
  vary: (body: JsonObject, files: ImageFiles) =>
    formRequest('images.vary', '/v1/images/variations', 'json', body, files),
  /** Typography. Its answer's body is not in the reference: read like other synchronous endpoints'. */
  typography: (operation: 'generate' | 'remix' | 'upscale' | 'describe', body: JsonObject) =>
    jsonRequest(`images.typography.${operation}`, `/typo/${operation}`, 'json', body),
  submitJob: (action: string, body: JsonObject, template: string, files: ImageFiles = []): PlannedRequest => ({
    ...jsonRequest(`${JOB_SUBMIT}${action}`, template.replaceAll('{action}', action), 'task', body),
    files,
  }),
  isJobSubmit: (operation: string) => operation.startsWith(JOB_SUBMIT),
  listPath: (state: string, template: string) => template.replaceAll('{state}', () => encodeURIComponent(state)),
  path: (taskId: string, template: string) => taskPath(template, taskId),
};
