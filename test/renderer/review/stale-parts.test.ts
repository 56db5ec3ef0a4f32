import { describe, expect, it } from 'vitest';
import type { Changes } from '../../../src/contract/events.ts';
import type { JobView } from '../../../src/contract/job.ts';
import type { TakeFilter, TakeView, VerdictField } from '../../../src/contract/review.ts';
import { staleParts } from '../../../src/renderer/views/review/stale-parts.ts';
import { quietChanges } from '../../support/quiet-changes.ts';

const focus = { id: 'open', batchId: 'day', shot: '010' } as TakeView;

function read(changes: Partial<Changes>, filter: Partial<TakeFilter> = {}) {
  const shown = {
    filter: { projectId: 'film', standing: 'saved', sort: 'list', ...filter } as const,
    focus,
    isRead: (id: string) => id === 'listed',
  };
  return staleParts({ ...quietChanges, ...changes }, shown);
}

const judged = (changed: VerdictField[], projectId = 'film'): Partial<Changes> => ({
  verdicts: [{ projectId, takeId: 'a', verdict: { rating: 4, flag: 'pick', note: '' }, changed, by: '' }],
});
const job = (change: Partial<JobView>): Partial<Changes> => ({
  jobs: [
    {
      id: 'a',
      projectId: 'film',
      batchId: 'day',
      shot: '020',
      standing: 'unfinished',
      files: [],
      ...change,
    } as JobView,
  ],
});

describe('review reads again', () => {
  it('everything after a gap', () => {
    expect(read({ resync: true })).toEqual(['list', 'tally', 'details']);
  });

  it('nothing after a rating, and the tally alone after a flag', () => {
    expect(read(judged(['rating']))).toEqual([]);
    expect(read(judged(['note']))).toEqual([]);
    expect(read(judged(['flag']))).toEqual(['tally']);
    expect(read(judged(['flag'], 'another'))).toEqual([]);
  });

  it.each([
    ['flag', { flag: 'none' }],
    ['rating', { minRating: 3 }],
    ['rating', { rating: 0 }],
    ['rating', { sort: 'rating' }],
    ['note', { text: 'dark' }],
    ['tags', { text: 'tag:hero' }],
    ['tags', { group: { by: 'tag' } }],
    ['flag', { group: { by: 'verdict' } }],
  ] as const)('the list after a %s that decides what is in it: %o', (field, filter) => {
    expect(read(judged([field]), filter)).toEqual(['list', 'tally']);
  });

  it('nothing while takes of other shots are on their way', () => {
    expect(read(job({ standing: 'unfinished' }))).toEqual([]);
    expect(read(job({ standing: 'unknown' }))).toEqual([]);
    expect(read(job({ standing: 'saved', projectId: 'another' }))).toEqual([]);
    expect(read({ projects: ['film'], drafts: [{ projectId: 'film', draftId: 'list' }] })).toEqual([]);
  });

  it('the list when a take was saved, lost its files, or is shown', () => {
    expect(read(job({ standing: 'saved' }))).toEqual(['list', 'tally']);
    expect(read(job({ standing: 'failed' }))).toEqual(['list', 'tally']);
    expect(read(job({ files: ['010.png'] }))).toEqual(['list', 'tally']);
    expect(read(job({ id: 'listed' }))).toEqual(['list', 'tally']);
    expect(read({ batches: ['film'] })).toEqual(['list', 'tally']);
  });

  it('the list at every change of a take when takes of all states are listed', () => {
    expect(read(job({}), { standing: undefined })).toEqual(['list', 'tally']);
  });

  it('the details when another take of the shot in focus changes', () => {
    expect(read(job({ shot: '010' }))).toEqual(['details']);
  });
});
