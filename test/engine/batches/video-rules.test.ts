import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { DEMO_MODELS } from '../../../src/demo/models.ts';
import { lineFor } from '../../../src/engine/models/index.ts';
import { check, errorsOf } from './support.ts';

const [one, two] = ['https://a.example/1', 'https://a.example/2'];

/** What is wrong with a row of video, as `column: problem`. */
async function errors(cells: Record<string, string>): Promise<string[]> {
  const { defects } = await check(Papa.unparse([{ kind: 'video', model: 'm', prompt: 'p', ...cells }]));
  return errorsOf(defects).map(({ column, problem }) => `${column}: ${problem}`);
}

it.each([
  ['as many voices as images', { reference_images: `${one};${two}`, reference_voices: `${one};${two}` }, []],
  ['fewer voices than images', { reference_images: `${one};${two}`, reference_voice: one }, []],
  [
    'voices without images',
    { reference_voices: one },
    ['reference_voices: The row has more reference voices (1) than reference images (0).'],
  ],
  ['an input reference', { input_reference: one, input_reference_role: 'last_frame' }, []],
  [
    'a role without its image',
    { input_reference_role: 'last_frame' },
    ['input_reference_role: The row has no input reference that could have this role.'],
  ],
  [
    'an input reference as a frame beside reference images',
    { reference_images: two, input_reference: one, input_reference_role: 'first_frame' },
    ['reference_images: Reference images cannot be combined with a first or last frame.'],
  ],
  [
    'an input reference as a frame beside a source image',
    { image: two, input_reference: one, input_reference_role: 'first_frame' },
    ['image: The source image and the first frame both define how the video starts.'],
  ],
  ['frames', { frames: '120' }, []],
  [
    'frames with a duration',
    { frames: '120', duration: '5' },
    ['duration: A duration is not sent together with frames.'],
  ],
  [
    'frames on the compatible route',
    { frames: '120', route: 'compatible' },
    ['frames: The compatible video route has no field frames.'],
  ],
  ['further videos on the compatible route', { videos: one, route: 'compatible' }, []],
])('a row of video is checked by what the reference says: %s', async (_what, cells, expected) => {
  expect(await errors(cells)).toEqual(expected);
});

it.each(DEMO_MODELS.filter(({ kind }) => kind === 'video'))(
  'the list and the demo service agree on the durations of $id',
  ({ id, seconds }) => {
    const { min, max } = lineFor(id)?.duration ?? {};
    expect({ min, max }).toEqual({ min: seconds?.min, max: seconds?.max });
  },
);
