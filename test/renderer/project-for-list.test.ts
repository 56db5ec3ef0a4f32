import { describe, expect, it } from 'vitest';
import { projectForList } from '../../src/renderer/lib/components/shell/project-for-list.ts';

const project = (id: string, path: string, change: object = {}) => ({
  id,
  path,
  openedAt: 0,
  available: true,
  isSample: false,
  ...change,
});

describe('the project that a list from outside is for', () => {
  const film = project('film', '/films/film', { openedAt: 1 });
  const reel = project('reel', '/films/film/reel', { openedAt: 5 });
  const twin = project('twin', '/films/film two', { openedAt: 3 });
  const sample = project('sample', '/data/Sample project', { openedAt: 9, isSample: true });
  const all = [film, reel, twin, sample];

  it('is the nearest one around it, whatever the window shows', () => {
    expect(projectForList('/films/film/lists/day.csv', all, 'twin')?.id).toBe('film');
    expect(projectForList('/films/film/reel/day.csv', all, null)?.id).toBe('reel');
    expect(projectForList('/films/film two/day.csv', all, null)?.id).toBe('twin');
    const windows = [project('w', 'C:\\Films\\One')];
    expect(projectForList('C:\\Films\\One\\day.csv', windows, null)?.id).toBe('w');
  });

  it('is else the one in the window, else the one opened last', () => {
    expect(projectForList('/home/day.csv', all, 'film')?.id).toBe('film');
    expect(projectForList('/home/day.csv', all, null)?.id).toBe('reel');
  });

  it('is the sample only where it is shown, and none whose disk is away', () => {
    expect(projectForList('/home/day.csv', [sample], null)).toBeNull();
    expect(projectForList('/home/day.csv', [sample], 'sample')?.id).toBe('sample');
    expect(projectForList('/films/film/day.csv', [{ ...film, available: false }], 'film')).toBeNull();
  });
});
