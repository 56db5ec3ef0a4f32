import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuzzyFilter, fuzzyMatch } from '../../src/renderer/lib/fuzzy.ts';

const titles = ['Go to projects', 'Go to settings', 'Open or create a project', 'Pause or resume the queue'];
const best = (query: string) => fuzzyFilter(query, titles, (title) => title)[0]?.item;

describe('the search of the palette', () => {
  it('finds a command by the beginnings of its words', () => {
    expect(best('gs')).toBe('Go to settings');
    expect(best('ocp')).toBe('Open or create a project');
  });

  it('ranks an unbroken word above letters strewn about', () => {
    expect(best('queue')).toBe('Pause or resume the queue');
    expect(best('create')).toBe('Open or create a project');
  });

  it('finds nothing when a letter is missing', () => {
    expect(fuzzyMatch('gox', 'Go to projects')).toBeNull();
  });

  it('does not mind case, accents or blanks', () => {
    expect(fuzzyMatch('CAFE noir', 'Café Noir')).not.toBeNull();
  });

  it('keeps the order of the list for an empty query', () => {
    expect(fuzzyFilter('  ', titles, (title) => title).map(({ item }) => item)).toEqual(titles);
  });

  it('marks the letters that were typed, in text of any script', () => {
    const text = '🎬 東京の夜明け';
    const positions = fuzzyMatch('東夜', text)?.positions ?? [];
    expect(positions.map((position) => text[position])).toEqual(['東', '夜']);
  });

  it('finds every text by any of its pieces, and marks rising positions', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), fc.nat(), fc.nat(), (text, a, b) => {
        const [from, to] = [a % text.length, b % (text.length + 1)].toSorted((x, y) => x - y);
        const match = fuzzyMatch(text.slice(from, to), text);
        expect(match).not.toBeNull();
        const positions = match?.positions ?? [];
        expect(positions).toEqual([...new Set(positions)].toSorted((x, y) => x - y));
      }),
    );
  });
});
