import { describe, expect, it } from 'vitest';
import type { CommandGroup } from '../../src/renderer/lib/keys.ts';
import { entriesFor } from '../../src/renderer/lib/components/shell/palette.ts';

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

  it('ignores case and accents', () => {
    expect(found('CAFE noir')).toEqual(['cafe']);
  });

  it('lists what there are hundreds of only where it is typed', () => {
    const ofBatch = { ...command('rename', 'Rename batch “Night 12”', 'Batch'), isSearchedFor: true };
    const ids = (query: string) => entriesFor(query, [...available, ofBatch], []).map(({ command: { id } }) => id);
    expect(ids('')).not.toContain('rename');
    expect(ids('night 12')).toEqual(['rename']);
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
