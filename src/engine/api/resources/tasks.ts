import type { JsonObject } from '../../../contract/json.ts';
import { jsonRequest, taskPath } from './requests.ts';

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
  /** The recommended endpoint. */
  create: (body: JsonObject) => jsonRequest('videos.create', '/v1/videos', 'task', body),
  /** The endpoint that uses `content[]`, `ratio` and `resolution`. */
  createCompatible: (body: JsonObject) =>
    jsonRequest('videos.createCompatible', '/api/v3/contents/generations/tasks', 'task', body),
  path: (taskId: string, template: string) => taskPath(template, taskId),
};
