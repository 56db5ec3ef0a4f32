import type { JsonObject } from '../../../contract/json.ts';
import { textSpec } from '../../../contract/kinds/text.ts';
import type { ShotSpec } from '../../../contract/shot.ts';
import { messages, responses } from '../../api/resources/set-paths.ts';
import { chat } from '../../api/resources/text.ts';
import { pathIn, type KindDriver } from '../driver.ts';
import { presentFields, withExtraFields } from '../extra-fields.ts';
import { generateContent, picturePart, textPart } from '../generate-content.ts';
import { resultsOf } from '../results.ts';
import { textsIn } from './read-text.ts';
import { textRules } from './rules.ts';
import { fieldsOf, pictureCells } from './fields.ts';

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
