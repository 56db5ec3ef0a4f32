import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRewritten, readShots } from '../../../../src/engine/tools/prompts/prompts.ts';

describe('what a model proposes for rows', () => {
  const two = [['blue sea'], ['red sea']];

  it.each([
    ['as it was asked', '{"rows":[{"id":1,"prompts":["blue sea"]},{"id":2,"prompts":["red sea"]}]}'],
    ['in another order', '[{"id":2,"prompt":"red sea"},{"id":1,"prompt":"blue sea"}]'],
    ['in a fence', '```json\n{"rows":[{"id":1,"prompt":"blue sea"},{"id":2,"prompt":"red sea"}]}\n```'],
    ['amid prose', 'Sure!\n{"rows":[{"id":"1","text":"blue sea"},{"id":"2","text":"red sea"}]}\nAnything else?'],
    ['as texts alone', '["blue sea","red sea"]'],
  ])('is read %s', (_how, text) => {
    expect(readRewritten(text, 2, 1)).toEqual(two);
  });

  it('says which rows did not come back', () => {
    expect(readRewritten('{"rows":[{"id":2,"prompt":"red sea"}]}', 2, 1)).toEqual([[], ['red sea']]);
  });

  it('is not put into the wrong rows when rows without ids are missing', () => {
    expect(readRewritten('["red sea"]', 2, 1)).toBeNull();
  });

  it('takes the first answer for a row, no more versions than were asked for, and no row that was not sent', () => {
    const text =
      '[{"id":1,"prompts":["a","b","c"]},{"id":1,"prompt":"d"},{"id":7,"prompt":"e"},{"id":-1,"prompt":"f"}]';
    expect(readRewritten(text, 1, 2)).toEqual([['a', 'b']]);
  });

  it.each(['', 'I cannot do that.', '{}', '{"rows":[]}', 'null', '17', '{"rows":[{"id":1,"prompt":""}]}'])(
    'is nothing in %j',
    (text) => {
      expect(readRewritten(text, 1, 1)).toBeNull();
    },
  );

  it('is bounded and free of control characters, whatever came', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.integer({ min: 1, max: 5 }), (text, count) => {
        const rows = readRewritten(text, count, 2) ?? [];
        for (const prompts of rows) {
          expect(prompts.length).toBeLessThanOrEqual(2);
          for (const prompt of prompts) expect(prompt).not.toMatch(/[^\P{Cc}\n\t]/u);
        }
      }),
    );
  });
});

describe('the shots of a script', () => {
  it('have keys of their own, lengths and notes', () => {
    const text = JSON.stringify({
      shots: [
        { key: '010', prompt: 'A door', duration: 4, notes: 'night' },
        { key: '010', prompt: 'A hand', duration: '5 s' },
        { prompt: 'A face', duration: -3 },
        { key: '040', notes: 'nothing to make' },
      ],
    });
    expect(readShots(text)).toEqual([
      { key: '010', prompt: 'A door', duration: 4, notes: 'night' },
      { key: '010-2', prompt: 'A hand', duration: 5 },
      { key: '030', prompt: 'A face' },
    ]);
  });

  it('are never two of one key, whatever came', () => {
    const item = fc.record({ key: fc.constantFrom('010', '010-2', '020', ''), prompt: fc.constant('x') });
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 20 }), (items) => {
        const shots = readShots(JSON.stringify(items)) ?? [];
        expect(new Set(shots.map(({ key }) => key)).size).toBe(items.length);
      }),
    );
  });
});
