import { jsonRequest } from '../../../src/engine/api/resources/requests.ts';
import { type KindDriver, pathIn } from '../../../src/engine/kinds/rules.ts';
import { presentFields, sentText, withExtraFields } from '../../../src/engine/kinds/extra-fields.ts';

/** How it speaks with the service: `src/engine/kinds/effect/index.ts`, were it a kind of the product. */
export const effectDriver: KindDriver = {
  rules: { mediaOf: () => [], check: () => [] },
  toRequest: (shot, { settings }) => {
    const { length: seconds, surface } = shot.params;
    const fields = presentFields({ model: shot.model, input: sentText(shot.prompt), seconds, surface });
    return jsonRequest('effects.create', pathIn(settings, 'effectSubmit'), 'bytes', withExtraFields(fields, shot));
  },
};
