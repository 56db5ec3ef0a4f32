import { musicSpec } from '../../../contract/kinds/music.ts';
import { columnThatSends, extraFieldName } from '../extra-fields.ts';
import { namedMedia } from '../named-media.ts';
import { error, warning } from '../rules.ts';
import type { Finding, KindRules, ShotDraft } from '../rules.ts';

export const musicRules: KindRules = {
  mediaOf: namedMedia(musicSpec, 'address'),
  check: (shot) => [...checkLyrics(shot), ...checkContinuation(shot), ...checkVoice(shot)],
};

/** Service reference, "Generic tasks": music has one text, the prompt; there is no field for lyrics. */
function checkLyrics({ params, prompt }: ShotDraft): Finding[] {
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
  const column = ['instrumental', 'make_instrumental'].find((name) => params[name] === true);
  if (column !== undefined) {
    findings.push(warning(column, 'The row has lyrics and asks for music without voice.', 'Clear one of the two.'));
  }
  return findings;
}

/** What can be continued: a piece of the service, or one that the row brings. */
const continued = ['extend_take', 'audio', 'source_audio'];

function checkContinuation({ params, extra }: ShotDraft): Finding[] {
  if (params.continue_at === undefined || continued.some((name) => params[name] !== undefined)) return [];
  const fields = Object.keys(extra).map((name) => columnThatSends(extraFieldName(name), 'music')?.name);
  if (continued.some((name) => fields.includes(name))) return [];
  const remedy = 'Name the piece in extend_take or audio, or clear this cell.';
  return [error('continue_at', 'The row does not say what to continue.', remedy)];
}

function checkVoice({ params: { instrumental, make_instrumental: make } }: ShotDraft): Finding[] {
  if (instrumental === undefined || make === undefined || instrumental === make) return [];
  const problem = 'The row asks for music with and without voice.';
  return [error('make_instrumental', problem, 'Clear this cell, or instrumental.')];
}
