import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { Settings } from '../../../src/contract/settings.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { DEMO_MODELS } from '../../../src/demo/models.ts';
import { estimate } from '../../../src/engine/batches/price.ts';
import { driverFor, rulesFor, taskPathFor } from '../../../src/engine/kinds/index.ts';
import { lineFor } from '../../../src/engine/models/index.ts';
import { check, errorsOf } from '../batches/support.ts';
import { contextOf, shotOf } from './support.ts';

const driver = driverFor('video');
const compatible = { videoRoute: 'compatible' };

const everything = shotOf({
  kind: 'video',
  model: 'vgen-2.0-cl',
  prompt: '@hero walks',
  params: {
    watermark: false,
    generate_audio: true,
    size: '720p',
    aspect_ratio: '16:9',
    duration: 5,
    references: [{ alias: 'hero', url: 'Asset://9', role: 'reference_image', media_type: 'image' }],
    audio: 'https://a.example/a.mp3',
    reference_videos: ['Asset://7', 'refs/b.mp4'],
    video: 'asset://5',
    reference_images: ['https://a.example/1.png', 'https://a.example/2.png'],
    mode: 'std',
  },
  extra: { seed: '007', 'camera:json': '{"move":"dolly"}' },
});

describe('a video on the recommended route', () => {
  it('sends each column under the name of the reference, in a fixed order', () => {
    const assets = new Map([['refs/b.mp4', 'Asset://77']]);
    const request = driver.toRequest(everything, contextOf({ assets }));
    expect(request).toEqual({
      operation: 'videos.create',
      method: 'POST',
      path: '/v1/videos',
      encoding: 'json',
      body: expect.anything() as unknown,
      files: [],
      answers: 'task',
    });
    expect(JSON.stringify(request.body)).toBe(
      '{"model":"vgen-2.0-cl","prompt":"@hero walks","mode":"std",' +
        '"reference_image_urls":["https://a.example/1.png","https://a.example/2.png"],"video_url":"Asset://5",' +
        '"reference_video_urls":["Asset://7","Asset://77"],"audio_url":"https://a.example/a.mp3",' +
        '"references":[{"media_type":"image","role":"reference_image","url":"Asset://9","alias":"hero"}],' +
        '"duration":5,"aspect_ratio":"16:9","size":"720p","generate_audio":true,"watermark":false,' +
        '"camera":{"move":"dolly"},"seed":"007"}',
    );
  });

  it('sends frames, the source image and avatars as their fields', () => {
    const params = {
      image: 'https://a.example/1.png',
      first_frame: 'https://a.example/2.png',
      last_frame: 'https://a.example/3.png',
      image_source_mode: 'direct_url',
      avatar_asset_ids: ['11', '12'],
    };
    expect(driver.toRequest(shotOf({ kind: 'video', params }), contextOf()).body).toEqual({
      model: 'm',
      prompt: 'p',
      image: 'https://a.example/1.png',
      first_frame_url: 'https://a.example/2.png',
      last_frame_url: 'https://a.example/3.png',
      image_source_mode: 'direct_url',
      avatar_asset_ids: ['11', '12'],
    });
  });

  it('binds a voice to the reference image at its place', () => {
    const params = {
      reference_images: ['https://a.example/1.png', 'https://a.example/2.png'],
      reference_voices: ['v.wav'],
    };
    const context = contextOf({ assets: new Map([['v.wav', 'Asset://v']]) });
    expect(driver.toRequest(shotOf({ kind: 'video', params }), context).body).toEqual({
      model: 'm',
      prompt: 'p',
      images: [
        { url: 'https://a.example/1.png', role: 'reference_image', reference_voice: 'Asset://v' },
        { url: 'https://a.example/2.png', role: 'reference_image' },
      ],
    });
  });

  it('sends frames, an input reference with its role, and further videos under their own names', () => {
    const params = {
      ...{ frames: 120, input_reference: 'asset://1', input_reference_role: 'first_frame' },
      videos: ['Asset://2', 'https://a.example/3.mp4'],
    };
    expect(driver.toRequest(shotOf({ kind: 'video', params }), contextOf()).body).toEqual({
      ...{ model: 'm', prompt: 'p', frames: 120, input_reference: 'Asset://1', input_reference_role: 'first_frame' },
      videos: ['Asset://2', 'https://a.example/3.mp4'],
    });
  });

  it.each([
    ['v1', undefined, '/v1/videos'],
    ['compatible', undefined, '/api/v3/contents/generations/tasks'],
    ['v1', 'compatible', '/api/v3/contents/generations/tasks'],
    ['compatible', 'v1', '/v1/videos'],
  ])('goes to the route of its row before that of the settings: %s, %s', (videoRoute, route, path) => {
    const shot = shotOf({ kind: 'video', params: route === undefined ? {} : { route } });
    const request = driver.toRequest(shot, contextOf({}, { videoRoute }));
    expect(request.path).toBe(path);
    expect(request.body).not.toHaveProperty('route');
  });

  it('sends only what the shot names', () => {
    expect(driver.toRequest(shotOf({ kind: 'video' }), contextOf()).body).toEqual({ model: 'm', prompt: 'p' });
  });

  it('sends a fraction of a second only where the settings say how', () => {
    const at = (duration: number, fractionalSeconds?: string) => {
      const context = contextOf({}, { assumed: { fractionalSeconds } });
      return driver.toRequest(shotOf({ kind: 'video', params: { duration } }), context).body.duration;
    };
    expect([at(5), at(-1), at(4.5, 'text'), at(4.5, 'number')]).toEqual([5, -1, '4.5', 4.5]);
    expect(() => at(4.5)).toThrow(/not a whole number of seconds/);
  });

  it('sends bare ids of avatars, and no prompt where there is none', () => {
    const shot = shotOf({
      kind: 'video',
      prompt: '',
      params: { avatar_asset_ids: ['Asset://a1', 'asset://a2', 'a3'] },
    });
    expect(driver.toRequest(shot, contextOf()).body).toEqual({ model: 'm', avatar_asset_ids: ['a1', 'a2', 'a3'] });
    expect(driver.toRequest(shot, contextOf({}, compatible)).body).not.toHaveProperty('content');
  });

  it('lets no added field take the place of a column', () => {
    const shot = shotOf({ kind: 'video', params: { aspect_ratio: '16:9' }, extra: { ratio: '1:1' } });
    expect(driver.toRequest(shot, contextOf()).body).toMatchObject({ aspect_ratio: '16:9', ratio: '1:1' });
    expect(() => driver.toRequest(shot, contextOf({}, compatible))).toThrow(/param\.ratio would take the place/);
  });

  it('gives the same bytes however the cells are ordered', () => {
    const reversed = {
      ...everything,
      params: Object.fromEntries(Object.entries(everything.params).reverse()),
      extra: Object.fromEntries(Object.entries(everything.extra).reverse()),
    };
    const bytes = (shot: typeof everything) => JSON.stringify(driver.toRequest(shot, contextOf()));
    expect(bytes(reversed)).toBe(bytes(everything));
  });

  it('puts no local path behind an asset that was never uploaded', () => {
    const shot = shotOf({ kind: 'video', params: { image: 'a.png' } });
    expect(driver.toRequest(shot, contextOf()).body.image).toBe('a.png');
  });
});

describe('a video on the compatible route', () => {
  it('puts text and media with their roles into content', () => {
    const request = driver.toRequest(everything, contextOf({}, compatible));
    expect(request.operation).toBe('videos.createCompatible');
    expect(request.path).toBe('/api/v3/contents/generations/tasks');
    expect(request.body).toEqual({
      model: 'vgen-2.0-cl',
      content: [
        { type: 'text', text: '@hero walks' },
        { type: 'image_url', role: 'reference_image', image_url: { url: 'https://a.example/1.png' } },
        { type: 'image_url', role: 'reference_image', image_url: { url: 'https://a.example/2.png' } },
        { type: 'video_url', role: 'reference_video', video_url: { url: 'Asset://5' } },
        { type: 'video_url', role: 'reference_video', video_url: { url: 'Asset://7' } },
        { type: 'video_url', role: 'reference_video', video_url: { url: 'refs/b.mp4' } },
        { type: 'audio_url', role: 'reference_audio', audio_url: { url: 'https://a.example/a.mp3' } },
        { type: 'image_url', role: 'reference_image', image_url: { url: 'Asset://9' }, alias: 'hero' },
      ],
      mode: 'std',
      ratio: '16:9',
      resolution: '720p',
      duration: 5,
      generate_audio: true,
      watermark: false,
      seed: '007',
      camera: { move: 'dolly' },
    });
  });

  it('gives frames their roles, and takes a source image for the first frame', () => {
    const body = (params: Record<string, string>) =>
      driver.toRequest(shotOf({ kind: 'video', params }), contextOf({}, compatible)).body.content;
    const entry = (role: string) => ({ type: 'image_url', role, image_url: { url: 'Asset://1' } });
    const text = { type: 'text', text: 'p' };
    expect(body({ first_frame: 'Asset://1', last_frame: 'Asset://1' })).toEqual([
      text,
      entry('first_frame'),
      entry('last_frame'),
    ]);
    expect(body({ image: 'Asset://1' })).toEqual([text, entry('first_frame')]);
  });
});

it('the query of a video task follows the setting and escapes the id', () => {
  expect(taskPathFor(shotOf({ kind: 'video' }), 'a/b c', contextOf().settings)).toBe('/v1/videos/a%2Fb%20c');
  const elsewhere = contextOf({}, { paths: { videoTask: '/v1/tasks/{task_id}' } }).settings;
  expect(taskPathFor(shotOf({ kind: 'video' }), '$&', elsewhere)).toBe('/v1/tasks/%24%26');
});

it('has no second entry for a refused video', () => {
  expect(driver.optionalEntry).toBeUndefined();
});

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
    ['frames: The compatible route does not support frames.'],
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

const film = (given: Partial<ShotSpec>) => shotOf({ kind: 'video', model: 'vgen-2.0-cl', ...given });
const withVideo = film({ params: { video: 'Asset://1' } });
const withImage = film({ params: { image: 'Asset://2' } });

describe('video input', () => {
  it.each([
    ['a source video', { params: { video: 'Asset://1' } }, true],
    ['a reference video', { params: { reference_videos: ['https://a.example/a.mp4'] } }, true],
    ['further videos', { params: { videos: ['Asset://1'] } }, true],
    ['an input reference and voices', { params: { input_reference: 'x', reference_voices: ['y'] } }, false],
    ['a video among references', { params: { references: [{ media_type: 'video', url: 'x' }] } }, true],
    ['a field of its own', { extra: { 'videos:json': '["https://a.example/a.mp4"]' } }, true],
    ['images alone', { params: { image: 'Asset://2', references: [{ media_type: 'image', url: 'x' }] } }, false],
    ['audio', { params: { audio: 'Asset://3' } }, false],
    ['nothing', {}, false],
  ])('is recognized as the reference describes it: %s', (_what, given, expected) => {
    expect(rulesFor('video').hasVideoInput?.(film(given))).toBe(expected);
  });

  it('has a line of its own in an estimate, with a price of its own where the table has one', () => {
    const settings = Settings.parse({
      prices: [
        { model: 'vgen-*', per: 'take', price: 3, videoInput: true },
        { model: 'vgen-*', per: 'take', price: 1 },
      ],
    });
    const wanted = [withVideo, withImage, withImage].map((shot) => ({ shot, takes: 1 }));
    expect(estimate(wanted, settings)).toMatchObject({
      price: 5,
      lines: [
        { takes: 1, price: 3, videoInput: true },
        { takes: 2, price: 2 },
      ],
    });
  });

  it('is of unknown price where the table prices only requests without it', () => {
    const settings = Settings.parse({ prices: [{ model: 'vgen-*', per: 'take', price: 1, videoInput: false }] });
    const wanted = [withVideo, withImage].map((shot) => ({ shot, takes: 1 }));
    expect(estimate(wanted, settings)).toMatchObject({ price: 1, unpriced: 1 });
  });
});
