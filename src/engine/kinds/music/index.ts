import type { ShotSpec } from '../../../contract/shot.ts';
import type { Json, JsonObject } from '../../../contract/json.ts';
import { mediumFor } from '../../../contract/kinds/index.ts';
import { isLyrics, musicSpec } from '../../../contract/kinds/music.ts';
import { tasks } from '../../api/resources/requests.ts';
import type { Finding, KindDriver, KindRules, RequestContext, RuleSettings, ShotDraft } from '../rules.ts';
import { error, errorsIn, pathIn, takesNo, warning, when } from '../rules.ts';
import {
  callbackFor,
  columnThatSends,
  extraFieldName,
  presentFields,
  sentText,
  withExtraFields,
} from '../extra-fields.ts';
import { namedMedia, sentAddresses } from '../media-reference.ts';
import { resultsFor, textsIn } from '../results.ts';
import { messageFor } from '../../../contract/messages/message.ts';

const musicRules: KindRules = {
  mediaOf: namedMedia(musicSpec, 'address'),
  check: (shot, { settings }) =>
    isLyrics(shot.params)
      ? checkWriting(shot)
      : [...checkLyrics(shot), ...checkContinuation(shot), ...checkVoice(shot), ...checkStyle(shot, settings)],
};

/** Columns of a row of lyrics. Their request is not shown: these are the fields of music that words may follow from. */
const ofWords: readonly string[] = ['operation', 'style', 'title', 'tags'];

function checkWriting(shot: ShotDraft): Finding[] {
  const others = Object.keys(shot.params).filter((column) => !ofWords.includes(column));
  return errorsIn(shot, others, (column) => takesNo('lyrics', column), messageFor('remedy.clearOrCorrectKind'));
}

/** Service reference, "Generic tasks": music has one text, the prompt; there is no field for lyrics. */
function checkLyrics({ params, prompt }: ShotDraft): Finding[] {
  if (params.lyrics === undefined) return [];
  const voiceless = ['instrumental', 'make_instrumental'].filter((name) => params[name] === true).slice(0, 1);
  return [
    ...when(
      params.custom_mode !== true,
      error('lyrics', messageFor('defect.lyricsNeedCustomMode'), messageFor('remedy.setCustomMode')),
    ),
    ...when(
      prompt !== '',
      error('prompt', messageFor('defect.lyricsReplacePrompt'), messageFor('remedy.promptToStyle')),
    ),
    ...voiceless.map((column) =>
      warning(column, messageFor('defect.lyricsWithoutVoice'), messageFor('remedy.keepOne')),
    ),
  ];
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
  return [error('style', takesNo(entry, 'style'), messageFor('remedy.useTags'))];
}

/** Service reference, "Generic tasks" and the music row of the request shapes. */
export const musicDriver: KindDriver = {
  rules: musicRules,
  toRequest: (shot, context) => {
    const path = pathIn(context.settings, isLyrics(shot.params) ? 'lyricsSubmit' : 'musicSubmit');
    return tasks.create(withExtraFields(musicBody(shot, path, context), shot), path);
  },
  taskPath: (taskId, settings) => tasks.path(taskId, pathIn(settings, 'musicTask')),
  readResult: (answer, sent, { params }) => {
    const texts = isLyrics(params) ? textsIn(answer, lyricsFields) : [];
    return texts.length > 0 ? texts : resultsFor(answer, mediumFor('music', params), { sent });
  },
};

/** Where a record of lyrics may have its text, beside the usual fields of a text: none is shown. */
const lyricsFields = ['lyrics', 'lyric'];

function musicBody(shot: ShotSpec, path: string, { assets, settings }: RequestContext): JsonObject {
  const { params } = shot;
  const [audioUrl] = sentAddresses(params.audio, assets) ?? [];
  const [sourceAudioUrl] = sentAddresses(params.source_audio, assets) ?? [];
  // The generic entry spells it customMode, the music submit operation custom_mode.
  const customMode = path === tasks.GENERIC ? 'customMode' : 'custom_mode';
  return presentFields({
    model: shot.model,
    // The service has no field for lyrics: in custom mode the prompt is what is sung.
    prompt: typeof params.lyrics === 'string' ? params.lyrics : sentText(shot.prompt),
    style: styleFor(path, params),
    title: params.title,
    [customMode]: params.custom_mode,
    instrumental: params.instrumental,
    tags: params.tags,
    make_instrumental: params.make_instrumental,
    mv: params.model_version,
    task_id: params.extend_take,
    continue_at: params.continue_at,
    ...{ audioUrl, sourceAudioUrl },
    callback_url: callbackFor(shot, settings),
  });
}

/** Throws where the music submit operation has no such field; checking the list has excluded that, for its settings. */
function styleFor(path: string, params: ShotSpec['params']): Json | undefined {
  if (params.style === undefined || path === tasks.GENERIC || isLyrics(params)) return params.style;
  throw new Error(`style is no field at ${path}`);
}
