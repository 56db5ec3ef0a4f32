import { messageFor } from '../../../contract/messages/message.ts';
import { textSpec } from '../../../contract/kinds/text.ts';
import { Messages } from '../chat-message.ts';
import { checkSentTwice, extraFieldName } from '../extra-fields.ts';
import { namedMedia } from '../named-media.ts';
import { error, warning, type Finding, type KindRules, type ShotDraft } from '../rules.ts';
import { fieldsOf } from './fields.ts';

/** Service reference, "Text generation". */
export const textRules: KindRules = {
  mediaOf: namedMedia(textSpec, 'address'),
  check: (shot) => [
    ...checkSentTwice(fieldsOf(shot, { assets: new Map() }), shot.extra),
    ...checkStream(shot),
    ...checkFormat(shot),
    ...checkMessages(shot),
  ],
  schemas: { messages: Messages },
};

/** Its turns have another form there, which no column has. */
function checkMessages({ params }: ShotDraft): Finding[] {
  if (params.messages === undefined || params.route !== 'generate_content') return [];
  const problem = messageFor('defect.entryTakesNo', { entry: 'generate_content', column: 'messages' });
  return [error('messages', problem, messageFor('remedy.otherEntry'))];
}

function checkStream({ extra }: ShotDraft): Finding[] {
  return Object.keys(extra)
    .filter((name) => extraFieldName(name) === 'stream')
    .map((name) => error(`param.${name}`, messageFor('defect.textWhole'), messageFor('remedy.clearCell')));
}

function checkFormat({ params }: ShotDraft): Finding[] {
  if (params.output_format !== 'json' || params.route !== 'messages') return [];
  return [warning('output_format', messageFor('defect.noJsonField'), messageFor('remedy.jsonInPrompt'))];
}
