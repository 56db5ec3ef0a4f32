import type { JsonObject } from '../../../contract/json.ts';
import { jsonRequest, taskPath } from './requests.ts';

/** Video tasks (reference, "Videos"). */
export const videos = {
  /** The recommended entry. */
  create: (body: JsonObject) => jsonRequest('videos.create', '/v1/videos', 'task', body),
  /** The entry that uses `content[]`, `ratio` and `resolution`. */
  createCompatible: (body: JsonObject) =>
    jsonRequest('videos.createCompatible', '/api/v3/contents/generations/tasks', 'task', body),
  path: (taskId: string, template = '/v1/videos/{task_id}') => taskPath(template, taskId),
};
