import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OVERSIZE, viewAt } from '../../src/demo/media/scenery.ts';
import { sceneFor, type Move } from '../../src/demo/media/scene.ts';

describe('a made-up scene', () => {
  it.each([
    ['Dawn over a small fishing harbour, fog, slow push in', { place: 'harbour', time: 'dawn', move: 'push' }],
    ['A woman walks through the city at night, rain, pan right', { place: 'city', time: 'night', move: 'right' }],
    ['Dunes at sunset, wide', { place: 'desert', time: 'dusk', move: 'pull' }],
    ['Turn this sketch into a linocut of a lighthouse', { place: 'sea', technique: 'print', variant: 1 }],
  ])('of %j has what its words name', (prompt, expected) => {
    expect(sceneFor(prompt, 'take')).toMatchObject(expected);
  });

  it('is at the same place and time for every take, and was painted', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (prompt, one, other) => {
        const [first, second] = [sceneFor(prompt, one), sceneFor(prompt, other)];
        expect([first.place, first.time]).toEqual([second.place, second.time]);
        for (const part of ['back', 'front'])
          expect(existsSync(`resources/demo/${first.place}-${first.time}-${String(first.variant)}-${part}.webp`)).toBe(
            true,
          );
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
});
