import { messageFor } from '../../../contract/messages/message.ts';
import { checkSentTwice, extraFieldName } from '../extra-fields.ts';
import { error, warning, type Finding, type KindRules, type ShotDraft } from '../rules.ts';
import { fieldsOf } from './fields.ts';

/** Service reference, "Text generation". */
export const textRules: KindRules = {
  mediaOf: () => [],
  check: (shot) => [...checkSentTwice(fieldsOf(shot), shot.extra), ...checkStream(shot), ...checkFormat(shot)],
};

function checkStream({ extra }: ShotDraft): Finding[] {
  return Object.keys(extra)
    .filter((name) => extraFieldName(name) === 'stream')
    .map((name) => error(`param.${name}`, messageFor('defect.textWhole'), messageFor('remedy.clearCell')));
}

function checkFormat({ params }: ShotDraft): Finding[] {
  if (params.output_format !== 'json' || params.route !== 'messages') return [];
  return [warning('output_format', messageFor('defect.noJsonField'), messageFor('remedy.jsonInPrompt'))];
}
