import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JobStateName, JobView } from '../../../src/contract/job.ts';
import {
  GroupedJobs,
  keepPlaces,
  toGroup,
  groups,
  headedRows,
  matching,
  expectedAt,
} from '../../../src/renderer/views/queue/groups.ts';
import { aJob } from '../../support/jobs.ts';
import { remedyHere } from '../../../src/renderer/lib/jobs/actions.ts';
import { columnsFor, awakeWords, attemptWords, requestText } from '../../../src/renderer/views/queue/words.ts';
import { t } from '../../../src/contract/messages/words.ts';
import type { AttemptView } from '../../../src/contract/review.ts';

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

  it('shows takes of other machines by what happens to them there', () => {
    expect(toGroup(aJob({ state: 'ready', paused: 'elsewhere' }))).toBe('waiting');
    expect(toGroup(aJob({ state: 'polling', paused: 'elsewhere' }))).toBe('under-way');
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

it('rows under the pointer stay where they are when they leave their group, as they are now', () => {
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

it('jobs are put under headings by name, each in the order its jobs had', () => {
  const jobs = ['Scene 10', 'Scene 2', 'Scene 10'].map((batch, at) => aJob({ id: String(at), project: 'Film', batch }));
  const { jobs: rows, headings } = headedRows(jobs, 'batch');
  expect(rows.map(({ id }) => id)).toEqual(['1', '0', '2']);
  expect([...headings]).toEqual([
    ['1', { title: 'Film · Scene 2', count: 1 }],
    ['0', { title: 'Film · Scene 10', count: 2 }],
  ]);
  expect(headedRows(jobs, undefined)).toMatchObject({ jobs });
});

it('the expected end is that of a take at the service, by the usual time of its model', () => {
  const times = [{ model: aJob().model, ms: 60_000 }];
  const sent = aJob({ state: 'polling', sentAt: 5000 });
  expect(expectedAt(sent, times)).toBe(65_000);
  expect(expectedAt(sent)).toBeNull();
  expect(expectedAt(aJob({ state: 'ready' }), times)).toBeNull();
  expect(expectedAt({ ...sent, paused: 'user' }, times)).toBeNull();
});

describe('the filter', () => {
  const harbour = aJob({ id: 'a', prompt: 'A HARBOUR at dawn', shot: '010' });
  const crossing = aJob({ id: 'b', prompt: '雨の渋谷交差点', taskId: 'task_42', state: 'polling' });

  it('finds every word anywhere, without case', () => {
    expect(matching([harbour, crossing], 'dawn 010')).toEqual([harbour]);
    expect(matching([harbour, crossing], '渋谷')).toEqual([crossing]);
    expect(matching([harbour, crossing], 'TASK_42 generating')).toEqual([crossing]);
    expect(matching([harbour, crossing], 'dawn 渋谷')).toEqual([]);
  });

  it('leaves the list alone when it is empty', () => {
    const jobs = [harbour, crossing];
    expect(matching(jobs, '  ')).toBe(jobs);
  });
});

it('the columns always name the shot, its take and its state, however narrow the list', () => {
  for (const { name } of groups) {
    const names = columnsFor(name, 400).map((column) => column.name);
    expect(names).toEqual(expect.arrayContaining(['state', 'shot', 'take', 'elapsed']));
    expect(columnsFor(name, 1400).length).toBeGreaterThan(names.length);
  }
});

describe('words', () => {
  it.each([
    [true, false, t('queue.awake', { how: 'kept' }), false],
    [false, false, t('queue.awake', { how: 'idle' }), false],
    [null, false, t('queue.awake', { how: 'unknown' }), true],
    // However firmly it is kept awake, an empty battery ends the night.
    [true, true, t('queue.awake', { how: 'battery' }), true],
  ])('say, and warn, of a night: kept awake %s, on battery %s', (keepsAwake, onBattery, word, isWarning) => {
    expect(awakeWords({ keepsAwake, onBattery })).toMatchObject({ word, isWarning });
  });

  it('name buttons of this window, not commands of a terminal', () => {
    const failure = {
      code: 'key_refused',
      message: 'm',
      remedy: 'Set the right key.',
      cost: 'nothing',
      at: 1,
    } as const;
    expect(remedyHere(aJob({ failure }))).toContain('in Settings');
    expect(remedyHere(aJob({ failure: { ...failure, code: 'x' } }))).toBe('Set the right key.');
    expect(remedyHere(aJob({ state: 'polling', paused: 'deadline' }))).toContain(t('queue.waitLonger'));
  });
});

/** Padding of a row and its scroll bar, and what lies between two columns. */
const AROUND = 42;
const BETWEEN = 12;

const leastWidth = (width: string): number => Number(/(\d+)px/.exec(width)?.[1]);

it('has no more columns than fit beside the details, however narrow the window', () => {
  for (const { name } of groups) {
    for (let width = 500; width <= 1600; width += 5) {
      const columns = columnsFor(name, width);
      const least = columns.reduce((sum, column) => sum + leastWidth(column.width), BETWEEN * (columns.length - 1));
      expect(least + AROUND, `${name} at ${width}`).toBeLessThanOrEqual(width);
    }
  }
});

it.each(['failed', 'undecided'] as const)('says what a take that is %s costs before it names the model', (group) => {
  const names = columnsFor(group, 760).map(({ name }) => name);
  expect(names).toContain('cost');
  expect(names).not.toContain('model');
});

const attempt: AttemptView = {
  number: 1,
  intendedAt: 1000,
  endedAt: 2000,
  outcome: 'accepted',
  origin: 'https://service.example/prefix',
  request: {
    operation: 'images.edit',
    method: 'POST',
    path: '/v1/images/edits/async',
    encoding: 'multipart',
    body: { model: 'image-demo', prompt: 'A harbour' },
    files: [{ field: 'image', path: '/films/a.png' }],
    answers: 'task',
  },
};
const failure = { code: 'x', message: 'It failed.', remedy: 'Wait.', cost: 'maybe', at: 2000 } as const;

describe('an attempt in words', () => {
  it('distinguishes a failed task from a finished one', () => {
    expect(attemptWords(attempt)).toEqual({ word: t('queue.attemptAccepted'), tone: 'good' });
    expect(attemptWords({ ...attempt, failure })).toEqual({ word: t('queue.attemptFailed'), tone: 'bad' });
  });

  it('says that nothing was charged only where that is certain', () => {
    const notCharged = [t('queue.attemptNotAccepted'), t('queue.attemptRejected')];
    expect(notCharged).toContain(attemptWords({ outcome: 'not_accepted', failure }).word);
    expect(notCharged).toContain(attemptWords({ outcome: 'refused', failure }).word);
    for (const outcome of ['accepted', 'answered', 'unclear', 'under_way', 'adopted'] as const) {
      expect(notCharged).not.toContain(attemptWords({ outcome }).word);
    }
  });

  it('shows what was sent where, its files too', () => {
    expect(requestText(attempt).split('\n')).toEqual([
      'POST https://service.example/prefix/v1/images/edits/async',
      '{',
      '  "model": "image-demo",',
      '  "prompt": "A harbour"',
      '}',
      'image: /films/a.png',
    ]);
  });
});
