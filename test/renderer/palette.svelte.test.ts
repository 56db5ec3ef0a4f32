import { describe, expect, it } from 'vitest';
import type { CommandGroup } from '../../src/renderer/lib/keys.ts';
import type { TakeView } from '../../src/contract/review.ts';
import { entriesFor, takeEntries } from '../../src/renderer/lib/components/shell/palette.ts';

const command = (id: string, title: string, group: CommandGroup) => ({ id, title, group, run: () => undefined });
const available = [
  command('projects', 'Go to projects', 'Go'),
  command('settings', 'Go to settings', 'Go'),
  command('open', 'Open or create a project', 'Projects'),
  command('cafe', 'Café Noir', 'Projects'),
  command('pause', 'Pause or resume the queue', 'Everywhere'),
];
const found = (query: string) => entriesFor(query, available, []).map(({ command: { id } }) => id);

describe('the search of the palette', () => {
  it('finds a command by the beginnings of its words', () => {
    expect(found('gs')[0]).toBe('settings');
    expect(found('ocp')[0]).toBe('open');
  });

  it('ranks an unbroken word above single letters', () => {
    expect(found('queue')[0]).toBe('pause');
    expect(found('create')[0]).toBe('open');
  });

  it('finds nothing when a letter is missing', () => {
    expect(entriesFor('gox', available, [])).toEqual([]);
  });

  it('finds a view by what people look for in it, before loose matches', () => {
    const spending = { ...command('spending', 'Go to spending', 'Go'), keywords: 'cost statistics' };
    const by = (query: string) => entriesFor(query, [...available, spending], []).map(({ command: { id } }) => id);
    expect(by('Cost')[0]).toBe('spending');
    expect(by('stat')).toEqual(['spending']);
    expect(by('ost')).not.toContain('spending');
  });

  it('puts a command whose title begins with the text before a view that has it as a keyword', () => {
    const review = { ...command('review', 'Go to review', 'Go'), keywords: 'compare takes' };
    const entries = entriesFor('compare', [review, command('compare', 'Compare', 'Takes')], []);
    expect(entries.map(({ command: { id } }) => id)).toEqual(['compare', 'review']);
  });

  it('ignores case and accents', () => {
    expect(found('CAFE noir')).toEqual(['cafe']);
  });

  it('lists what there are hundreds of only where it is typed', () => {
    const ofBatch = { ...command('rename', 'Rename batch “Night 12”', 'Batch'), isSearchedFor: true };
    const ids = (query: string) => entriesFor(query, [...available, ofBatch], []).map(({ command: { id } }) => id);
    expect(ids('')).not.toContain('rename');
    expect(ids('night 12')).toEqual(['rename']);
  });

  it('puts the one used last before its like, and not before a better one', () => {
    const alike = [command('one', 'Show view: Night', 'Review'), command('two', 'Show view: Night', 'Review')];
    const by = (query: string) => entriesFor(query, [...alike, ...available], ['pause', 'two'])[0]?.command.id;
    expect(by('night')).toBe('two');
    expect(by('gs')).toBe('settings');
  });

  it('shows recent commands first while nothing is typed, then the others by group', () => {
    const entries = entriesFor('  ', available, ['pause', 'gone']);
    expect(entries.map(({ heading, command: { id } }) => [heading, id])).toEqual([
      ['Recent', 'pause'],
      ['Go', 'projects'],
      [null, 'settings'],
      ['Projects', 'open'],
      [null, 'cafe'],
    ]);
  });
});

describe('the takes in the palette', () => {
  const take = (shot: string, id: string) => ({ id, shot, take: 1 }) as TakeView;
  const listed = (query: string, takes: readonly TakeView[], recent: readonly string[], total = takes.length) =>
    takeEntries(query, { text: query, takes, total }, recent, () => undefined);
  const many = Array.from({ length: 20 }, (_none, index) => take(`${index}`, `t${index}`));

  it('are those of the shot with that key first, then those opened last, then as the list has them', () => {
    const takes = [take('Sea 1', 'a'), take('Harbour', 'b'), take('Sea', 'c'), take('Sea 2', 'd')];
    const ids = listed('sea', takes, ['take-d', 'take-b']).map((entry) => entry.take?.id);
    expect(ids).toEqual(['c', 'd', 'b', 'a']);
  });

  it('are a few, with a way to all of them', () => {
    const entries = listed('wave', many, [], 300);
    expect(entries.map((entry) => entry.take?.id)).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7', undefined]);
    expect(entries.at(-1)?.command.title).toBe('Show all 300 takes in Review');
  });

  it('come before commands that have no more than the letters', () => {
    const takes = listed('go', [take('Go', 'a')], []);
    const names = (query: string) =>
      entriesFor(query, available, [], takes).map(({ heading, command: { id } }) => [heading, id]);
    expect(names('qee')).toEqual([
      ['Takes', 'take-a'],
      ['Commands', 'pause'],
    ]);
    expect(names('create')).toEqual([
      [null, 'open'],
      ['Takes', 'take-a'],
    ]);
  });

  it('open in Review', () => {
    const shown: unknown[] = [];
    const entries = takeEntries('wave', { text: 'wave', takes: many, total: 20 }, [], (detail) => shown.push(detail));
    entries.at(0)?.command.run();
    entries.at(-1)?.command.run();
    expect(shown).toEqual([{ take: 't0' }, { text: 'wave' }]);
  });
});
