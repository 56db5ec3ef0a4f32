import * as z from 'zod';
import type { Json, JsonObject } from '../../contract/json.ts';
import { isObject, saidIn, textOf } from './answer.ts';

/**
 * Shapes of the service, read tolerantly: what we need is looked for in every place the reference names, everything
 * else is let through. Tasks are read by hand, since one is read at every poll; lists that are read once use zod.
 */

/** The reference's words ("States and transitions"), those of digital human tasks among them. */
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
 * Words that no table of the reference has and that say plainly that a task is done. Followed as such: the result's
 * address is still waited for, so that a word alone ends nothing.
 */
const otherWordsForDone: ReadonlySet<string> = new Set(['completed', 'complete', 'done', 'finished']);

type TaskStatus = 'pending' | 'succeeded' | 'failed' | 'cancelled';

/** What a task query says about its task (reference, "Task" and "Digital human records"). */
export interface WireTask {
  readonly status: TaskStatus;
  /** The service's own word. */
  readonly remoteStatus: string;
  /** False when the word is not in the reference; unless it plainly says done, the task then counts as pending. */
  readonly known: boolean;
  /** How far it is, as the service writes it: `45%` (reference, "Digital human records"). */
  readonly progress: string | undefined;
  /** Why it failed, where it says so. */
  readonly message: string | undefined;
  readonly code: string | undefined;
}

/** Reads a task query's answer, or null when it names no status. */
export function readTask(body: Json | undefined): WireTask | null {
  if (!isObject(body)) return null;
  const tasks = taskRecords(body).map((record) => readRecord(record, body));
  // Several records are one take: it is done when all are, and what one of them brought is kept when another failed.
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

/** The records of an answer that brought something; empty when it is a single one. */
export function doneRecords(body: JsonObject): JsonObject[] {
  const records = taskRecords(body);
  if (records.length < 2) return [];
  return records.filter((record) => statusOf(textOf(record['status']) ?? '') === 'succeeded');
}

/**
 * The task ids in the answer to a submit, or null. They are in `id` or `task_id`, at the top or inside `data`; music
 * answers `{ code, message, data }` with `data` the id itself, a record, or a list of records (reference, "Music
 * task response"). The job-style response has them in `result`. Each record that names a task of its own is a task to follow.
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
 * True for an answer that reports an error in place of a result, whatever its HTTP status. One that brings records
 * beside the error has brought what was paid for.
 */
export function isErrorAnswer(body: JsonObject): boolean {
  const { error, data } = body;
  if (Array.isArray(data) && data.length > 0) return false;
  if (isObject(error) ? Object.keys(error).length > 0 : textOf(error) !== undefined) return true;
  // Not an id though it is text: `{ code: 'error', data: 'quota exceeded' }`.
  const code = textOf(body['code']);
  return code !== undefined && /err|fail|invalid|denied|exceed/i.test(code);
}

/** True for a task (reference, "Task") where a result was expected: one that says so, or that is not finished. */
export function isTaskRecord(body: JsonObject): boolean {
  return body['object'] === 'task' || statuses.get(textOf(body['status'])?.toLowerCase() ?? '') === 'pending';
}

/** Levels of wrappers around the records of a list; its shape is not shown. */
const LIST_DEPTH = 4;

/** Ids of the tasks in a list that were sent with this `state` (reference, "Job-style family"); null where nothing is a list. */
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

/** The list's wrapper is not shown in the reference ("Models"): each usual one is read. */
const WireModels = z.union([
  z.array(WireModel),
  z.looseObject({ data: z.array(WireModel) }).transform((list) => list.data),
  z.looseObject({ models: z.array(WireModel) }).transform((list) => list.models),
]);

/** The models of a list answer, or null when it is no list of models. */
export function readModels(body: Json | undefined): WireModel[] | null {
  const read = WireModels.safeParse(body);
  return read.success ? read.data : null;
}

/** The objects that describe the task: the one with the task's id, since a wrapper may have a status of its own. */
function taskRecords(body: JsonObject): JsonObject[] {
  if (idOf(body) !== null && textOf(body['status']) !== undefined) return [body];
  const { data } = body;
  const records = (Array.isArray(data) ? data : [data]).filter(isObject);
  const withStatus = records.filter((record) => textOf(record['status']) !== undefined);
  return withStatus.length > 0 ? withStatus : [body];
}

/** A record of a list may have an id of its own besides that of its task, which is what can be asked about. */
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
