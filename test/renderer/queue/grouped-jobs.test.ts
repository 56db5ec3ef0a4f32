import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JobStateName, JobView } from '../../../src/contract/job.ts';
import { GroupedJobs, keepPlaces } from '../../../src/renderer/views/queue/rows/grouped-jobs.ts';
import { toGroup, groups } from '../../../src/renderer/views/queue/rows/groups.ts';
import { aJob } from './jobs.ts';

const idsOf = (jobs: readonly JobView[]) => jobs.map(({ id }) => id);

const states: readonly JobStateName[] = [
  'needs_assets',
  'ready',
  'submitting',
  'polling',
  'downloading',
  'saved',
  'submit_unknown',
  'remote_failed',
  'cancelled',
];

describe('jobs by group', () => {
  it('puts held takes among those that wait, and overdue ones among those that need a decision', () => {
    expect(toGroup(aJob({ state: 'polling', paused: 'user' }))).toBe('waiting');
    expect(toGroup(aJob({ state: 'polling', paused: 'deadline' }))).toBe('undecided');
    expect(toGroup(aJob({ state: 'polling' }))).toBe('under-way');
  });

  it('moves a job to the end of its new group and leaves all others at their places', () => {
    const jobs = new GroupedJobs();
    jobs.put(['a', 'b', 'c'].map((id) => aJob({ id })));
    jobs.put([aJob({ id: 'b', state: 'submitting', updatedAt: 2000 })]);
    jobs.put([aJob({ id: 'a', state: 'submitting', updatedAt: 3000 })]);
    expect(idsOf(jobs.lists.waiting)).toEqual(['c']);
    expect(idsOf(jobs.lists['under-way'])).toEqual(['b', 'a']);
    jobs.put([aJob({ id: 'b', state: 'polling', updatedAt: 4000 })]);
    expect(idsOf(jobs.lists['under-way'])).toEqual(['b', 'a']);
  });

  it('shows what waits in the order in which it is sent, also when a take comes back into the line', () => {
    const jobs = new GroupedJobs();
    jobs.put([aJob({ id: 'a', createdAt: 1 }), aJob({ id: 'b', createdAt: 2 }), aJob({ id: 'c', createdAt: 3 })]);
    jobs.put([aJob({ id: 'a', createdAt: 1, state: 'submitting', updatedAt: 2000 })]);
    jobs.put([aJob({ id: 'a', createdAt: 1, updatedAt: 3000 })]);
    expect(idsOf(jobs.lists.waiting)).toEqual(['a', 'b', 'c']);
    jobs.put([aJob({ id: 'c', createdAt: 3, priority: 1000, updatedAt: 2000 })]);
    expect(idsOf(jobs.lists.waiting)).toEqual(['c', 'a', 'b']);
  });

  it('shows the last saved takes first', () => {
    const jobs = new GroupedJobs();
    jobs.put([aJob({ id: 'b', state: 'saved', updatedAt: 3000 }), aJob({ id: 'c', state: 'saved', updatedAt: 4000 })]);
    jobs.put([aJob({ id: 'a', state: 'saved', updatedAt: 2000 })]);
    expect(idsOf(jobs.lists.done)).toEqual(['c', 'b', 'a']);
  });

  it('does not let an older answer undo newer news', () => {
    const jobs = new GroupedJobs();
    jobs.put([aJob({ state: 'saved', updatedAt: 5000 })]);
    jobs.put([aJob({ state: 'downloading', updatedAt: 4000 })]);
    expect(jobs.lists.done).toHaveLength(1);
    expect(jobs.lists['under-way']).toHaveLength(0);
  });

  it('keeps the lists of groups in which nothing changed', () => {
    const jobs = new GroupedJobs();
    jobs.put([aJob({ id: 'a' }), aJob({ id: 'b', state: 'polling' })]);
    const { waiting } = jobs.lists;
    jobs.put([aJob({ id: 'b', state: 'saved', updatedAt: 2000 })]);
    expect(jobs.lists.waiting).toBe(waiting);
  });

  it('shows each job once, in its own group', () => {
    const change = fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), state: fc.constantFrom(...states) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const jobs = new GroupedJobs();
        const latest = new Map<string, JobStateName>();
        for (const [index, { id, state }] of changes.entries()) {
          jobs.put([aJob({ id, state, updatedAt: index })]);
          latest.set(id, state);
        }
        const shown = groups.flatMap(({ name }) => jobs.lists[name].map((job) => [job.id, name] as const));
        expect(new Map(shown)).toEqual(new Map([...latest].map(([id, state]) => [id, toGroup(aJob({ state }))])));
        expect(shown).toHaveLength(latest.size);
      }),
    );
  });
});

describe('rows under the pointer', () => {
  it('stay where they are when they leave their group, as they are now', () => {
    const before = [aJob({ id: 'a', state: 'polling' }), aJob({ id: 'b', state: 'polling' })];
    const saved = aJob({ id: 'a', state: 'saved', updatedAt: 2000 });
    const fresh = aJob({ id: 'c', state: 'polling' });
    const rows = keepPlaces(
      before,
      [before[1], fresh].filter((job) => job !== undefined),
      (id) => (id === 'a' ? saved : undefined),
    );
    expect(rows.map(({ id, state }) => [id, state])).toEqual([
      ['a', 'saved'],
      ['b', 'polling'],
      ['c', 'polling'],
    ]);
  });
});
