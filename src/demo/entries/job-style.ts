import { z } from 'zod';
import { jsonAnswer, type Answer } from '../answer.ts';
import { jsonObject } from '../call.ts';
import type { ServiceParts } from '../service-parts.ts';
import { mediaRequest, type TaskRecord } from '../task-store.ts';
import { resultUrls } from '../task-view.ts';
import { commitTask, requireTask } from './create-task.ts';
import { parseFields, ratioPixels, requireModel } from './fields.ts';
import { SHAPE } from './images.ts';
import type { Route } from './route.ts';
import { anyFields } from './text.ts';

/** Fields of imagine (reference: "Job-style family"). Any other is accepted, the model among them. */
const imagineFields = z.object({
  model: z.string(),
  prompt: z.string().min(1, 'it must not be empty'),
  state: z.string().optional(),
});

/** The paths of the actions are assumed. */
export const jobStyleRoutes: Route[] = [
  {
    method: 'POST',
    path: '/jobimg/submit/imagine',
    answer: (call, parts) => {
      const body = jsonObject(call);
      const model = requireModel(body.model, 'image');
      const { prompt } = parseFields(imagineFields, body, anyFields);
      const wanted = mediaRequest({ prompt, ...ratioPixels('1:1', SHAPE) });
      const task = commitTask(call, parts, 'jobs', { model, wanted });
      return jsonAnswer({ code: 1, description: 'Submit success', result: task.id });
    },
  },
  {
    method: 'GET',
    path: '/jobimg/task/:id/fetch',
    answer: (_call, parts, { id = '' }) => jobView(requireTask(parts, id, ['jobs']), parts),
  },
];

/** The words of the family for a task's status are not shown: those of digital human tasks, as its clients know them. */
const STATUS_WORDS: Readonly<Record<string, string>> = {
  pending: 'SUBMITTED',
  submitted: 'SUBMITTED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'CANCELED',
  canceled: 'CANCELED',
};

/** The job-style response (reference: "Job-style image task response"). */
function jobView(task: TaskRecord, { tasks, addresses, clock }: ServiceParts): Answer {
  const status = tasks.statusOf(task);
  const urls = status === 'succeeded' ? resultUrls(task, addresses) : [];
  const share = Math.min((clock.now() - task.createdAt) / Math.max(task.takesMs, 1), 1);
  return jsonAnswer({
    code: 1,
    id: task.id,
    action: 'IMAGINE',
    status: STATUS_WORDS[status] ?? status,
    prompt: task.wanted.prompt,
    progress: `${String(Math.floor(share * 100))}%`,
    submitTime: String(Math.floor(task.createdAt / 1000)),
    ...(status === 'failed' && { failReason: task.error?.message }),
    ...(urls.length > 0 && { imageUrl: urls[0], imageUrls: urls }),
  });
}
