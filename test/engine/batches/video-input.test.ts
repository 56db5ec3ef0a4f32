import { describe, expect, it } from 'vitest';
import { Settings } from '../../../src/contract/settings.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { estimate } from '../../../src/engine/batches/estimate.ts';
import { rulesFor } from '../../../src/engine/kinds/index.ts';
import { shotOf } from '../kinds/support.ts';

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
