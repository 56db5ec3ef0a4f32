import type { JsonObject } from '../../../contract/json.ts';
import type { PlannedRequest } from '../../../contract/take.ts';

/**
 * The resources of billable work are nouns that own their paths, but they send nothing: what is paid for has to be on
 * disk before its first byte, so each call makes the exact request, and `ServiceClient.submit` sends it.
 */
export function jsonRequest(
  operation: string,
  path: string,
  answers: PlannedRequest['answers'],
  body: JsonObject,
): PlannedRequest {
  return { operation, method: 'POST', path, encoding: 'json', body, files: [], answers };
}

/** A form that brings files. */
export function formRequest(
  operation: string,
  path: string,
  answers: PlannedRequest['answers'],
  body: JsonObject,
  files: PlannedRequest['files'],
): PlannedRequest {
  return { operation, method: 'POST', path, encoding: 'multipart', body, files, answers };
}

/** The query of a task by a path such as `/v1/videos/{task_id}`; `ServiceClient.poll` asks it. */
export function taskPath(template: string, taskId: string): string {
  return template.replaceAll('{task_id}', () => encodeURIComponent(taskId));
}
