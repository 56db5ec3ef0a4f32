import * as z from 'zod';
import type { Json, JsonObject } from '../../contract/json.ts';
import { isObject, saidIn, textOf } from './answer.ts';

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

/**
 * Words that the reference does not list but that plainly mean done. They count as done, but we still wait for the
 * result's address, so that the word alone ends nothing.
 */
const otherWordsForDone: ReadonlySet<string> = new Set(['completed', 'complete', 'done', 'finished']);

type TaskStatus = 'pending' | 'succeeded' | 'failed' | 'cancelled';

/** What the answer to a task query says (reference, "Task" and "Digital human records"). */
export interface WireTask {
  readonly status: TaskStatus;
  /** The service's own word. */
  readonly remoteStatus: string;
  /** False if the word is not in the reference. Unless it plainly means done, the task then counts as pending. */
  readonly known: boolean;
  /** The progress, in the service's own form: `45%` (reference, "Digital human records"). */
  readonly progress: string | undefined;
  /** Why it failed, if the service says. */
  readonly message: string | undefined;
  readonly code: string | undefined;
}

/** Reads the answer to a task query; null if it contains no status. */
export function readTask(body: Json | undefined): WireTask | null {
  if (!isObject(body)) return null;
  const tasks = taskRecords(body).map((record) => readRecord(record, body));
  // Several records are one take. It is done when all are, and the results of some are kept when others failed.
  return (
    tasks.find((task) => task?.status === 'pending') ??
    tasks.find((task) => task?.status === 'succeeded') ??
    tasks[0] ??
    null
  );
}

function readRecord(task: JsonObject, body: JsonObject): WireTask | null {
  const remoteStatus = textOf(task['status']) ?? textOf(body['status']);
  if (remoteStatus === undefined) return null;
  const said = saidIn(task);
  const saidOutside = task === body ? said : saidIn(body);
  return {
    status: statusOf(remoteStatus),
    remoteStatus,
    known: statuses.has(remoteStatus.toLowerCase()),
    progress: textOf(task['progress'])?.slice(0, 20),
    message: said.message ?? saidOutside.message,
    code: said.code ?? saidOutside.code,
  };
}

function statusOf(remoteStatus: string): TaskStatus {
  const word = remoteStatus.toLowerCase();
  return statuses.get(word) ?? (otherWordsForDone.has(word) ? 'succeeded' : 'pending');
}

/** The records with a result when an answer has several; empty for a single record. */
export function doneRecords(body: JsonObject): JsonObject[] {
  const records = taskRecords(body);
  if (records.length < 2) return [];
  return records.filter((record) => statusOf(textOf(record['status']) ?? '') === 'succeeded');
}

/**
 * The task ids in the answer to a submit, or null. They are in `id` or `task_id`, at the top or inside `data`. Music
 * answers `{ code, message, data }`, where `data` is the id, a record or a list of records (reference, "Music task
 * response"). The job-style response has them in `result`. We follow every record that names a task.
 */
export function readTaskIds(body: Json | undefined): { taskId: string; otherTaskIds?: string[] } | null {
  if (!isObject(body)) return null;
  const own = idOf(body);
  if (own !== null) return { taskId: own };
  const data = body['data'] ?? body['result'];
  if (typeof data === 'string' && isErrorAnswer(body)) return null;
  const ids = (Array.isArray(data) ? data : [data]).map((item) => (isObject(item) ? recordId(item) : asId(item)));
  const [taskId, ...otherTaskIds] = new Set(ids.filter((id) => id !== null));
  if (taskId === undefined) return null;
  return { taskId, ...(otherTaskIds.length > 0 && { otherTaskIds }) };
}

/**
 * True if an answer reports an error in place of a result, whatever its HTTP status. If it has records as well as the
 * error, it contains what was paid for.
 */
export function isErrorAnswer(body: JsonObject): boolean {
  const { error, data } = body;
  if (Array.isArray(data) && data.length > 0) return false;
  if (isObject(error) ? Object.keys(error).length > 0 : textOf(error) !== undefined) return true;
  // Text in `data` is not always an id: `{ code: 'error', data: 'quota exceeded' }`.
  const code = textOf(body['code']);
  return code !== undefined && /err|fail|invalid|denied|exceed/i.test(code);
}

/** True if the answer is a task (reference, "Task") where a result was expected: it says so, or it is not finished. */
export function isTaskRecord(body: JsonObject): boolean {
  return body['object'] === 'task' || statuses.get(textOf(body['status'])?.toLowerCase() ?? '') === 'pending';
}

/** The depth at which records of a list are looked for. The reference does not show the list's shape. */
const LIST_DEPTH = 4;

/**
 * Ids of the tasks in a list that were sent with this `state` (reference, "Job-style family"); null if there is no
 * list.
 */
export function tasksWithState(list: Json | undefined, state: string, depth = 0): string[] | null {
  if (depth > LIST_DEPTH || list === undefined || typeof list !== 'object' || list === null) return null;
  if (isObject(list) && list['state'] === state) {
    const id = idOf(list);
    if (id !== null) return [id];
  }
  const found = Object.values(list).map((item) => tasksWithState(item, state, depth + 1) ?? []);
  return [...new Set(found.flat())];
}

const WireModel = z.looseObject({ id: z.string().min(1), owned_by: z.string().optional().catch(undefined) });
export type WireModel = z.infer<typeof WireModel>;

/** The reference ("Models") does not show the list's wrapper, so we accept each usual one. */
const WireModels = z.union([
  z.array(WireModel),
  z.looseObject({ data: z.array(WireModel) }).transform((list) => list.data),
  z.looseObject({ models: z.array(WireModel) }).transform((list) => list.models),
]);

/** The models in an answer, or null if it is not a list of models. */
export function readModels(body: Json | undefined): WireModel[] | null {
  const read = WireModels.safeParse(body);
  return read.success ? read.data : null;
}

/** The objects that describe the task: the one with the task's id, because a wrapper may have its own status. */
function taskRecords(body: JsonObject): JsonObject[] {
  if (idOf(body) !== null && textOf(body['status']) !== undefined) return [body];
  const { data } = body;
  const records = (Array.isArray(data) ? data : [data]).filter(isObject);
  const withStatus = records.filter((record) => textOf(record['status']) !== undefined);
  return withStatus.length > 0 ? withStatus : [body];
}

/** A record may have its own id besides the id of its task. Only the task's id can be polled. */
function recordId(record: JsonObject): string | null {
  return asId(record['task_id']) ?? asId(record['id']);
}

function idOf(record: JsonObject): string | null {
  return asId(record['id']) ?? asId(record['task_id']);
}

function asId(value: Json | undefined): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const id = value.trim();
  return id === '' || id.length > 300 || /\s|^https?:/i.test(id) ? null : id;
}
