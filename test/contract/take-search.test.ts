import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTakeSearch, type SearchTerm } from '../../src/contract/take-search.ts';

const terms = (text: string): readonly SearchTerm[] => {
  const search = parseTakeSearch(text);
  if (!search.ok) throw new Error(search.problem.key);
  return search.terms;
};
const words = (value: string, isNot = false) => ({ isNot, by: 'words', words: value });

describe('a search for takes', () => {
  it('reads words, quoted words and what is left out', () => {
    expect(terms('rain "night train" -snow')).toEqual([words('rain'), words('night train'), words('snow', true)]);
    expect(terms('a - b "being typed')).toEqual([words('a'), words('-'), words('b'), words('being typed')]);
  });

  it('reads fields, numbers and stars', () => {
    expect(terms('rating:>=4 model:vgen* -flag:Reject prompt:rain "Scene No":"12 *"')).toEqual([
      { isNot: false, by: 'number', field: 'rating', comparison: '>=', number: 4 },
      { isNot: false, by: 'text', field: 'model', pattern: ['vgen', ''] },
      { isNot: true, by: 'choice', field: 'flag', choice: 'reject' },
      { isNot: false, by: 'text', field: 'prompt', pattern: ['', 'rain', ''] },
      { isNot: false, by: 'column', column: 'Scene No', pattern: ['12 *'] },
    ]);
  });

  it('takes times and addresses as words', () => {
    expect(terms('12:30 https://example.com/a')).toEqual([words('12:30'), words('https://example.com/a')]);
  });

  it.each([
    ['rating:four', 'search.badNumber'],
    ['flag:maybe', 'search.badChoice'],
    ['shot:', 'search.noValue'],
    ['shot:a*b*c*d*e*f', 'search.tooManyStars'],
    ['a '.repeat(21), 'search.tooMany'],
  ])('says what is wrong: %s', (text, key) => {
    expect(parseTakeSearch(text)).toMatchObject({ ok: false, problem: { key } });
  });

  it('never fails, whatever is typed', () => {
    const typed = fc.array(fc.constantFrom('a', '"', ':', '-', '*', ' ', '>', '=', '4', 'rating', '海', '_', '\n'), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          typed.map((parts) => parts.join('')),
        ),
        (text) => {
          const search = parseTakeSearch(text);
          if (search.ok) expect(search.terms.length).toBeLessThanOrEqual(20);
        },
      ),
    );
  });

  it('finds a quoted word as it was written', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((text) => !text.includes('"')),
        (text) => {
          expect(terms(`"${text}"`)).toEqual([words(text)]);
        },
      ),
    );
  });
});
