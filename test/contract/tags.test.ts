import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Recipe } from '../../src/contract/take.ts';
import {
  changedTags,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  readTags,
  toTag,
  stillHolds,
  withChange,
  withoutChange,
  type Verdict,
} from '../../src/contract/verdict.ts';

const tags = fc.uniqueArray(fc.constantFrom('hero', 'night', 'Wide', '海辺', 'é', 'reshoot'), { maxLength: 6 });
const verdicts = tags.map((list): Verdict => withChange({ rating: 0, flag: null, note: '' }, { addTags: list }));

describe('a tag', () => {
  it('is composed Unicode with single spaces, and no other text becomes one', () => {
    expect(toTag('  night   train ')).toBe('night train');
    expect(toTag('Cafe\u0301')).toBe('Café');
    expect(toTag('👩‍🎨')).toBe('👩‍🎨');
    for (const text of [
      '',
      '   ',
      'a,b',
      'a"b',
      'a\nb',
      'a\u0000',
      'a\u202Eb',
      '\uD800',
      'x'.repeat(MAX_TAG_LENGTH + 1),
    ]) {
      expect(toTag(text)).toBeNull();
    }
  });

  it('stays as it is when it is read again, whatever was typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        const tag = toTag(text);
        if (tag === null) return;
        expect(toTag(tag)).toBe(tag);
        expect(tag.length).toBeLessThanOrEqual(MAX_TAG_LENGTH);
      }),
    );
  });

  it('of a recipe that comes from a stranger is left out where it cannot be one, and the take is kept', () => {
    expect(readTags(['b', 7, null, 'a\nb', 'a', 'B', 'x'.repeat(9999)])).toEqual(['a', 'b']);
    expect(readTags(Array.from({ length: 5000 }, (_none, index) => `t${String(index)}`))).toHaveLength(MAX_TAGS);
    const shot = { key: 'a', kind: 'image', model: 'm', prompt: '', takes: 1, params: {}, extra: {}, columns: {} };
    const recipe = (verdict: object) =>
      Recipe.parse({
        ...{ format: 1, takeId: 't', take: 1, batch: { id: 'b', name: 'B' }, state: 'saved', outputs: [] },
        ...{ shot: { ...shot, priority: 0 }, createdAt: 1, updatedAt: 1, verdict },
      }).verdict;
    const marks = { rating: 3, flag: 'pick', note: '' };
    expect(recipe({ ...marks, tags: ['hero', 'a"b'] })).toEqual({ ...marks, tags: ['hero'] });
    expect(recipe({ ...marks, tags: 'hero' })).toEqual(marks);
    expect(recipe(marks)).toEqual(marks);
  });
});

describe('tags of a take', () => {
  it('are in their order, each once in either case', () => {
    expect(changedTags(['night'], { add: ['Hero', 'NIGHT', 'hero'] })).toEqual(['Hero', 'night']);
    expect(changedTags(['Hero', 'night'], { remove: ['hero'] })).toEqual(['night']);
  });

  it('are as they were after a change was undone, and what others changed since stays', () => {
    fc.assert(
      fc.property(verdicts, tags, tags, (before, addTags, removed) => {
        const removeTags = removed.filter((tag) => !addTags.includes(tag));
        const change = { addTags, removeTags };
        const now = withChange(before, change);
        expect(stillHolds(now, change)).toBe(addTags.length + removeTags.length > 0);
        expect(withoutChange(now, change, before)).toEqual(before);
        const since = withChange(now, { addTags: ['of another window'], rating: 4 });
        expect(withoutChange(since, change, before)).toEqual(
          withChange(before, { addTags: ['of another window'], rating: 4 }),
        );
      }),
    );
  });
});
