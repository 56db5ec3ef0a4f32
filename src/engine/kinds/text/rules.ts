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
    .map((name) => error(`param.${name}`, 'A text comes whole here, never in pieces.', 'Clear this cell.'));
}

function checkFormat({ params }: ShotDraft): Finding[] {
  if (params.output_format !== 'json' || params.route !== 'messages') return [];
  const problem = 'The route messages has no field that asks for JSON.';
  return [warning('output_format', problem, 'Ask for JSON in the prompt, or choose another route.')];
}
