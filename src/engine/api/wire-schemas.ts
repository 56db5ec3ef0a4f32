import * as z from 'zod';
import { type Json, type JsonObject, listOf } from '../../contract/json.ts';
import { MAX_KEY } from '../../contract/units.ts';
import { isObject, saidIn, toText } from './answer.ts';

/**
 * Shapes of the service, read tolerantly: we look for the fields we need in every place the reference names, and ignore
 * the rest. Tasks are parsed by hand, because every poll reads one. Lists that are read once use zod.
 */

/** The reference's words ("States and transitions"), including those of digital human tasks. */
const statuses: ReadonlyMap<string, TaskStatus> = new Map<string, TaskStatus>([
  ['pending', 'pending'],
  ['submitted', 'pending'],
  ['queued', 'pending'],
  ['running', 'pending'],
  ['in_progress', 'pending'],
  ['succeeded', 'succeeded'],
  ['success', 'succeeded'],
  ['failed', 'failed'],
  ['failure', 'failed'],
  ['cancelled', 'cancelled'],
  ['canceled', 'cancelled'],
]);

/** Words beyond the reference that plainly mean done; we still wait for an address, so none ends anything alone. */
const otherWordsForDone: ReadonlySet<string> = new Set(['completed', 'complete', 'done', 'finished', 'succeed', 'ok']);

type TaskStatus = 'pending' | 'succeeded' | 'failed' | 'cancelled';

/** What the answer to a task query says (reference, "Task" and "Digital human records"). */
export interface WireTask {
  readonly status: TaskStatus;
  readonly remoteStatus: string;
  /** False if the word is not in the reference. Unless it plainly means done, the task then counts as pending. */
  readonly known: boolean;
  /** The progress, in the service's own form: `45%` (reference, "Digital human records"). */
  readonly progress: string | undefined;
  readonly message: string | undefined;
  readonly code: string | undefined;
}

/** Reads a task query's answer; null if it says nothing. Without a status it is done if `hasResult` finds a result. */
export function readTask(body: JsonObject, hasResult: (record: JsonObject) => boolean): WireTask | null {
  const tasks = taskRecords(body).map((record) => readRecord(record, body, hasResult));
  if (tasks.includes(null)) return null;
  // Several records are one take. It is done when all are, and the results of some are kept when others failed.
  return (
    tasks.find((task) => task?.status === 'pending') ??
    tasks.find((task) => task?.status === 'succeeded') ??
    tasks[0] ??
    null
  );
}

function readRecord(record: JsonObject, body: JsonObject, hasResult: (record: JsonObject) => boolean): WireTask | null {
  const progress = toText(record['progress'])?.slice(0, 20);
  const own = toText(record['status']);
  const mayBeDone = own === undefined && !hasNoResult(body) && !isErrorAnswer(body) && !isUnderWay(record['progress']);
  if (mayBeDone && hasResult(record)) return { ...DONE_SILENTLY, progress };
  const remoteStatus = own ?? toText(body['status']);
  // That the call went well, which a wrapper says, does not mean that the task is done.
  if (remoteStatus === undefined || (own === undefined && toStatus(remoteStatus) === 'succeeded')) return null;
  const said = saidIn(record);
  const saidOutside = record === body ? said : saidIn(body);
  return {
    status: toStatus(remoteStatus),
    remoteStatus,
    known: statuses.has(remoteStatus.toLowerCase()),
    progress,
    message: said.message ?? saidOutside.message,
    code: said.code ?? saidOutside.code,
  };
}

const DONE_SILENTLY = {
  status: 'succeeded',
  remoteStatus: '',
  known: true,
  message: undefined,
  code: undefined,
} as const;

/** Less than all of it: `45%`, 45 or 0.45. */
function isUnderWay(progress: Json | undefined): boolean {
  const said = String(progress).trim();
  return said !== '1' && /^\d{1,2}(?:\.\d+)?%?$/.test(said);
}

function toStatus(remoteStatus: string): TaskStatus {
  const word = remoteStatus.toLowerCase();
  return statuses.get(word) ?? (otherWordsForDone.has(word) ? 'succeeded' : 'pending');
}

/** Whether a record says, in a word of the reference, that it has no result, or none yet. */
export function hasNoResult(record: JsonObject): boolean {
  const status = statuses.get(toText(record['status'])?.toLowerCase() ?? '');
  return status !== undefined && status !== 'succeeded';
}

/**
 * The task ids in the answer to a submit, or null. They are in `id` or `task_id`, at the top or in a record inside; see
 * `wrappers`. Music answers `{ code, message, data }`, where `data` is the id, a record or a list of records (reference,
 * "Music task response"). The job-style response has them in `result`. We follow every record that names a task.
 */
export function readTaskIds(json: Json | undefined): { taskId: string; otherTaskIds?: string[] } | null {
  const body = toObject(json);
  if (!body) return null;
  const [taskId, ...otherTaskIds] = new Set(idsIn(body));
  if (taskId === undefined) return null;
  return { taskId, ...(otherTaskIds.length > 0 && { otherTaskIds: otherTaskIds.slice(0, MAX_TASKS) }) };
}

function idsIn(body: JsonObject): string[] {
  const own = toId(body);
  if (own !== null) return [own];
  for (const name of wrappers) {
    const ids = idsInside(body[name], !isErrorAnswer(body) && ID_FIELDS.has(name));
    if (ids.length > 0) return ids;
  }
  return [];
}

/** `areIds`: texts there are ids, as the reference shows. */
function idsInside(value: Json | undefined, areIds: boolean, depth = 1): string[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((item) => idsInside(item, areIds, depth + 1));
  if (!isObject(value)) return areIds ? [asId(value)].filter((id) => id !== null) : [];
  const id = recordId(value);
  if (id !== null) return [id];
  for (const name of wrappers) {
    const ids = idsInside(value[name], false, depth + 1);
    if (ids.length > 0) return ids;
  }
  return [];
}

/** Reports an error in place of a result, whatever its status. With records beside it, it has what was paid for. */
export function isErrorAnswer(body: JsonObject): boolean {
  const { error } = body;
  if (wrappers.some((name) => Array.isArray(body[name]) && body[name].length > 0)) return false;
  if (isObject(error) ? Object.keys(error).length > 0 : toText(error) !== undefined) return true;
  // Text in `data` is not always an id: `{ code: 'error', data: 'quota exceeded' }`.
  const code = toText(body['code']);
  return code !== undefined && /err|fail|invalid|denied|exceed/i.test(code);
}

/** True if the answer is a task (reference, "Task") where a result was expected: it says so, or it is not finished. */
export function isTaskAnswer(json: Json | undefined): boolean {
  const body = toObject(json);
  return body !== null && [body, ...taskRecords(body)].some(isTaskRecord);
}

export const isDoneAnswer = (body: JsonObject): boolean =>
  taskRecords(body).some(({ status }) => toStatus(toText(status) ?? '') === 'succeeded');

const isTaskRecord = (record: JsonObject): boolean =>
  record['object'] === 'task' || statuses.get(toText(record['status'])?.toLowerCase() ?? '') === 'pending';

/** The models that the records of a task name (reference, "Task", `model`). */
export function modelsNamed(body: JsonObject): string[] {
  const named = taskRecords(body).flatMap((record) => toText(record['model']) ?? toText(body['model']) ?? []);
  return named.map((model) => model.slice(0, MAX_MODEL));
}

const MAX_MODEL = 200;

/** The depth at which records of a list are looked for. The reference does not show the list's shape. */
const LIST_DEPTH = 4;

/** What was sent, for which a list is searched: its `state`, and its prompt, if it has one. */
export interface SentJob {
  readonly state: string;
  readonly prompt?: string | undefined;
}

/** Ids of the tasks sent with this `state` and prompt (reference, "Job-style family"); null if there is no list. */
export function tasksWithState(list: Json | undefined, sent: SentJob, depth = 0): string[] | null {
  if (depth > LIST_DEPTH || list === undefined || typeof list !== 'object' || list === null) return null;
  if (isObject(list) && list['state'] === sent.state) {
    const id = toId(list);
    if (id !== null) return mayHaveWords(toText(list['prompt']), sent.prompt) ? [id] : [];
  }
  const found = Object.values(list).map((item) => tasksWithState(item, sent, depth + 1) ?? []);
  return [...new Set(found.flat())];
}

/** A service may add to a prompt, but does not replace it. */
function mayHaveWords(shown: string | undefined, sent: string | undefined): boolean {
  if (shown === undefined || sent === undefined) return true;
  const [longer, shorter] = [shown, sent].map(plainWords).sort((a, b) => b.length - a.length);
  return longer?.includes(shorter ?? '') === true;
}

const plainWords = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();

const WireModel = z.looseObject({
  id: z.string().min(1).max(MAX_KEY),
  owned_by: z.string().optional().catch(undefined),
});
export type WireModel = z.infer<typeof WireModel>;

/** The reference ("Models") does not show the list's wrapper, so we accept each usual one. */
const Models = listOf(WireModel, 100_000);
const WireModels = z.union([
  Models,
  z.looseObject({ data: Models }).transform((list) => list.data),
  z.looseObject({ models: Models }).transform((list) => list.models),
]);

export function readModels(body: Json | undefined): WireModel[] | null {
  const read = WireModels.safeParse(body);
  return read.success ? read.data : null;
}

/** Where an answer puts records: `data`, `result` and `output` are in the reference, the others are guesses. */
export const wrappers = ['data', 'result', 'output', 'results', 'response', 'task', 'tasks'] as const;

/** Where the reference shows ids without a record around them. */
const ID_FIELDS: ReadonlySet<string> = new Set(['data', 'result']);

/** How deep records are looked for; the reference shows them two levels deep at most. */
const DEEPEST = 6;

const MAX_TASKS = 100;

/** A list of records is read like one that stands in `data`. */
export function toObject(json: Json | undefined): JsonObject | null {
  if (Array.isArray(json)) return { data: json };
  return isObject(json) ? json : null;
}

/** The records that say how the task is, or the body itself: a wrapper may have a status of its own. */
function taskRecords(body: JsonObject): JsonObject[] {
  const records = recordsIn(body, 0);
  return records.length > 0 ? records : [body];
}

function recordsIn(value: Json | undefined, depth: number): JsonObject[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((item) => recordsIn(item, depth + 1));
  if (!isObject(value)) return [];
  const isNamed = toId(value) !== null;
  const status = toText(value['status']);
  // What runs is not done, whatever lies in it.
  if (status !== undefined && (isNamed || (toStatus(status) === 'pending' && statuses.has(status.toLowerCase()))))
    return [value];
  for (const name of wrappers) {
    const inside = recordsIn(value[name], depth + 1);
    const withStatus = inside.filter((record) => toText(record['status']) !== undefined);
    if (withStatus.length > 0) return withStatus;
    if (inside.length > 0 && !isNamed) return inside;
  }
  return status !== undefined || isNamed ? [value] : [];
}

/** A record may have its own id besides the id of its task. Only the task's id can be polled. */
function recordId(record: JsonObject): string | null {
  return asId(record['task_id']) ?? asId(record['id']);
}

function toId(record: JsonObject): string | null {
  return asId(record['id']) ?? asId(record['task_id']);
}

function asId(value: Json | undefined): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const id = value.trim();
  return id === '' || id.length > 300 || /\s|^https?:/i.test(id) ? null : id;
}
