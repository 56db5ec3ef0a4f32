import { tasks } from '../../api/resources/tasks.ts';
import { isLyrics, musicSpec } from '../../../contract/kinds/music.ts';
import { messageFor } from '../../../contract/messages/message.ts';
import { columnThatSends, extraFieldName } from '../extra-fields.ts';
import { namedMedia } from '../named-media.ts';
import { error, takesNo, warning } from '../rules.ts';
import type { Finding, KindRules, RuleSettings, ShotDraft } from '../rules.ts';

export const musicRules: KindRules = {
  mediaOf: namedMedia(musicSpec, 'address'),
  check: (shot, { settings }) =>
    isLyrics(shot.params)
      ? checkWriting(shot)
      : [...checkLyrics(shot), ...checkContinuation(shot), ...checkVoice(shot), ...checkStyle(shot, settings)],
};

/** Columns of a row of lyrics. Their request is not shown: these are the fields of music that words may follow from. */
const ofWords: readonly string[] = ['operation', 'style', 'title', 'tags'];

function checkWriting({ params }: ShotDraft): Finding[] {
  return Object.keys(params)
    .filter((column) => !ofWords.includes(column))
    .map((column) => error(column, takesNo('lyrics', column), messageFor('remedy.clearOrCorrectOperation')));
}

/** Service reference, "Generic tasks": music has one text, the prompt; there is no field for lyrics. */
function checkLyrics({ params, prompt }: ShotDraft): Finding[] {
  if (params.lyrics === undefined) return [];
  const findings: Finding[] = [];
  if (params.custom_mode !== true) {
    findings.push(error('lyrics', messageFor('defect.lyricsNeedCustomMode'), messageFor('remedy.setCustomMode')));
  }
  if (prompt !== '') {
    findings.push(error('prompt', messageFor('defect.lyricsReplacePrompt'), messageFor('remedy.promptToStyle')));
  }
  const column = ['instrumental', 'make_instrumental'].find((name) => params[name] === true);
  if (column !== undefined) {
    findings.push(warning(column, messageFor('defect.lyricsWithoutVoice'), messageFor('remedy.clearOneCell')));
  }
  return findings;
}

/** Columns that name the piece to continue: one of the service, or a file of the row. */
const continued = ['extend_take', 'audio', 'source_audio'];

function checkContinuation({ params, extra }: ShotDraft): Finding[] {
  if (params.continue_at === undefined || continued.some((name) => params[name] !== undefined)) return [];
  const fields = Object.keys(extra).map((name) => columnThatSends(extraFieldName(name), 'music')?.name);
  if (continued.some((name) => fields.includes(name))) return [];
  return [error('continue_at', messageFor('defect.continuesNothing'), messageFor('remedy.nameContinued'))];
}

function checkVoice({ params: { instrumental, make_instrumental: make } }: ShotDraft): Finding[] {
  if (instrumental === undefined || make === undefined || instrumental === make) return [];
  const remedy = messageFor('remedy.clearCellOrColumn', { column: 'instrumental' });
  return [error('make_instrumental', messageFor('defect.voiceTwice'), remedy)];
}

/** Service reference: `style` is a field of the generic entry, and `tags` one of the music submit operation. */
function checkStyle({ params }: ShotDraft, { paths }: RuleSettings): Finding[] {
  const { musicSubmit: entry = '' } = paths;
  if (params.style === undefined || entry === tasks.GENERIC) return [];
  return [error('style', messageFor('defect.entryTakesNo', { entry, column: 'style' }), messageFor('remedy.useTags'))];
}
