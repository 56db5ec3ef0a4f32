import { speech } from '../../api/resources/speech.ts';
import { pathIn, type KindDriver } from '../driver.ts';
import { presentFields, withExtraFields } from '../extra-fields.ts';
import { error } from '../rules.ts';

/** Service reference, the speech row of the request shapes. */
export const speechDriver: KindDriver = {
  rules: {
    mediaOf: () => [],
    check: ({ params }) =>
      params.voice === undefined
        ? [error('voice', 'Speech needs a voice.', 'Write the name of a voice that the model has.')]
        : [],
  },
  toRequest: (shot, { settings }) => {
    const { voice, response_format, speed } = shot.params;
    const fields = presentFields({ model: shot.model, input: shot.prompt, voice, response_format, speed });
    return speech.create(withExtraFields(fields, shot), pathIn(settings, 'speech'));
  },
};
