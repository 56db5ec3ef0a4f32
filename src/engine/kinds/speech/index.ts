import { messageFor } from '../../../contract/messages/message.ts';
import { speech } from '../../api/resources/requests.ts';
import { error, type KindDriver, needs, pathIn } from '../rules.ts';
import { presentFields, withExtraFields } from '../extra-fields.ts';

/** Service reference, the speech row of the request shapes. */
export const speechDriver: KindDriver = {
  rules: {
    mediaOf: () => [],
    check: ({ params }) =>
      params.voice === undefined
        ? [error('voice', needs(messageFor('kind.speech'), 'voice'), messageFor('remedy.nameVoice'))]
        : [],
  },
  toRequest: (shot, { settings }) => {
    const { voice, response_format, speed } = shot.params;
    const fields = presentFields({ model: shot.model, input: shot.prompt, voice, response_format, speed });
    return speech.create(withExtraFields(fields, shot), pathIn(settings, 'speech'));
  },
};
