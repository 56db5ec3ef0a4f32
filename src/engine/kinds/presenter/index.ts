import type { Json, JsonObject } from '../../../contract/json.ts';
import { mediumFor } from '../../../contract/kinds/index.ts';
import { tasks } from '../../api/resources/requests.ts';
import type { Finding, KindDriver, KindRules, ShotDraft } from '../rules.ts';
import { error, needs, promptNotSent, when } from '../rules.ts';
import { presentFields, withExtraFields } from '../extra-fields.ts';
import { bareAssetId, cellsIn, namedMedia, readMediaReference, sentAddresses } from '../media-reference.ts';
import { type JsonPath, resultsFor, valuesAt } from '../results.ts';
import { presenterOperation, presenterSpec } from '../../../contract/kinds/presenter.ts';
import { type Message, messageFor } from '../../../contract/messages/message.ts';
import type { Params } from '../../../contract/kinds/spec.ts';
import { MadeAsset, type TakeExtras, type TaskFacts } from '../../../contract/take.ts';
import { isObject, toText } from '../../api/answer.ts';
import { hasNoResult } from '../../api/wire-schemas.ts';

/** The records of voices and avatars: their fields as the reference shows them, those that no other record has first. */
const records: Readonly<Record<string, { readonly own: readonly string[]; readonly others: readonly string[] }>> = {
  voice: { own: ['voice_asset_id', 'voice_id'], others: ['id', 'name', 'language', 'status'] },
  avatar: { own: ['avatar_asset_id'], others: ['id', 'name', 'status', 'created_at'] },
};

/** Limits of what is looked at in one answer, and characters of the `data` that is kept. */
const DEEPEST = 6;
const MAX_OBJECTS = 1000;
const MAX_DATA = 100_000;

/**
 * The records that the tasks of a row made, with the fields that the reference shows ("Digital human records"); empty
 * where it makes none, or none can be read. Their place is not shown: `data` of the task is looked through first.
 */
function recordsIn(answer: Json, params: Params): JsonObject[] {
  const operation = presenterOperation(params);
  const tasks = (Array.isArray(answer) ? answer : [answer]).filter(isObject).map(taskIn);
  return tasks.map((task) => recordFor(task, operation)).filter((record) => record !== null);
}

function recordFor(task: JsonObject, operation: string): JsonObject | null {
  const fields = records[operation];
  if (!fields || hasNoResult(task)) return null;
  const isRecord = (object: JsonObject): boolean => fields.own.some((name) => toText(object[name]) !== undefined);
  const record = objectsIn(task['data']).find(isRecord) ?? objectsIn(task).find(isRecord) ?? task['data'];
  if (!isObject(record) || (!isRecord(record) && toText(record['id']) === undefined)) return null;
  const shown = [...fields.own, ...fields.others].filter((name) => typeof record[name] !== 'object' && name in record);
  return Object.fromEntries(shown.map((name) => [name, record[name] as Json]));
}

function taskIn(answer: JsonObject): JsonObject {
  const { data } = answer;
  const isWrapper = toText(answer['task_id']) === undefined && isObject(data) && toText(data['task_id']) !== undefined;
  return isWrapper ? data : answer;
}

function objectsIn(value: Json | undefined): JsonObject[] {
  const found: JsonObject[] = [];
  let level = [value];
  for (let depth = 0; depth <= DEEPEST && found.length < MAX_OBJECTS; depth += 1) {
    const objects = level.filter(isObject);
    found.push(...objects);
    level = [...level.filter(Array.isArray), ...objects].flatMap((each) => Object.values(each)).slice(0, MAX_OBJECTS);
  }
  return found;
}

/** What the service called a task and what it said of it, and the asset that it made; null if nothing. */
export function readTaskExtras(answer: JsonObject, { params }: { readonly params: Params }): TakeExtras | null {
  const { action, data } = taskIn(answer);
  const task: TaskFacts = {
    ...(toText(action) !== undefined && { action: toText(action)?.slice(0, 200) }),
    ...(isObject(data) && JSON.stringify(data).length <= MAX_DATA && { data }),
  };
  const asset = assetIn(answer, params);
  if (!asset && Object.keys(task).length === 0) return null;
  return { buttons: [], prompts: [], task, ...(asset && { asset }) };
}

function assetIn(answer: JsonObject, params: Params): MadeAsset | undefined {
  const [record] = recordsIn(answer, params);
  const id = toText(record?.[`${presenterOperation(params)}_asset_id`]);
  const made = { id: bareAssetId(id ?? ''), purpose: presenterSpec.assetOf?.(params), name: toText(record?.['name']) };
  return MadeAsset.safeParse(made).data;
}

/** Columns whose media are assets of one purpose each (reference, "Assets and groups"). */
const assetColumns = presenterSpec.parameters.flatMap((each) =>
  each.type === 'media' && each.purpose !== undefined ? [each.name] : [],
);

/** What a video is made of. The reference shows no field that another operation needs. */
const needed: Readonly<Record<string, Message>> = {
  avatar: messageFor('remedy.nameAvatar'),
  audio: messageFor('remedy.giveMedia'),
};

/** Service reference, "Generic tasks" and "Digital human records". */
const presenterRules: KindRules = {
  mediaOf: namedMedia(presenterSpec, 'address'),
  check: (shot) => [
    ...(presenterOperation(shot.params) === 'video' ? checkNeeded(shot) : []),
    ...assetColumns.flatMap((column) => checkAsset(shot, column)),
    ...checkOneFileForTwo(shot),
    ...when(shot.prompt !== '', promptNotSent(messageFor('kind.presenter'))),
  ],
};

const checkNeeded = ({ params }: ShotDraft): Finding[] =>
  Object.entries(needed)
    .filter(([column]) => params[column] === undefined)
    .map(([column, remedy]) => error(column, needs(messageFor('kind.presenter'), column), remedy));

function checkAsset({ params }: ShotDraft, column: string): Finding[] {
  const isUrl = cellsIn(params[column]).some((cell) => readMediaReference(cell).at === 'url');
  return when(isUrl, error(column, messageFor('defect.onlyAsset'), messageFor('remedy.uploadIt')));
}

function checkOneFileForTwo({ params }: ShotDraft): Finding[] {
  return assetColumns.flatMap((column, place) => {
    const other = assetColumns
      .slice(0, place)
      .find((each) => params[each] !== undefined && params[each] === params[column]);
    if (other === undefined) return [];
    return [error(column, messageFor('defect.sameFileAs', { column: other }), messageFor('remedy.giveOtherFile'))];
  });
}

/** Where a digital human task has its result; `data` is not described. */
const ownPlaces: readonly JsonPath[] = [['result_url'], ['data', 'result_url']];

/**
 * Service reference, "Generic tasks": the model decides what a task makes. Fields are shown for video alone; other tasks
 * get the same ones where their row has them.
 */
export const presenterDriver: KindDriver = {
  rules: presenterRules,
  toRequest: (shot, context) => {
    const { avatar, voice_asset: voice, audio, presenter_name: name, authorization } = shot.params;
    const { authorizationField, voiceField } = context.settings.assumed;
    const address = (cell: Json | undefined) => sentAddresses(cell, context.assets)?.[0];
    const id = (cell: Json | undefined) => sentAddresses(cell, context.assets)?.map(bareAssetId)[0];
    const fields = presentFields({
      ...{ model: shot.model, avatar_asset_id: id(avatar), audio_url: address(audio), name },
      // The reference shows how these two are uploaded, not how a task names them.
      ...(voiceField !== '' && { [voiceField]: id(voice) }),
      ...(authorizationField !== '' && { [authorizationField]: id(authorization) }),
    });
    return tasks.create(withExtraFields(fields, shot));
  },
  readExtras: readTaskExtras,
  readResult: (answer, sent, { params }) => {
    const medium = mediumFor('presenter', params);
    const records = recordsIn(answer, params).map((record) => ({ content: () => textFor(record) }));
    if (records.length === 0) return resultsFor(answer, medium, { first: ownPlaces, sent });
    return [...records, ...resultsFor(shownBeside(answer), medium, { sent })];
  },
};

function shownBeside(answer: Json): Json[] {
  const tasks = Array.isArray(answer) ? answer : [answer];
  return tasks.flatMap((task) => ownPlaces.flatMap((place) => valuesAt(task, place)).slice(0, 1));
}

const textFor = (record: JsonObject): Buffer => Buffer.from(`${JSON.stringify(record, null, 2)}\n`);
