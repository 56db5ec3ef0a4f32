import type { JsonObject } from '../../../contract/json.ts';
import type { PlannedRequest } from '../../../contract/take.ts';

/**
 * Resources of billable work know their paths but send nothing. Whatever is paid for must be on disk before its first
 * byte, so each call returns the exact request, and `ServiceClient.submit` sends it.
 */
export function jsonRequest(
  operation: string,
  path: string,
  answers: PlannedRequest['answers'],
  body: JsonObject,
): PlannedRequest {
  return { operation, method: 'POST', path, encoding: 'json', body, files: [], answers };
}

/** A form with files. */
export function formRequest(
  operation: string,
  path: string,
  answers: PlannedRequest['answers'],
  body: JsonObject,
  files: PlannedRequest['files'],
): PlannedRequest {
  return { operation, method: 'POST', path, encoding: 'multipart', body, files, answers };
}

/** The query for a task, from a path such as `/v1/videos/{task_id}`; `ServiceClient.poll` sends it. */
export function taskPath(template: string, taskId: string): string {
  return template.replaceAll('{task_id}', () => encodeURIComponent(taskId));
}
