import { musicSpec } from '../../../contract/kinds/music.ts';
import { namedMedia } from '../named-media.ts';
import { error, warning } from '../rules.ts';
import type { Finding, KindRules } from '../rules.ts';

/** Service reference, "Generic tasks": music has one text, the prompt; there is no field for lyrics. */
export const musicRules: KindRules = {
  mediaOf: namedMedia(musicSpec, 'address'),
  check: ({ params, prompt }) => {
    if (params.lyrics === undefined) return [];
    const findings: Finding[] = [];
    if (params.custom_mode !== true) {
      const remedy = 'Set custom_mode to TRUE, or move the text to the prompt.';
      findings.push(error('lyrics', 'Lyrics are sung only in custom mode.', remedy));
    }
    if (prompt !== '') {
      const problem = 'The service takes one text: lyrics are sent as the prompt, so this prompt would be lost.';
      findings.push(error('prompt', problem, 'Move the description to style and clear this cell.'));
    }
    if (params.instrumental === true) {
      findings.push(
        warning('instrumental', 'The row has lyrics and asks for music without voice.', 'Clear one of the two.'),
      );
    }
    return findings;
  },
};
