import type { JsonObject } from '../../../contract/json.ts';
import { textSpec } from '../../../contract/kinds/text.ts';
import type { ShotSpec } from '../../../contract/shot.ts';
import { messages, responses } from '../../api/resources/set-paths.ts';
import { chat } from '../../api/resources/text.ts';
import { type KindDriver, pathIn } from '../driver.ts';
import { checkSentTwice, extraFieldName, presentFields, withExtraFields } from '../extra-fields.ts';
import { generateContent, picturePart, textPart } from '../generate-content.ts';
import { resultsOf } from '../results.ts';
import { textsIn } from './read-text.ts';
import { fieldsOf, pictureCells } from './fields.ts';
import { messageFor } from '../../../contract/messages/message.ts';
import { Messages } from '../chat-message.ts';
import { namedMedia } from '../named-media.ts';
import { error, type Finding, type KindRules, type ShotDraft, warning } from '../rules.ts';

/** Service reference, "Text generation". */
const textRules: KindRules = {
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

/** Service reference, "Text generation". The result is in the answer. */
export const textDriver: KindDriver = {
  rules: textRules,
  toRequest: (shot, context) => {
    const { settings, assets } = context;
    const fields = fieldsOf(shot, context);
    switch (shot.params.route) {
      case 'generate_content':
        return generateContent(
          shot,
          [...pictureCells(shot.params).map((cell) => picturePart(cell, assets)), textPart(shot.prompt)],
          fields,
        );
      case 'responses':
        return responses.create(bodyOf(shot, fields), pathIn(settings, 'responses'));
      case 'messages':
        return messages.create(bodyOf(shot, fields), pathIn(settings, 'messages'));
      default:
        return chat.create(bodyOf(shot, fields));
    }
  },
  readResult: (answer, sent) => {
    const texts = textsIn(answer);
    return texts.length > 0 ? texts : resultsOf(answer, textSpec.medium, { sent });
  },
};

const bodyOf = (shot: ShotSpec, fields: JsonObject): JsonObject =>
  withExtraFields(presentFields({ model: shot.model, ...fields }), shot);
