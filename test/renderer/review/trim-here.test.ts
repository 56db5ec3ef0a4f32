import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Rate } from '../../../src/contract/rate.ts';
import { lengthOn, type TimelineClip, type TimelineMedia } from '../../../src/contract/timeline.ts';
import { trimAt, trimBy } from '../../../src/renderer/views/review/string-out/trim-here.ts';

const rate = fc.constantFrom<Rate>(
  ...[24, 25, 30, 60].map((num) => ({ num, den: 1 })),
  ...[24, 30, 60].map((num) => ({ num: num * 1000, den: 1001 })),
);
const film = fc
  .record({ rate, in: fc.nat(500), shown: fc.integer({ min: 1, max: 500 }), rest: fc.nat(50) })
  .map(({ rate: own, in: from, shown, rest }) => {
    const out = from + shown;
    return { format: 'mp4', rate: own, in: from, out, frames: out + rest, facts: {} } as TimelineMedia;
  });
const clipOf = (media: TimelineMedia, cut: Rate): TimelineClip =>
  ({ id: '1', start: 0, length: lengthOn(media, cut), media }) as TimelineClip;

test('a clip that ends at a frame shows that frame as its last one', () => {
  fc.assert(
    fc.property(rate, film, fc.nat(1000), (cut, media, any) => {
      const clip = clipOf(media, cut);
      const offset = any % clip.length;
      const { out = 0 } = trimAt(clip, 'out', offset, cut);
      expect(out).toBeLessThanOrEqual(media.frames);
      const length = (end: number) =>
        Math.floor(((end - media.in) * media.rate.den * cut.num) / (media.rate.num * cut.den));
      expect(length(out ?? 0)).toBeGreaterThan(offset);
      expect(length((out ?? 0) - 1)).toBeLessThanOrEqual(offset);
    }),
  );
});

test('a clip is never trimmed to nothing, or beyond its file', () => {
  const edge = fc.constantFrom('in' as const, 'out' as const);
  fc.assert(
    fc.property(rate, film, edge, fc.integer({ min: -600, max: 600 }), (cut, media, which, by) => {
      const made = { ...media, ...trimBy(clipOf(media, cut), which, by, cut) };
      expect(made.in).toBeGreaterThanOrEqual(0);
      expect(made.in).toBeLessThan(made.out as number);
      expect(made.out).toBeLessThanOrEqual(media.frames);
    }),
  );
});

test('a slate is shown for as long as a person says', () => {
  const slate = { id: '1', start: 10, length: 48, media: null } as unknown as TimelineClip;
  const cut = { num: 24, den: 1 };
  expect(trimAt(slate, 'out', 11, cut)).toEqual({ length: 12 });
  expect(trimAt(slate, 'in', 11, cut)).toEqual({ length: 37 });
  expect(trimBy({ ...slate, length: 1 }, 'out', -1, cut)).toEqual({ length: 1 });
});
