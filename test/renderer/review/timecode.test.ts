import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toClock, frameAt, toRate, timecode, timeOfFrame } from '../../../src/renderer/views/review/player/timecode.ts';

const rates = fc.constantFrom(12, 23.976, 24, 25, 29.97, 30, 50, 59.94, 60);

describe('time in frames', () => {
  it('comes back to the same frame after a seek to it', () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 0, max: 1_000_000 }), (fps, frame) => {
        expect(frameAt(timeOfFrame(frame, fps), fps)).toBe(frame);
      }),
    );
  });

  it('counts a frame from its first moment on, however the moment was rounded', () => {
    expect(frameAt(1 / 3, 24)).toBe(8);
    expect(frameAt(0.333333, 24)).toBe(8);
    expect(frameAt(0.3, 24)).toBe(7);
  });

  it('is written in minutes, seconds and frames, with hours where there are any', () => {
    expect(timecode(0, 24)).toBe('00:00:00:00');
    expect(timecode(24 * 61 + 5, 24)).toBe('00:01:01:05');
    expect(timecode(25 * 3600, 25)).toBe('01:00:00:00');
    expect(timecode(30, 29.97)).toBe('00:00:01:00');
  });

  it('is written in tenths where there are no frames', () => {
    expect(toClock(0)).toBe('0:00.0');
    expect(toClock(62.4)).toBe('1:02.4');
    expect(toClock(59.99)).toBe('0:59.9');
  });
});

describe('the frame rate', () => {
  it('is the usual one that the timestamps mean', () => {
    expect(toRate(0.041666)).toBe(24);
    expect(toRate(0.041708)).toBe(23.976);
    expect(toRate(0.033367)).toBe(29.97);
    expect(toRate(0.04)).toBe(25);
  });

  it('is the measured one where it is not usual', () => {
    expect(toRate(1 / 12)).toBe(12);
    expect(toRate(1 / 16)).toBe(16);
  });
});
