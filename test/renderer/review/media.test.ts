import { describe, expect, it } from 'vitest';
import { computePeaks } from '../../../src/renderer/lib/media/take-media.ts';

describe('a waveform', () => {
  it('holds the loudest sample of each part, over all channels', () => {
    const left = Float32Array.from([0.1, -0.5, 0.2, 0]);
    const right = Float32Array.from([0, 0.25, -0.75, 0.3]);
    expect(computePeaks([left, right], 2)).toEqual([0.5, 0.75]);
  });

  it('has no more points than the sound has samples, and none for no sound', () => {
    expect(computePeaks([Float32Array.from([0.5, 1])], 2000)).toEqual([0.5, 1]);
    expect(computePeaks([], 2000)).toEqual([]);
  });

  it('stays within 1 where the sound is clipped', () => {
    expect(computePeaks([Float32Array.from([1.7])], 1)).toEqual([1]);
  });
});
