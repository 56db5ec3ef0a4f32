import type { Json, JsonObject } from '../../../contract/json.ts';
import { mediumOf } from '../../../contract/kinds/index.ts';
import { tasks } from '../../api/resources/tasks.ts';
import type { KindDriver, RequestContext } from '../driver.ts';
import { presentFields, withExtraFields } from '../extra-fields.ts';
import { bareAssetId, sentAddress } from '../media-reference.ts';
import { resultsOf, valuesAt, type Place } from '../results.ts';
import { readTaskExtras, recordsIn } from './records.ts';
import { presenterRules } from './rules.ts';

/** Where a digital human task has its result; `data` is not described. */
const ownPlaces: readonly Place[] = [['result_url'], ['data', 'result_url']];

/**
 * Service reference, "Generic tasks": the model decides what a task makes. Fields are shown for video alone; other tasks
 * get the same ones where their row has them.
 */
export const presenterDriver: KindDriver = {
  rules: presenterRules,
  toRequest: (shot, context) => {
    const { avatar, voice_asset: voice, audio, presenter_name: name, authorization } = shot.params;
    const { authorizationField, voiceField } = context.settings.assumed;
    const fields = presentFields({
      model: shot.model,
      avatar_asset_id: assetId(avatar, context),
      audio_url: typeof audio === 'string' ? sentAddress(audio, context.assets) : undefined,
      name,
      // The reference shows how these two are uploaded, not how a task names them.
      ...(voiceField !== '' && { [voiceField]: assetId(voice, context) }),
      ...(authorizationField !== '' && { [authorizationField]: assetId(authorization, context) }),
    });
    return tasks.create(withExtraFields(fields, shot));
  },
  readExtras: readTaskExtras,
  readResult: (answer, sent, { params }) => {
    const medium = mediumOf('presenter', params);
    const records = recordsIn(answer, params).map((record) => ({ content: () => textFor(record) }));
    if (records.length === 0) return resultsOf(answer, medium, { first: ownPlaces, sent });
    return [...records, ...resultsOf(shownBeside(answer), medium, { sent })];
  },
};

/** What tasks show as their results beside the records that they made. */
function shownBeside(answer: Json): Json[] {
  const tasks = Array.isArray(answer) ? answer : [answer];
  return tasks.flatMap((task) => ownPlaces.flatMap((place) => valuesAt(task, place)).slice(0, 1));
}

const textFor = (record: JsonObject): Buffer => Buffer.from(`${JSON.stringify(record, null, 2)}\n`);

function assetId(cell: Json | undefined, { assets }: RequestContext): string | undefined {
  return typeof cell === 'string' ? bareAssetId(sentAddress(cell, assets)) : undefined;
}
