import { describe, expect, it } from 'vitest';
import type { NewReport, NextStep } from '../../src/contract/night-report.ts';
import { firstPlace, nightToShow, projectForList } from '../../src/renderer/lib/first-place.ts';
import { counts, empty } from '../support/night-reports.ts';

describe('a window without an address opens', () => {
  const project = (id: string, openedAt: number, facts: object = {}) => ({
    ...{ id, openedAt, isSample: false, available: true },
    ...facts,
  });
  const listed = [project('sample', 9, { isSample: true }), project('old', 1), project('film', 3)];
  const archived = [project('put-away', 2)];
  const review = (projectId: string | null) => ({ view: 'review' as const, projectId, detail: { take: 't' } });
  const newest = { view: 'projects', projectId: 'film', detail: {} };

  it.each([
    ['where a window was last', review('old'), review('old')],
    ['there in an archived project too', review('put-away'), review('put-away')],
    ['at the newest project when that one is gone', review('gone'), newest],
    ['at the newest project when the last window had none', review(null), newest],
    ['at the newest project, which is never the sample, when there was no window before', null, newest],
  ])('%s', (_words, last, expected) => {
    expect(firstPlace(last, { listed, archived })).toEqual(expected);
  });

  it('at the new takes of a night that nobody has looked at', () => {
    const at = (facts: object, saved: number) =>
      firstPlace(review('old'), {
        ...{ listed, archived },
        night: { projectId: 'film', night: 7, isOver: true, report: { ...empty, takes: counts(saved) }, ...facts },
      });
    expect(at({}, 3)).toEqual({ view: 'review', projectId: 'film', detail: { since: '7' } });
    // There is nothing to look at, or the night goes on.
    expect(at({}, 0)).toEqual(review('old'));
    expect(at({ isOver: false }, 3)).toEqual(review('old'));
  });

  it('at the sample, or at no project, where there is no other whose folder is there', () => {
    const [sample] = listed;
    const away = project('film', 3, { available: false });
    const at = (projects: typeof listed) => firstPlace(null, { listed: projects, archived: [] }).projectId;
    expect(at([...(sample ? [sample] : []), away])).toBe('sample');
    expect(at([away])).toBeNull();
    expect(at([])).toBeNull();
  });
});

describe('the night that is shown', () => {
  const night = (projectId: string, ...steps: NextStep[]): NewReport => ({
    ...{ projectId, project: projectId, isOver: true, night: 1 },
    report: { ...empty, next: steps.map((step) => ({ step, takes: 1 })) },
  });
  const [capped, failed, undecided] = [night('a', 'raise_cap'), night('b', 'fix_failed'), night('c', 'decide')];
  const [saved, saved2, sample] = [night('d', 'review'), night('e', 'review'), night('sample', 'fix_failed')];
  const projects = (saves: number) => [
    { id: 'sample', isSample: true, counts: counts(24) },
    ...['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, isSample: false, counts: counts(saves) })),
  ];
  const shown = (nights: NewReport[], saves = 3) => nightToShow(nights, null, projects(saves))?.projectId;

  it('is that of the project that needs a person most, then the newest', () => {
    expect(shown([saved, capped, failed, undecided])).toBe('c');
    expect(shown([saved, capped, failed])).toBe('b');
    expect(shown([saved, capped])).toBe('a');
    expect(shown([saved2, saved])).toBe('e');
    expect(shown([saved, { ...saved2, report: { ...saved2.report, earlierDecisions: 1 } }])).toBe('e');
  });

  it('is that of the sample only where nothing was made in another project', () => {
    expect(shown([sample, saved])).toBe('d');
    expect(shown([sample])).toBeUndefined();
    expect(shown([sample], 0)).toBe('sample');
    expect(nightToShow([saved, sample], 'sample', projects(3))).toBe(sample);
  });
});

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
