import { z } from 'zod';
import { jsonAnswer, type Answer, invalid } from '../answer.ts';
import { jsonObject, type Call } from '../call.ts';
import { describedPicture } from '../described-picture.ts';
import { buttonsOf, jobView } from '../job-view.ts';
import { findModel, type DemoModel } from '../models.ts';
import type { ServiceParts } from '../service-parts.ts';
import { mediaRequest, type JobOrder, type MediaRequest, type TaskRecord } from '../task-store.ts';
import { commitTask, requireTask } from './create-task.ts';
import { parseFields, ratioPixels, requireModel } from './fields.ts';
import { SHAPE } from './images.ts';
import { publicUrl } from './references.ts';
import { get, post, type Route } from './route.ts';
import { anyFields } from './text.ts';

const SIGNATURES = ['89504e470d0a1a0a', 'ffd8ff', '47494638', '52494646'];

/** A picture in base64, bare or as a data URL. */
const picture = z.string().refine((text) => {
  const [, base64 = ''] = /^(?:data:image\/[a-z+.-]+;base64,)?([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const begins = Buffer.from(base64.slice(0, 32), 'base64').toString('hex');
  return SIGNATURES.some((signature) => begins.startsWith(signature));
}, 'it must be a picture in base64');

/** Fields of every action (reference: "Job-style family"). Any other is accepted, the model among them. */
const shared = { state: z.string().optional(), notifyHook: publicUrl.optional(), model: z.string().optional() };
const prompt = z.string().min(1, 'it must not be empty');
const imagineFields = z.object({ ...shared, prompt, base64Array: z.array(picture).optional() });
/** How many pictures can be blended is not shown. */
const blendFields = z.object({ ...shared, prompt: prompt.optional(), base64Array: z.array(picture).min(2).max(5) });
const describeFields = z.object({ ...shared, base64Array: z.array(picture).length(1) });
/** The task that the button belongs to is not shown as a field: `taskId` is assumed. */
const actionFields = z.object({ ...shared, customId: z.string().min(1), taskId: z.string().min(1) });

type Action = JobOrder['action'];
type Order = Omit<JobOrder, 'action' | 'state'> & { model: DemoModel; state: string | undefined; wanted: MediaRequest };

/** The paths of the actions and the query of the list are assumed. */
export const jobStyleRoutes: Route[] = [
  submitRoute('imagine', (body) => {
    const { prompt: words, base64Array = [], state } = parseFields(imagineFields, body, anyFields);
    const like = base64Array.map((each) => `, like ${describedPicture(each)}`).join('');
    return { model: modelOf(body), state, wanted: drawn(words + like) };
  }),
  submitRoute('blend', (body) => {
    const { prompt: words = '', base64Array, state } = parseFields(blendFields, body, anyFields);
    const shown = base64Array.map((each) => describedPicture(each)).join(' blended with ');
    return { model: modelOf(body), state, wanted: drawn(words === '' ? shown : `${words}: ${shown}`) };
  }),
  submitRoute('describe', (body) => {
    const { base64Array, state } = parseFields(describeFields, body, anyFields);
    const [one = ''] = base64Array;
    return { model: modelOf(body), state, wanted: mediaRequest({ prompt: describedPicture(one), outputs: 0 }) };
  }),
  submitRoute('action', (body, parts) => {
    const { customId, taskId, state } = parseFields(actionFields, body, anyFields);
    const source = requireTask(parts, taskId, ['jobs']);
    const isDone = parts.tasks.statusOf(source) === 'succeeded';
    const button =
      isDone && buttonsOf(source, source.job ?? { action: 'imagine' }).find((each) => each.customId === customId);
    if (!button) throw invalid('invalid_custom_id', `The task ${taskId} has no button "${customId}".`);
    // The same button of the same picture makes the same picture, whatever its task's id.
    const pressed = button.label === '' ? button.emoji : button.label;
    const wanted = drawn(`${source.wanted.prompt}, ${pressed}`);
    return { model: findModel(source.model) ?? modelOf(body), state, wanted, customId, from: source.id };
  }),
  get('/jobimg/task/:id/fetch', (_call, parts, { id = '' }) =>
    jsonAnswer(jobView(requireTask(parts, id, ['jobs']), parts)),
  ),
  get('/jobimg/task/list-by-condition', listTasks),
];

function submitRoute(action: Action, read: (body: Record<string, unknown>, parts: ServiceParts) => Order): Route {
  return post(`/jobimg/submit/${action}`, (call, parts) => {
    const { model, wanted, state, ...more } = read(jsonObject(call), parts);
    const job = { action, ...(state !== undefined && { state }), ...more };
    const task = commitTask(call, parts, 'jobs', { model, wanted, job });
    return jsonAnswer({ code: 1, description: 'Submit success', result: task.id });
  });
}

const drawn = (words: string): MediaRequest => mediaRequest({ prompt: words, ...ratioPixels('1:1', SHAPE) });

/** The reference shows no model for the family. */
const modelOf = ({ model }: Record<string, unknown>): DemoModel => requireModel(model ?? 'image-demo', 'image');

/** Which parameters the list takes is not shown: these are assumed. The newest task comes first. */
const CONDITIONS = ['state', 'status', 'action'] as const;

function listTasks(call: Call, parts: ServiceParts): Answer {
  const stray = [...call.query.keys()].find((name) => !CONDITIONS.some((known) => known === name));
  if (stray !== undefined) throw invalid('unknown_parameter', `The list takes no "${stray}".`);
  const views = parts.tasks
    .list()
    .filter(({ resource }) => resource === 'jobs')
    .reverse()
    .map((task: TaskRecord) => jobView(task, parts));
  const asked = call.query.get('state');
  if (call.fault?.fault === 'list-echo' && asked !== null) {
    return jsonAnswer(views.map((view) => ({ ...view, state: asked })));
  }
  const isWanted = (view: Record<string, unknown>): boolean =>
    CONDITIONS.every((name) => (call.query.get(name) ?? view[name]) === view[name]);
  return jsonAnswer(views.filter(isWanted));
}
