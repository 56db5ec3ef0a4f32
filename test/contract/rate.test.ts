import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  convertFrames,
  nominal,
  parseTimecode,
  type Rate,
  rateFor,
  reduced,
  timecode,
} from '../../src/contract/rate.ts';

const ntsc = (whole: number): Rate => ({ num: whole * 1000, den: 1001 });
const dropping = fc.constantFrom(ntsc(30), ntsc(60));
const rates = fc.oneof(
  fc.constantFrom(...[24, 25, 30, 48, 50, 60].map((num): Rate => ({ num, den: 1 })), ntsc(24), ntsc(30), ntsc(60)),
  fc.record({ num: fc.integer({ min: 1000, max: 240_000 }), den: fc.integer({ min: 1000, max: 1001 }) }),
);
/** A day of frames: timecode begins again after it. */
const frameOf = (rate: Rate, drop = false) => fc.nat(Math.floor(nominal(rate) * 86_400 * (drop ? 0.999 : 1)) - 1);

describe('timecode', () => {
  it('is read back as the frame it was written for', () => {
    const cases = rates.chain((rate) => fc.tuple(fc.constant(rate), frameOf(rate)));
    fc.assert(
      fc.property(cases, ([rate, frame]) => {
        expect(parseTimecode(timecode(frame, rate), rate)).toEqual({ frame, isDrop: false });
      }),
    );
  });

  it('is read back in drop frame too, where it stays beside the clock', () => {
    const cases = dropping.chain((rate) => fc.tuple(fc.constant(rate), frameOf(rate, true)));
    fc.assert(
      fc.property(cases, ([rate, frame]) => {
        const text = timecode(frame, rate, { drop: true });
        expect(parseTimecode(text, rate)).toEqual({ frame, isDrop: true });
        const [hours = 0, minutes = 0, seconds = 0] = text.split(/[:;]/).map(Number);
        const clock = hours * 3600 + minutes * 60 + seconds;
        expect(Math.abs(clock - (frame * rate.den) / rate.num)).toBeLessThan(1.1);
      }),
    );
  });

  it('leaves out two numbers each minute but each tenth, and none elsewhere', () => {
    const written = (frame: number) => timecode(frame, ntsc(30), { drop: true });
    expect([1799, 1800, 17_981, 17_982].map(written)).toEqual([
      '00:00:59;29',
      '00:01:00;02',
      '00:09:59;29',
      '00:10:00;00',
    ]);
    expect(timecode(107_892, ntsc(30), { drop: true })).toBe('01:00:00;00');
    expect(timecode(1800, { num: 30, den: 1 }, { drop: true })).toBe('00:01:00:00');
    expect(timecode(24 * 61 + 5, ntsc(24))).toBe('00:01:01:05');
  });

  it('is none where a text is none', () => {
    for (const text of ['', '1:2:3:4', '00:00:00', 'a0:00:00:00', '00:00:00:0'])
      expect(parseTimecode(text, ntsc(24))).toBeNull();
  });
});

describe('frames of one rate in another', () => {
  it('never go back, and stay the same in their own', () => {
    fc.assert(
      fc.property(rates, rates, fc.nat(10_000_000), fc.nat(1000), (from, to, frame, more) => {
        expect(convertFrames(frame + more, from, to)).toBeGreaterThanOrEqual(convertFrames(frame, from, to));
        expect(convertFrames(frame, from, from)).toBe(frame);
      }),
    );
  });

  it('come back after a rate that is as fast or faster', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), (frame) => {
        expect(convertFrames(convertFrames(frame, ntsc(24), ntsc(60)), ntsc(60), ntsc(24))).toBe(frame);
      }),
    );
  });
});

describe('a measured rate', () => {
  it('is the common one that it means, in whole numbers', () => {
    expect([23.976, 23.98, 24, 29.97, 59.94, 25.001].map((fps) => rateFor(fps))).toEqual([
      ...[ntsc(24), ntsc(24), { num: 24, den: 1 }, ntsc(30), ntsc(60), { num: 25, den: 1 }],
    ]);
    expect(rateFor(15)).toEqual({ num: 15, den: 1 });
    expect(rateFor(12.5)).toEqual({ num: 25, den: 2 });
    expect(reduced(48_000, 2002)).toEqual(ntsc(24));
  });
});
