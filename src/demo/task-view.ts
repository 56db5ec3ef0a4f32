import { MAKERS } from './media/makers.ts';
import type { ServiceParts } from './service-parts.ts';
import type { TaskRecord } from './task-store.ts';

/** A Task as the reference shows it, at this moment (reference: Resources, Task). */
export function taskView(task: TaskRecord, parts: ServiceParts): Record<string, unknown> {
  const status = parts.tasks.statusOf(task);
  const urls = status === 'succeeded' ? resultUrls(task, parts) : [];
  const [first] = urls;
  // Ids of digits alone are numbers on the wire, longer than a JavaScript number can be: see `jsonAnswer`.
  const id = /^\d+$/.test(task.id) ? BigInt(task.id) : task.id;
  return {
    id,
    task_id: id,
    object: 'task',
    status,
    model: task.model,
    created_at: Math.floor(task.createdAt / 1000),
    output: urls.map((url) => ({ type: MAKERS[task.kind].outputType, url })),
    error: status === 'failed' ? task.error : null,
    trace_id: task.traceId,
    request_id: task.traceId,
    task_chain: [
      { step: 'generation', status },
      ...(first === undefined
        ? []
        : [{ step: 'result_url_policy', status, result_url_policy: 'direct_return', result_url: first }]),
    ],
    ...(task.kind === 'video' && {
      input_references: task.references.map((reference) => ({ ...reference, binding_status: 'bound' })),
    }),
  };
}

export function resultUrls(task: TaskRecord, { addresses }: ServiceParts): string[] {
  return Array.from({ length: task.wanted.outputs }, (_, index) => addresses.mint(task, index));
}

/** The words of digital human tasks for a task's status, and, since its own are not shown, of the job-style family. */
export const STATUS_WORDS: Readonly<Record<string, string>> = {
  pending: 'SUBMITTED',
  submitted: 'SUBMITTED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'CANCELED',
  canceled: 'CANCELED',
};

const THE_USUAL = { action: 'imagine' } as const;

/** The job-style response (reference: "Job-style image task response"). */
export function jobView(task: TaskRecord, parts: ServiceParts): Record<string, unknown> {
  const { prompt } = task.wanted;
  const { action, state = '' }: NonNullable<TaskRecord['job']> = task.job ?? THE_USUAL;
  const status = parts.tasks.statusOf(task);
  const isDone = status === 'succeeded';
  const urls = isDone ? resultUrls(task, parts) : [];
  const share = Math.min((parts.clock.now() - task.createdAt) / Math.max(task.takesMs, 1), 1);
  const seconds = (ms: number): string => String(Math.floor(ms / 1000));
  // The prompt that the family draws from. A description has that form already.
  const isText = action === 'describe';
  const properties = isText
    ? { finalPrompt: prompt, finalZhPrompt: `画面：${prompt}` }
    : { finalPrompt: `${prompt}, natural light, fine detail`, finalZhPrompt: `${prompt}，自然光，细节丰富` };
  return {
    code: 1,
    id: task.id,
    action: action.toUpperCase(),
    status: STATUS_WORDS[status] ?? status,
    state,
    // The text of a picture exists only after its description.
    ...((!isText || isDone) && { prompt, promptEn: prompt }),
    progress: `${String(Math.floor(share * 100))}%`,
    submitTime: seconds(task.createdAt),
    startTime: seconds(task.createdAt + task.takesMs / 10),
    ...(share >= 1 && { finishTime: seconds(task.createdAt + task.takesMs) }),
    ...(status === 'failed' && { failReason: task.error?.message }),
    ...(urls.length > 0 && { imageUrl: urls[0], imageUrls: urls, buttons: toButtons(task) }),
    ...(isDone && { properties }),
  };
}

/** A finished picture's buttons; an upscaled one can only be varied. Their fields are assumed. */
export function toButtons({ id, job }: TaskRecord) {
  if (job?.action === 'describe') return [];
  const button = (name: string, label: string, emoji = '') => ({
    ...{ customId: `job::${name}::${id}`, label, emoji },
    ...{ type: 2, style: 2 },
  });
  if (job?.customId?.startsWith('job::upscale')) {
    return [button('vary-subtle', 'Vary (Subtle)', '🪄'), button('vary-strong', 'Vary (Strong)', '🪄')];
  }
  const places = ['1', '2', '3', '4'];
  return [
    ...places.map((place) => button(`upscale-${place}`, `U${place}`)),
    ...places.map((place) => button(`variation-${place}`, `V${place}`)),
    button('reroll', '', '🔄'),
  ];
}
