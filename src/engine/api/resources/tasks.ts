import type { JsonObject } from '../../../contract/json.ts';
import type { CallOptions, Poll, Submit, SubmitOptions } from '../calls.ts';
import type { PollOutcome, SubmitOutcome } from '../outcomes.ts';

/** Generic tasks, music among them (reference, "Generic tasks"). Creating one is billable: see `ServiceClient.submit`. */
export interface Tasks {
  create(body: JsonObject, options?: SubmitOptions): Promise<SubmitOutcome>;
  /** Also answers for video tasks. */
  get(taskId: string, options?: CallOptions): Promise<PollOutcome>;
}

export function tasksResource(submit: Submit, poll: Poll): Tasks {
  return {
    create: (body, options) =>
      submit(
        {
          operation: 'tasks.create',
          method: 'POST',
          path: '/v1/tasks',
          encoding: 'json',
          body,
          files: [],
          answers: 'task',
        },
        options,
      ),
    get: (taskId, options) => poll(`/v1/tasks/${encodeURIComponent(taskId)}`, options),
  };
}
