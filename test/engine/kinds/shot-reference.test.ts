import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FindKey,
  frameByMarks,
  frameName,
  readFrame,
  shotNamed,
} from '../../../src/engine/kinds/shot-reference.ts';

const keys =
  (...known: string[]): FindKey =>
  (text) =>
    known.includes(text) ? text : null;

const own = keys('010', 'A/2', 'x#last', 'b:y', 'c:z/1#in');
const batches: Readonly<Record<string, FindKey>> = { reel: keys('010', '7/3'), b: keys('y', 'q') };
const read = (name: string) => {
  const found = shotNamed(name, own, (batch) => batches[batch] ?? null);
  if (!found) return null;
  const { batch, key, output, frame } = found;
  return [batch, key, output, frame && frameName(frame)];
};

describe('what follows Shot://', () => {
  it.each([
    ['010', [null, '010', 1, null]],
    ['010/4', [null, '010', 4, null]],
    ['010#last', [null, '010', 1, 'last']],
    ['010/2#48f', [null, '010', 2, '48f']],
    ['010#2.5s', [null, '010', 1, '2.5s']],
    ['010#OUT', [null, '010', 1, 'out']],
    // A key of this batch that is exactly so wins.
    ['A/2', [null, 'A/2', 1, null]],
    ['A/2/3', [null, 'A/2', 3, null]],
    ['A/2#first', [null, 'A/2', 1, 'first']],
    ['x#last', [null, 'x#last', 1, null]],
    ['x#last#last', [null, 'x#last', 1, 'last']],
    ['b:y', [null, 'b:y', 1, null]],
    ['c:z/1#in', [null, 'c:z/1#in', 1, null]],
    // The batch is read last.
    ['b:q', ['b', 'q', 1, null]],
    ['reel:010/2#in', ['reel', '010', 2, 'in']],
    ['reel:7/3', ['reel', '7/3', 1, null]],
    ['reel:7/3/2#0f', ['reel', '7/3', 2, '0f']],
  ])('%s', (name, meaning) => expect(read(name)).toEqual(meaning));

  it.each([
    '',
    '#last',
    '/2',
    '010#',
    '010#middle',
    '010#-1f',
    '010#1.s',
    '011',
    'reel:',
    'reel:9',
    'none:010',
    ':010',
    '010/x',
  ])('%j names no shot', (name) => expect(read(name)).toBeNull());

  it('names no shot of another batch to who knows none', () => {
    expect(shotNamed('reel:010', own)).toBeNull();
  });

  it('reads a frame as it writes it', () => {
    const frames = fc.oneof(
      fc.constantFrom('first', 'last', 'in', 'out').map((at) => ({ at }) as const),
      fc.nat({ max: 9_999_999 }).map((number) => ({ at: 'frame', number }) as const),
      fc.nat({ max: 99_999_999 }).map((ms) => ({ at: 'second', second: ms / 1000 }) as const),
    );
    fc.assert(
      fc.property(frames, (frame) => {
        expect(readFrame(frameName(frame))).toEqual(frame);
      }),
    );
  });

  it('finds every shot by its parts, whatever its key, unless another key is exactly so', () => {
    const key = fc.string({
      minLength: 1,
      maxLength: 12,
      unit: fc.constantFrom('a', '1', '/', '#', ':', 'f', ' ', '镜'),
    });
    const parts = fc.record({
      key,
      output: fc.integer({ min: 1, max: 99 }),
      frame: fc.constantFrom('last', '3f', '1.5s'),
    });
    fc.assert(
      fc.property(parts, fc.boolean(), ({ key: shot, output, frame }, isElsewhere) => {
        const find = keys(shot);
        const name = `${isElsewhere ? 'other:' : ''}${shot}/${String(output)}#${frame}`;
        const found = isElsewhere
          ? shotNamed(name, keys(), (batch) => (batch === 'other' ? find : null))
          : shotNamed(name, find);
        expect(found).toMatchObject({ batch: isElsewhere ? 'other' : null, key: shot, output, namesFile: true });
        expect(found?.frame && frameName(found.frame)).toBe(frame);
      }),
    );
  });

  it('asks for few keys, however hostile the text', () => {
    const hostile = fc.string({
      maxLength: 1000,
      unit: fc.constantFrom('/', '#', ':', '1', 'f', 's', '.', '\u0000', '…'),
    });
    fc.assert(
      fc.property(hostile, (name) => {
        let asked = 0;
        const count: FindKey = () => {
          asked += 1;
          return null;
        };
        expect(shotNamed(name, count, () => count)).toBeNull();
        expect(asked).toBeLessThan(8);
      }),
    );
    const long = '/1'.repeat(500_000) + '#'.repeat(500_000);
    expect(
      shotNamed(
        long,
        () => null,
        () => () => null,
      ),
    ).toBeNull();
  });
});

it('in and out are the marks of the take, out the last frame before it, and without marks those of the film', () => {
  const marked = (text: string, marks: object) => {
    const frame = readFrame(text);
    return frame && frameName(frameByMarks(frame, marks));
  };
  expect(['in', 'out', 'first', 'last', '48f', '2.5s'].map((text) => marked(text, { in: 12, out: 96 }))).toEqual([
    ...['12f', '95f', 'first', 'last', '48f', '2.5s'],
  ]);
  expect(['in', 'out'].map((text) => marked(text, {}))).toEqual(['first', 'last']);
});
