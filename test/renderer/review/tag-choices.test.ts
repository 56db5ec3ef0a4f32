import { expect, it } from 'vitest';
import { offeredTags, tagChange, typedTags } from '../../../src/renderer/views/review/tag-choices.ts';

const take = (...tags: string[]) => ({ verdict: { rating: 0, flag: null, note: '', tags } });
const used = [
  { tag: 'night', takes: 9 },
  { tag: 'wide', takes: 2 },
];

it('offers the tags of the takes first, and says which all of them have', () => {
  expect(offeredTags([take('night', 'hero'), take('Night')], used)).toEqual([
    { tag: 'hero', on: 'some' },
    { tag: 'night', on: 'all' },
    { tag: 'wide', on: 'none' },
  ]);
});

it('knows nothing for sure of takes that were not read', () => {
  expect(offeredTags([take('night')], used, 2)).toEqual([
    { tag: 'night', on: 'some' },
    { tag: 'wide', on: 'some' },
  ]);
});

it('reads what is typed, with commas of either script, and names what cannot be a tag', () => {
  expect(typedTags(' hero, 海辺，night ,,')).toEqual({ tags: ['hero', '海辺', 'night'] });
  expect(typedTags('hero, say "cut"')).toEqual({ tags: ['hero'], bad: 'say "cut"' });
});

it('changes what was pressed or typed, and nothing else', () => {
  const offered = offeredTags([take('night', 'hero'), take('night')], used);
  expect(tagChange(offered, {}, [])).toBeNull();
  expect(tagChange(offered, { night: true, wide: false }, [])).toBeNull();
  expect(tagChange(offered, { hero: true, night: false }, ['new'])).toEqual({
    addTags: ['hero', 'new'],
    removeTags: ['night'],
  });
  expect(tagChange(offered, { night: false }, ['Night'])).toEqual({ addTags: ['Night'] });
});
