import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Rate } from '../../../src/contract/rate.ts';
import { toSeconds } from '../../../src/contract/rate.ts';
import { lengthOn, type Timeline, type TimelineClip, type TimelineMedia } from '../../../src/contract/timeline.ts';
import { frameAt } from '../../../src/renderer/views/review/player/timecode.ts';
import {
  clipIndexAt,
  endOfClips,
  excerptAround,
  musicAt,
  offsetAt,
  sourceFrame,
  sourceTime,
} from '../../../src/renderer/views/review/string-out/string-out-clock.ts';

const rates: readonly Rate[] = [
  ...[24, 25, 30, 60].map((num) => ({ num, den: 1 })),
  ...[24, 30, 60].map((num) => ({ num: num * 1000, den: 1001 })),
];
const rate = fc.constantFrom(...rates);
const media = fc
  .record({ rate, in: fc.nat(500), shown: fc.integer({ min: 1, max: 500 }) })
  .map(
    ({ rate: own, in: from, shown }) =>
      ({ format: 'mp4', rate: own, in: from, out: from + shown, frames: from + shown }) as TimelineMedia,
  );

/** Clips one after the other, as `layOut` makes them. */
function timelineOf(cut: Rate, all: readonly (TimelineMedia | number)[], music: Timeline['music'] = []): Timeline {
  let start = 0;
  const clips = all.map((each, index): TimelineClip => {
    const isSlate = typeof each === 'number';
    const length = isSlate ? each : lengthOn(each, cut);
    const clip = {
      ...{ id: String(index), start, length, media: isSlate ? null : each, alternates: [] },
      shot: { batchId: 'b', batch: 'Film', key: String(index), text: '' },
    };
    start += length;
    return clip;
  });
  return { name: 'Cut 1', rate: cut, width: 1, height: 1, length: start, clips, music };
}
const timeline = fc
  .tuple(rate, fc.array(fc.oneof(media, fc.integer({ min: 1, max: 100 })), { minLength: 1, maxLength: 12 }))
  .map(([cut, all]) => timelineOf(cut, all));

test('each frame of a cut is in the one clip that is laid out there', () => {
  fc.assert(
    fc.property(timeline, fc.nat(10_000), (cut, any) => {
      const frame = any % endOfClips(cut);
      const clip = cut.clips[clipIndexAt(cut, frame)];
      expect(clip && clip.start <= frame && frame < clip.start + clip.length).toBe(true);
    }),
  );
});

test('a clip shows frames from its in to before its out, never backwards', () => {
  fc.assert(
    fc.property(rate, media, (cut, shown) => {
      const frames = Array.from({ length: lengthOn(shown, cut) }, (_, at) => sourceFrame({ media: shown }, at, cut));
      expect(frames[0]).toBe(shown.in);
      expect(frames.every((frame, at) => frame < shown.out && frame >= (frames[at - 1] ?? 0))).toBe(true);
    }),
  );
});

test('seeking to a frame and reading the clock gives the same frame', () => {
  fc.assert(
    fc.property(rate, media, fc.nat(1000), (cut, shown, any) => {
      const clip = { media: shown };
      const offset = any % lengthOn(shown, cut);
      const time = sourceTime(clip, offset, cut);
      expect(offsetAt(clip, time, cut)).toBe(offset);
      // Frames of two rates may have less than a hundredth in common, where a player may show either.
      expect(frameAt(time, shown.rate) - sourceFrame(clip, offset, cut)).toBeOneOf([0, 1]);
      expect(time).toBeLessThan(toSeconds(shown.out, shown.rate));
    }),
  );
});

test('a film of the rate of its cut is shown frame by frame', () => {
  const clip = { media: { format: 'mp4', rate: rates[4], in: 12, out: 96, frames: 100 } as TimelineMedia };
  const cut = rates[4] as Rate;
  const shown = Array.from({ length: 84 }, (_, at) => frameAt(sourceTime(clip, at, cut), cut));
  expect(shown).toEqual(Array.from({ length: 84 }, (_, at) => 12 + at));
});

test('the shots before and after a clip are played with the music under them', () => {
  const music = { id: '1', start: 0, length: 40, in: 5, gain: 0 } as Timeline['music'][number];
  const cut = timelineOf({ num: 24, den: 1 }, [10, 10, 10, 10, 10], [music]);
  const excerpt = excerptAround(cut, '2');
  expect(excerpt?.clips.map(({ id, start }) => [id, start])).toEqual([
    ['1', 0],
    ['2', 10],
    ['3', 20],
  ]);
  expect(excerpt?.length).toBe(30);
  expect(excerpt?.music).toMatchObject([{ start: 0, length: 30, in: 15 }]);
  expect(excerptAround(cut, '0')?.clips).toHaveLength(2);
  expect(excerptAround(cut, 'none')).toBeNull();
});

test('an excerpt sounds as the whole cut does there', () => {
  const music = fc.record({ start: fc.nat(80), length: fc.integer({ min: 1, max: 80 }), in: fc.nat(100) });
  fc.assert(
    fc.property(music, fc.integer({ min: 0, max: 4 }), (laid, at) => {
      const whole = timelineOf({ num: 24, den: 1 }, [10, 20, 10, 30, 10], [{ id: '1', gain: 0, ...laid } as never]);
      const excerpt = excerptAround(whole, String(at));
      const from = whole.clips[Math.max(0, at - 1)]?.start ?? 0;
      for (let frame = 0; excerpt && frame < excerpt.length; frame += 1)
        expect(musicAt(excerpt, frame)?.time).toBe(musicAt(whole, from + frame)?.time);
    }),
  );
});
