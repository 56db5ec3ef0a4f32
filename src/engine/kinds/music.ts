import type { ShotSpec } from '../../contract/shot.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { KindDriver, RequestContext } from './driver.ts';
import { presentFields, sentText, withExtraFields } from './extra-fields.ts';
import { filledTaskPath, latePlaces, listPlaces, resultUrls, singlePlaces } from './results.ts';
import type { Place } from './results.ts';

/** Fields of a music task record are not shown; these are the names audio goes by in the rest of the reference. */
const audioPlaces: readonly Place[] = [
  ['output', '*', 'audio_url'],
  ['data', '*', 'audio_url'],
  ['data', 'data', '*', 'audio_url'],
  ['data', 'audio_url'],
  ['audio_url'],
];

const GENERIC_TASKS = '/v1/tasks';

/** Service reference, "Generic tasks" and the music row of the request shapes. */
export const musicDriver: KindDriver = {
  kind: 'music',
  toRequest: (shot, context) => ({
    operation: 'tasks.create',
    method: 'POST',
    path: context.settings.paths.musicSubmit,
    encoding: 'json',
    body: withExtraFields(musicBody(shot, context), shot),
    files: [],
    answers: 'task',
  }),
  fallback: () => null,
  taskPath: (taskId, settings) => filledTaskPath(settings.paths.musicTask, taskId),
  readResult: (answer) => resultUrls(answer, 'audio', [...listPlaces, ...audioPlaces, ...singlePlaces, ...latePlaces]),
};

function musicBody(shot: ShotSpec, context: RequestContext): JsonObject {
  const { params } = shot;
  // The generic entry spells it customMode, the music submit operation custom_mode.
  const customMode = context.settings.paths.musicSubmit === GENERIC_TASKS ? 'customMode' : 'custom_mode';
  return presentFields({
    model: shot.model,
    // The service has no field for lyrics: in custom mode the prompt is what is sung.
    prompt: typeof params.lyrics === 'string' ? params.lyrics : sentText(shot.prompt),
    style: params.style,
    title: params.title,
    [customMode]: params.custom_mode,
    instrumental: params.instrumental,
    tags: params.tags,
  });
}
