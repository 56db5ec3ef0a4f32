import type { ShotSpec } from '../../../contract/shot.ts';
import type { Json, JsonObject } from '../../../contract/json.ts';
import { mediumOf } from '../../../contract/kinds/index.ts';
import { isLyrics } from '../../../contract/kinds/music.ts';
import { tasks } from '../../api/resources/tasks.ts';
import { pathIn, type KindDriver, type RequestContext } from '../driver.ts';
import { callbackOf, presentFields, sentText, withExtraFields } from '../extra-fields.ts';
import { sentAddress } from '../media-reference.ts';
import { resultsOf } from '../results.ts';
import { textsIn } from '../text/read-text.ts';
import { musicRules } from './rules.ts';

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
    return texts.length > 0 ? texts : resultsOf(answer, mediumOf('music', params), { sent });
  },
};

/** Where a record of lyrics may have its text, beside the usual fields of a text: none is shown. */
const lyricsFields = ['lyrics', 'lyric'];

function musicBody(shot: ShotSpec, path: string, { assets, settings }: RequestContext): JsonObject {
  const { params } = shot;
  const address = (cell: Json | undefined) => (typeof cell === 'string' ? sentAddress(cell, assets) : undefined);
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
    audioUrl: address(params.audio),
    sourceAudioUrl: address(params.source_audio),
    callback_url: callbackOf(shot, settings),
  });
}

/** Throws where the music submit operation has no such field; checking the list has excluded that, for its settings. */
function styleFor(path: string, params: ShotSpec['params']): Json | undefined {
  if (params.style === undefined || path === tasks.GENERIC || isLyrics(params)) return params.style;
  throw new Error(`style is no field at ${path}`);
}
