import { remedyHere } from '../../../src/renderer/lib/jobs/actions.ts';
import { describe, expect, it } from 'vitest';
import { columnsFor } from '../../../src/renderer/views/queue/grid/columns.ts';
import { awakeWords } from '../../../src/renderer/views/queue/overview/queue-words.ts';
import { matching } from '../../../src/renderer/views/queue/rows/filter.ts';
import { expectedAt, groups } from '../../../src/renderer/views/queue/rows/groups.ts';
import { aJob } from './jobs.ts';
import { t } from '../../../src/contract/messages/words.ts';

describe('the expected end', () => {
  it('is that of a take at the service, by the usual time of its model', () => {
    const times = [{ model: aJob().model, ms: 60_000 }];
    const sent = aJob({ state: 'polling', sentAt: 5000 });
    expect(expectedAt(sent, times)).toBe(65_000);
    expect(expectedAt(sent)).toBeNull();
    expect(expectedAt(aJob({ state: 'ready' }), times)).toBeNull();
    expect(expectedAt({ ...sent, paused: 'user' }, times)).toBeNull();
  });
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

describe('the columns', () => {
  it('always name the shot, its take and its state, however narrow the list', () => {
    for (const { name } of groups) {
      const names = columnsFor(name, 400).map((column) => column.name);
      expect(names).toEqual(expect.arrayContaining(['state', 'shot', 'take', 'elapsed']));
      expect(columnsFor(name, 1400).length).toBeGreaterThan(names.length);
    }
  });
});

describe('words', () => {
  it.each([
    [true, false, t('queue.keptAwake'), false],
    [false, false, t('queue.maySleep'), false],
    [null, false, t('queue.notKeptAwake'), true],
    // However firmly it is kept awake, an empty battery ends the night.
    [true, true, t('queue.onBattery'), true],
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
