import type { Json, JsonObject } from '../../../contract/json.ts';
import { presenterOperation, presenterSpec } from '../../../contract/kinds/presenter.ts';
import type { Params } from '../../../contract/kinds/spec.ts';
import { MadeAsset, type TakeExtras, type TaskFacts } from '../../../contract/take-extras.ts';
import { isObject, textOf } from '../../api/answer.ts';
import { hasNoResult } from '../../api/wire-schemas.ts';
import { bareAssetId } from '../media-reference.ts';

/** The records of voices and avatars: their fields as the reference shows them, those that no other record has first. */
const records: Readonly<Record<string, { readonly own: readonly string[]; readonly others: readonly string[] }>> = {
  voice: { own: ['voice_asset_id', 'voice_id'], others: ['id', 'name', 'language', 'status'] },
  avatar: { own: ['avatar_asset_id'], others: ['id', 'name', 'status', 'created_at'] },
};

/** Limits of what is looked at in one answer, and characters of the `data` that is kept. */
const DEEPEST = 6;
const MOST_OBJECTS = 1000;
const LONGEST_DATA = 100_000;

/**
 * The records that the tasks of a row made, with the fields that the reference shows ("Digital human records"); empty
 * where it makes none, or none can be read. Their place is not shown: `data` of the task is looked through first.
 */
export function recordsIn(answer: Json, params: Params): JsonObject[] {
  const operation = presenterOperation(params);
  const tasks = (Array.isArray(answer) ? answer : [answer]).filter(isObject).map(taskIn);
  return tasks.map((task) => recordOf(task, operation)).filter((record) => record !== null);
}

function recordOf(task: JsonObject, operation: string): JsonObject | null {
  const fields = records[operation];
  if (!fields || hasNoResult(task)) return null;
  const isRecord = (object: JsonObject): boolean => fields.own.some((name) => textOf(object[name]) !== undefined);
  const record = objectsIn(task['data']).find(isRecord) ?? objectsIn(task).find(isRecord) ?? task['data'];
  if (!isObject(record) || (!isRecord(record) && textOf(record['id']) === undefined)) return null;
  const shown = [...fields.own, ...fields.others].filter((name) => typeof record[name] !== 'object' && name in record);
  return Object.fromEntries(shown.map((name) => [name, record[name] as Json]));
}

/** The task itself, which a wrapper may hold in `data`. */
function taskIn(answer: JsonObject): JsonObject {
  const { data } = answer;
  const isWrapper = textOf(answer['task_id']) === undefined && isObject(data) && textOf(data['task_id']) !== undefined;
  return isWrapper ? data : answer;
}

/** Every object in a value, those that lie less deep first. */
function objectsIn(value: Json | undefined): JsonObject[] {
  const found: JsonObject[] = [];
  let level = [value];
  for (let depth = 0; depth <= DEEPEST && found.length < MOST_OBJECTS; depth += 1) {
    const objects = level.filter(isObject);
    found.push(...objects);
    level = [...level.filter(Array.isArray), ...objects].flatMap((each) => Object.values(each)).slice(0, MOST_OBJECTS);
  }
  return found;
}

/** What the service called a task and what it said of it, and the asset that it made; null if nothing. */
export function readTaskExtras(answer: JsonObject, { params }: { readonly params: Params }): TakeExtras | null {
  const { action, data } = taskIn(answer);
  const task: TaskFacts = {
    ...(textOf(action) !== undefined && { action: textOf(action)?.slice(0, 200) }),
    ...(isObject(data) && JSON.stringify(data).length <= LONGEST_DATA && { data }),
  };
  const asset = assetIn(answer, params);
  if (!asset && Object.keys(task).length === 0) return null;
  return { buttons: [], prompts: [], task, ...(asset && { asset }) };
}

function assetIn(answer: JsonObject, params: Params): MadeAsset | undefined {
  const [record] = recordsIn(answer, params);
  const id = textOf(record?.[`${presenterOperation(params)}_asset_id`]);
  const made = { id: bareAssetId(id ?? ''), purpose: presenterSpec.assetOf?.(params), name: textOf(record?.['name']) };
  return MadeAsset.safeParse(made).data;
}
