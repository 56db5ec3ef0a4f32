import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toClock, frameAt, timeOfFrame } from '../../../src/renderer/views/review/player/timecode.ts';

const ntsc = [24, 30, 60].map((whole) => ({ num: whole * 1000, den: 1001 }));
const rates = fc.constantFrom(...ntsc, ...[12, 24, 25, 30, 50, 60].map((num) => ({ num, den: 1 })));
const rate24 = { num: 24, den: 1 };

describe('time in frames', () => {
  it('comes back to the same frame after a seek to it', () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 0, max: 1_000_000 }), (rate, frame) => {
        expect(frameAt(timeOfFrame(frame, rate), rate)).toBe(frame);
      }),
    );
  });

  it('counts a frame from its first moment on, however the moment was rounded', () => {
    expect(frameAt(1 / 3, rate24)).toBe(8);
    expect(frameAt(0.333333, rate24)).toBe(8);
    expect(frameAt(0.3, rate24)).toBe(7);
  });

  it('is written in tenths where there are no frames', () => {
    expect(toClock(0)).toBe('0:00.0');
    expect(toClock(62.4)).toBe('1:02.4');
    expect(toClock(59.99)).toBe('0:59.9');
  });
});
