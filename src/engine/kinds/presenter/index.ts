import type { Json } from '../../../contract/json.ts';
import { presenterSpec } from '../../../contract/kinds/presenter.ts';
import { tasks } from '../../api/resources/tasks.ts';
import type { KindDriver, RequestContext } from '../driver.ts';
import { presentFields, withExtraFields } from '../extra-fields.ts';
import { bareAssetId, sentAddress } from '../media-reference.ts';
import { resultsOf, type Place } from '../results.ts';
import { presenterRules } from './rules.ts';

/** Where a digital human task has its result; `data` is not described. */
const ownPlaces: readonly Place[] = [['result_url'], ['data', 'result_url']];

/** Service reference, "Generic tasks" (digital human video). */
export const presenterDriver: KindDriver = {
  rules: presenterRules,
  toRequest: (shot, context) => {
    const { avatar, audio, presenter_name: name, authorization } = shot.params;
    const { authorizationField } = context.settings.assumed;
    const fields = presentFields({
      model: shot.model,
      avatar_asset_id: assetId(avatar, context),
      audio_url: typeof audio === 'string' ? sentAddress(audio, context.assets) : undefined,
      name,
      // The reference shows how it is uploaded, not how a task names it.
      ...(authorizationField !== '' && { [authorizationField]: assetId(authorization, context) }),
    });
    return tasks.create(withExtraFields(fields, shot));
  },
  readResult: (answer, sent) => resultsOf(answer, presenterSpec.medium, { first: ownPlaces, sent }),
};

function assetId(cell: Json | undefined, { assets }: RequestContext): string | undefined {
  return typeof cell === 'string' ? bareAssetId(sentAddress(cell, assets)) : undefined;
}
