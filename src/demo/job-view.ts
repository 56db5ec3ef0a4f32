import type { ServiceParts } from './service-parts.ts';
import type { JobOrder, TaskRecord } from './task-store.ts';
import { resultUrls } from './task-view.ts';

/** The words of the family for a task's status are not shown: those of digital human tasks, as its clients know them. */
export const STATUS_WORDS: Readonly<Record<string, string>> = {
  pending: 'SUBMITTED',
  submitted: 'SUBMITTED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'CANCELED',
  canceled: 'CANCELED',
};

/** The job-style response (reference: "Job-style image task response"). */
export function jobView(task: TaskRecord, { tasks, addresses, clock }: ServiceParts): Record<string, unknown> {
  const { prompt } = task.wanted;
  const job = task.job ?? { action: 'imagine' };
  const status = tasks.statusOf(task);
  const isDone = status === 'succeeded';
  const urls = isDone ? resultUrls(task, addresses) : [];
  const share = Math.min((clock.now() - task.createdAt) / Math.max(task.takesMs, 1), 1);
  const seconds = (ms: number): string => String(Math.floor(ms / 1000));
  return {
    code: 1,
    id: task.id,
    action: job.action.toUpperCase(),
    status: STATUS_WORDS[status] ?? status,
    state: job.state ?? '',
    // The text of a picture exists only after its description.
    ...((job.action !== 'describe' || isDone) && { prompt, promptEn: prompt }),
    progress: `${String(Math.floor(share * 100))}%`,
    submitTime: seconds(task.createdAt),
    startTime: seconds(task.createdAt + task.takesMs / 10),
    ...(share >= 1 && { finishTime: seconds(task.createdAt + task.takesMs) }),
    ...(status === 'failed' && { failReason: task.error?.message }),
    ...(urls.length > 0 && { imageUrl: urls[0], imageUrls: urls, buttons: buttonsOf(task, job) }),
    ...(isDone && { properties: finalPrompts(job, prompt) }),
  };
}

/**
 * The buttons of a finished picture: an upscaled one can only be varied. The fields of their record are not shown in the
 * reference: these are assumed.
 */
export function buttonsOf({ id }: TaskRecord, { action, customId = '' }: JobOrder) {
  if (action === 'describe') return [];
  const button = (name: string, label: string, emoji = '') => ({
    ...{ customId: `job::${name}::${id}`, label, emoji },
    ...{ type: 2, style: 2 },
  });
  const places = [1, 2, 3, 4].map(String);
  return customId.startsWith('job::upscale')
    ? [button('vary-subtle', 'Vary (Subtle)', '🪄'), button('vary-strong', 'Vary (Strong)', '🪄')]
    : [
        ...places.map((place) => button(`upscale-${place}`, `U${place}`)),
        ...places.map((place) => button(`variation-${place}`, `V${place}`)),
        button('reroll', '', '🔄'),
      ];
}

/** The prompt that the family draws from. A description has that form already. */
function finalPrompts({ action }: JobOrder, prompt: string): Record<string, string> {
  if (action === 'describe') return { finalPrompt: prompt, finalZhPrompt: `画面：${prompt}` };
  return { finalPrompt: `${prompt}, natural light, fine detail`, finalZhPrompt: `${prompt}，自然光，细节丰富` };
}
