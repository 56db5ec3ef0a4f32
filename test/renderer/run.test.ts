import { idleWords, progressInWords } from '../../src/renderer/lib/words.ts';
import { describe, expect, it } from 'vitest';
import { type BatchView, nextRun, sumOf, countTakes } from '../../src/contract/batch.ts';
import { countsInWords } from '../../src/contract/in-words.ts';
import { t } from '../../src/contract/messages/words.ts';

function batch(id: string, saved: number, unfinished: number): BatchView {
  return {
    id,
    projectId: 'p',
    name: id,
    folder: id,
    source: `${id}.csv`,
    createdAt: 0,
    shots: 1,
    counts: { saved, failed: 0, unknown: 0, cancelled: 0, unfinished },
    importing: false,
    archivedAt: null,
    notes: '',
  };
}

const ids = (run: ReadonlyMap<string, unknown>) => [...run.keys()];

describe('progress of the run', () => {
  it('counts unfinished batches and leaves out those that finished long ago', () => {
    expect(ids(nextRun(new Map(), [batch('old', 90, 0), batch('new', 1, 9)]))).toEqual(['new']);
  });

  it('keeps a batch that ends, so that the bar does not jump back', () => {
    const before = nextRun(new Map(), [batch('a', 8, 2), batch('b', 0, 10)]);
    const after = nextRun(before, [batch('a', 10, 0), batch('b', 1, 9)]);
    expect(countTakes(sumOf(after.values()))).toBe(20);
    expect(sumOf(after.values()).unfinished).toBe(9);
  });

  it('shows an ended run until the next one starts, which begins from nothing', () => {
    const ended = nextRun(nextRun(new Map(), [batch('a', 8, 2)]), [batch('a', 10, 0)]);
    expect(ids(ended)).toEqual(['a']);
    expect(ids(nextRun(ended, [batch('a', 10, 0), batch('b', 0, 5)]))).toEqual(['b']);
  });

  it('drops a batch whose project was taken off the list', () => {
    expect(ids(nextRun(nextRun(new Map(), [batch('a', 0, 2)]), []))).toEqual([]);
  });
});

const none = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 };

it('counts in words fit the numbers, and leave out what there is none of', () => {
  expect(countsInWords({ ...none, saved: 1200, failed: 2, unknown: 1, unfinished: 4 })).toBe(
    '1,200 saved, 2 failed, 1 needs a decision, 4 unfinished',
  );
  expect(countsInWords({ ...none, unknown: 2, cancelled: 1 })).toBe('2 need a decision, 1 cancelled');
  expect(countsInWords(none)).toBe('');
});

it('how far a run has got is told with what failed, which is settled but not done', () => {
  const none = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 };
  expect(progressInWords({ ...none, saved: 12 })).toBe('12 / 12 takes');
  expect(progressInWords({ ...none, saved: 1199, failed: 1, unfinished: 4 })).toBe('1,200 / 1,204 takes, 1 failed');
});

describe('a queue in which nothing runs', () => {
  it('says first what needs the person', () => {
    expect(idleWords({ ...none, unknown: 3, saved: 20, failed: 1 })).toBe('3 need a decision');
    expect(idleWords({ ...none, unknown: 1 })).toBe('1 needs a decision');
  });

  it('says how the takes ended when nothing needs anybody', () => {
    expect(idleWords({ ...none, saved: 1240, failed: 2 })).toBe('Finished: 1,240 saved, 2 failed');
    expect(idleWords({ ...none, cancelled: 4 })).toBe('Finished: 4 cancelled');
  });

  it('is empty only when there was never a take', () => {
    expect(idleWords(none)).toBe(t('status.empty'));
  });
});
