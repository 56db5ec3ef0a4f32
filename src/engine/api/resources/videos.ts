import type { JsonObject } from '../../../contract/json.ts';
import type { CallOptions, Poll, Submit, SubmitOptions } from '../calls.ts';
import type { PollOutcome, SubmitOutcome } from '../outcomes.ts';

/** Video tasks (reference, "Videos"). Creating one is billable: see `ServiceClient.submit`. */
export interface Videos {
  /** The recommended entry. */
  create(body: JsonObject, options?: SubmitOptions): Promise<SubmitOutcome>;
  /** The entry that uses `content[]`, `ratio` and `resolution`. */
  createCompatible(body: JsonObject, options?: SubmitOptions): Promise<SubmitOutcome>;
  get(taskId: string, options?: CallOptions): Promise<PollOutcome>;
}

export function videosResource(submit: Submit, poll: Poll): Videos {
  const create = (operation: string, path: string, body: JsonObject, options?: SubmitOptions): Promise<SubmitOutcome> =>
    submit({ operation, method: 'POST', path, encoding: 'json', body, files: [], answers: 'task' }, options);
  return {
    create: (body, options) => create('videos.create', '/v1/videos', body, options),
    createCompatible: (body, options) =>
      create('videos.createCompatible', '/api/v3/contents/generations/tasks', body, options),
    get: (taskId, options) => poll(`/v1/videos/${encodeURIComponent(taskId)}`, options),
  };
}
