import type { JsonObject } from '../../../contract/json.ts';
import { jsonRequest, taskPath } from './requests.ts';

const GENERIC = '/v1/tasks';

/** Generic tasks, music among them (reference, "Generic tasks"). */
export const tasks = {
  GENERIC,
  create: (body: JsonObject, path = GENERIC) => jsonRequest('tasks.create', path, 'task', body),
  /** Also answers for video tasks. */
  path: (taskId: string, template = `${GENERIC}/{task_id}`) => taskPath(template, taskId),
};
