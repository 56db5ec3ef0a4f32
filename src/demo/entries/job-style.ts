import type { ServiceParts } from '../service-parts.ts';
import { resultUrls, STATUS_WORDS, commitTask, requireTask } from './tasks.ts';
import { type TaskRecord, mediaRequest, type JobOrder, type MediaRequest } from '../task-store.ts';
import { z } from 'zod';
import { jsonAnswer, type Answer, invalid, jsonObject, type Call } from '../call.ts';
import { describedPicture } from '../media/words.ts';
import { findModel, type DemoModel } from '../models.ts';
import { publicUrl } from './references.ts';
import { anyFields, fieldsFor, filledText, get, post, ratioPixels, requireModel, type Route } from './request.ts';

const SIGNATURES = ['89504e470d0a1a0a', 'ffd8ff', '47494638', '52494646'];

const picture = z.string().refine((text) => {
  const [, base64 = ''] = /^(?:data:image\/[a-z+.-]+;base64,)?([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const begins = Buffer.from(base64.slice(0, 32), 'base64').toString('hex');
  return SIGNATURES.some((signature) => begins.startsWith(signature));
}, 'it must be a picture in base64');

/** Fields of every action (reference: "Job-style family"). Any other is accepted, the model among them. */
const shared = { state: z.string().optional(), notifyHook: publicUrl.optional(), model: z.string().optional() };
const imagineFields = z.object({ ...shared, prompt: filledText, base64Array: z.array(picture).optional() });
/** How many pictures can be blended is not shown. */
const blendFields = z.object({ ...shared, prompt: filledText.optional(), base64Array: z.array(picture).min(2).max(5) });
const describeFields = z.object({ ...shared, base64Array: z.array(picture).length(1) });
/** The task that the button belongs to is not shown as a field: `taskId` is assumed. */
const actionFields = z.object({ ...shared, customId: z.string().min(1), taskId: z.string().min(1) });

interface Order extends Omit<JobOrder, 'action' | 'state'> {
  model?: DemoModel | undefined;
  wanted: MediaRequest;
}

/** The paths of the actions and the query of the list are assumed. */
export const jobStyleRoutes: Route[] = [
  submitRoute('imagine', (call) => {
    const { prompt, base64Array = [] } = fieldsFor(call, imagineFields, anyFields);
    const like = base64Array.map((each) => `, like ${describedPicture(each)}`).join('');
    return { wanted: drawn(prompt + like) };
  }),
  submitRoute('blend', (call) => {
    const { prompt, base64Array } = fieldsFor(call, blendFields, anyFields);
    const shown = base64Array.map((each) => describedPicture(each)).join(' blended with ');
    return { wanted: drawn(prompt === undefined ? shown : `${prompt}: ${shown}`) };
  }),
  submitRoute('describe', (call) => {
    const [one = ''] = fieldsFor(call, describeFields, anyFields).base64Array;
    return { wanted: mediaRequest({ prompt: describedPicture(one), outputs: 0 }) };
  }),
  submitRoute('action', (call) => {
    const { customId, taskId } = fieldsFor(call, actionFields, anyFields);
    const source = requireTask(call, taskId, 'jobs');
    const isDone = call.parts.tasks.statusOf(source) === 'succeeded';
    const button = isDone && toButtons(source).find((each) => each.customId === customId);
    if (!button) throw invalid('invalid_custom_id', `The task ${taskId} has no button "${customId}".`);
    // The same button of the same picture makes the same picture, whatever its task's id.
    const pressed = button.label === '' ? button.emoji : button.label;
    const wanted = drawn(`${source.wanted.prompt}, ${pressed}`);
    return { model: findModel(source.model), wanted, customId, from: source.id };
  }),
  get('/jobimg/task/:id/fetch', (call, id = '') => jsonAnswer(jobView(requireTask(call, id, 'jobs'), call.parts))),
  get('/jobimg/task/list-by-condition', listTasks),
];

function submitRoute(action: JobOrder['action'], read: (call: Call) => Order): Route {
  return post(`/jobimg/submit/${action}`, (call) => {
    const { model, wanted, ...more } = read(call);
    const { state, model: named = 'image-demo' } = jsonObject(call);
    const job = { action, ...(typeof state === 'string' && { state }), ...more };
    // The reference shows no model for the family.
    const task = commitTask(call, 'jobs', { model: model ?? requireModel(named, 'image'), wanted, job });
    return jsonAnswer({ code: 1, description: 'Submit success', result: task.id });
  });
}

const drawn = (prompt: string): MediaRequest => mediaRequest({ prompt, ...ratioPixels('1:1') });

/** Which parameters the list takes is not shown: these are assumed. The newest task comes first. */
const CONDITIONS = ['state', 'status', 'action'] as const;

function listTasks({ query, parts }: Call): Answer {
  const stray = [...query.keys()].find((name) => !CONDITIONS.some((known) => known === name));
  if (stray !== undefined) throw invalid('unknown_parameter', `The list takes no "${stray}".`);
  const tasks = parts.tasks.list().filter(({ resource }) => resource === 'jobs');
  const views = tasks.reverse().map((task) => jobView(task, parts));
  const isWanted = (view: Record<string, unknown>): boolean =>
    CONDITIONS.every((name) => (query.get(name) ?? view[name]) === view[name]);
  return jsonAnswer(views.filter(isWanted));
}

const THE_USUAL = { action: 'imagine' } as const;

function jobView(task: TaskRecord, parts: ServiceParts): Record<string, unknown> {
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
function toButtons({ id, job }: TaskRecord) {
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
