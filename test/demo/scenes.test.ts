import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { viewAt } from '../../src/demo/media/scene/planes.ts';
import { layersOf } from '../../src/demo/media/scene/layers.ts';
import { OVERSIZE } from '../../src/demo/media/scene/plane.ts';
import { sceneOf, type Move } from '../../src/demo/media/scene/scene.ts';

describe('a made-up scene', () => {
  it.each([
    [
      'Dawn over a small fishing harbour, fog, slow push in',
      { place: 'harbour', time: 'dawn', weather: 'fog', move: 'push' },
    ],
    [
      'A woman walks through the city at night, rain, pan right',
      { place: 'city', time: 'night', weather: 'rain', move: 'right' },
    ],
    ['Dunes at sunset, wide', { place: 'desert', time: 'dusk', move: 'pull' }],
    ['Turn this sketch into a linocut of a lighthouse', { place: 'sea', technique: 'print' }],
  ])('of %j has what its words name', (prompt, expected) => {
    expect(sceneOf(prompt, 'take')).toMatchObject(expected);
  });

  it('is the same for every take but for the move of the camera', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (prompt, one, other) => {
        const [first, second] = [sceneOf(prompt, one), sceneOf(prompt, other)];
        expect({ ...first, move: null }).toEqual({ ...second, move: null });
      }),
    );
  });

  it('never shows the edge of a plane', () => {
    const moves: readonly Move[] = ['push', 'pull', 'left', 'right', 'rise', 'still'];
    fc.assert(
      fc.property(
        fc.constantFrom(...moves),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (move, moment, depth) => {
          const { x, y, scale } = viewAt(move, moment, depth);
          for (const shift of [x, y]) expect(Math.abs(shift) + 0.5 / scale).toBeLessThanOrEqual(OVERSIZE / 2);
        },
      ),
    );
  });

  it.each(['', 'A city at night', 'A close-up', 'A window', 'Mountains', 'A forest', 'A desert', 'A harbour, a boat'])(
    'of %j is drawn by whole SVG that needs nothing from outside',
    (prompt) => {
      for (const { svg } of layersOf(sceneOf(prompt, 'take'), 'take', 160, 96)) {
        expect(svg).toMatch(/^<svg [^>]*>.*<\/svg>$/s);
        expect(svg).not.toMatch(/NaN|undefined|href|http:(?!\/\/www\.w3\.org\/2000\/svg)/);
      }
    },
  );
});
