import { describe, expect, it } from 'vitest';
import {
  retryWord,
  toActions,
  isConfirmed,
  problemOfAddress,
  problemOfTaskId,
  resolutionFor,
} from '../../../src/renderer/lib/jobs/actions.ts';
import { aJob } from '../../support/jobs.ts';
import { t } from '../../../src/contract/messages/words.ts';

describe('what can be done with a job', () => {
  it('offers no retry of a submit of unknown fate, only a decision', () => {
    const allowed = toActions([aJob({ state: 'submit_unknown' })]);
    expect(allowed.retry).toHaveLength(0);
    expect(allowed.cancel).toHaveLength(0);
    expect(allowed.decide).toHaveLength(1);
  });

  it('releases what waits for a release, on hold or not, and nothing else', () => {
    const release = aJob({ id: 'a', state: 'needs_assets', wait: 'release' });
    const held = aJob({ id: 'b', state: 'needs_assets', wait: 'release', paused: 'user' });
    const pick = aJob({ id: 'c', state: 'needs_assets', wait: 'pick', waitsFor: '010' });
    expect(toActions([release, held, pick]).wait).toEqual([release, held]);
  });

  it('distinguishes a retry that makes a new task from one that fetches a finished result', () => {
    const failed = aJob({ id: 'a', state: 'remote_failed', taskId: 'task-1' });
    const blocked = aJob({ id: 'b', state: 'download_blocked', taskId: 'task-2' });
    const allowed = toActions([failed, blocked]);
    expect(allowed.retry).toEqual([failed, blocked]);
    expect(allowed.retryCosts).toEqual([failed]);
  });

  it('holds, resumes and moves what waits in the studio, and only stops following what another machine has sent', () => {
    const waits = aJob({ id: 'a', state: 'ready', paused: 'elsewhere' });
    const sent = aJob({ id: 'b', state: 'polling', paused: 'elsewhere', taskId: 't' });
    const { hold, retry, move, cancel } = toActions([waits, sent]);
    expect([hold, retry, move]).toEqual([[waits], [waits], [waits]]);
    expect(cancel).toEqual([waits, sent]);
    expect(retryWord(retry)).toBe(t('common.resume'));
  });

  it('says what trying again comes to, and that something is sent where it is', () => {
    expect(retryWord([aJob({ state: 'rejected' })])).toBe(t('common.sendAgain'));
    expect(retryWord([aJob({ state: 'remote_failed', taskId: 't' })])).toBe(t('queue.newTask'));
    expect(retryWord([aJob({ state: 'download_blocked', taskId: 't' })])).toBe(t('queue.downloadAgain'));
    expect(retryWord([aJob({ state: 'cancelled', taskId: 't' })])).toBe(t('queue.followAgain'));
    expect(retryWord([aJob({ state: 'polling', paused: 'deadline', taskId: 't' })])).toBe(t('queue.waitLonger'));
    expect(retryWord([aJob({ state: 'rejected' }), aJob({ state: 'download_blocked' })])).toBe(t('common.tryAgain'));
  });

  it('offers no retry of a take that was cancelled after it was sent and has no task to ask for', () => {
    expect(toActions([aJob({ state: 'cancelled', sentAt: 1000 })]).retry).toHaveLength(0);
    expect(toActions([aJob({ state: 'cancelled' })]).retry).toHaveLength(1);
  });

  it('offers to save the paid answer of a take that was cancelled after it had come', () => {
    const job = aJob({ state: 'cancelled', sentAt: 1000, hasAnswer: true });
    expect(toActions([job])).toMatchObject({ retry: [job], retryCosts: [] });
    expect(retryWord([job])).toBe(t('queue.saveResult'));
  });

  it('knows which cancelled takes go on at the service', () => {
    const waiting = aJob({ id: 'a' });
    const sending = aJob({ id: 'b', state: 'submitting' });
    const accepted = aJob({ id: 'c', state: 'accepted', taskId: 'task-1' });
    const allowed = toActions([waiting, sending, accepted]);
    expect(allowed.cancel).toEqual([waiting, sending, accepted]);
    expect(allowed.stillAtService).toEqual([sending, accepted]);
  });

  it('lets an overdue task be followed longer, given up, or decided by who knows its result', () => {
    const allowed = toActions([aJob({ state: 'polling', paused: 'deadline', taskId: 'task-1' })]);
    expect(allowed.retry).toHaveLength(1);
    expect(allowed.cancel).toHaveLength(1);
    expect(allowed.decide).toHaveLength(1);
  });

  it('holds running takes and releases held ones, and nothing else', () => {
    const free = aJob({ id: 'a', state: 'polling' });
    const held = aJob({ id: 'b', paused: 'user' });
    const refusedKey = aJob({ id: 'c', paused: 'key_refused' });
    const allowed = toActions([free, held, refusedKey, aJob({ id: 'd', state: 'saved' })]);
    expect(allowed.hold).toEqual([free]);
    expect(allowed.release).toEqual([held]);
    expect(allowed.retry).toEqual([refusedKey]);
  });

  it('puts in order only what was not sent', () => {
    const waiting = aJob({ id: 'a' });
    expect(toActions([waiting, aJob({ id: 'b', state: 'submitting' })]).move).toEqual([waiting]);
  });
});

const job = { id: 'job-1', requestId: 'req-1', traceId: 'trace-1' };

describe('a task id typed by hand', () => {
  it.each(['task_257a0857535fba1fe14dcf59', '  42  ', 'a/b:c'])('takes %j', (text) => {
    expect(problemOfTaskId(text, job)).toBeNull();
  });

  it.each([
    ['', 'Enter the task ID'],
    ['   ', 'Enter the task ID'],
    ['task 1', 'one word'],
    ['https://service.example/tasks/1', 'address'],
    ['x'.repeat(201), 'not a task ID'],
    ['job-1', 'of the take in Dailies'],
    ['req-1', 'the ID of the request'],
    ['trace-1', 'the ID of the trace'],
  ])('does not take %j: %s', (text, reason) => {
    expect(problemOfTaskId(text, job)).toContain(reason);
  });

  it('is sent without the blanks around it', () => {
    expect(resolutionFor('attach', ' task-1\n')).toEqual({ action: 'attach', taskId: 'task-1' });
    expect(resolutionFor('lost', 'task-1')).toEqual({ action: 'lost' });
  });
});

describe('an answer that was kept', () => {
  it('is the result itself, or has it at an address', () => {
    expect(resolutionFor('accept', '', ' ')).toEqual({ action: 'accept' });
    const url = 'https://cdn.example/1.png';
    expect(resolutionFor('accept', '', ` ${url}\n`)).toEqual({ action: 'accept', url });
  });

  it('is asked for a whole address', () => {
    const kept = { file: '/data/answers/a.answer', addresses: [] };
    expect(problemOfAddress('', kept)).toBeNull();
    expect(problemOfAddress('https://cdn.example/1.png', kept)).toBeNull();
    expect(problemOfAddress('cdn.example/1.png', kept)).toContain('https://');
    expect(problemOfAddress('', undefined)).toContain('https://');
  });

  it('is no result itself where only its beginning came', () => {
    const cut = { file: '/data/answers/a.answer.arriving', addresses: [] };
    expect(problemOfAddress('', cut)).toBe(t('queue.addressNeeded'));
    expect(problemOfAddress('https://cdn.example/1.png', cut)).toBeNull();
    expect(problemOfAddress('', { ...cut, file: '/data/answers/a.answer' })).toBeNull();
  });
});

describe('a second charge', () => {
  it('is confirmed by a tick for one take', () => {
    expect(isConfirmed(1, false, '1')).toBe(false);
    expect(isConfirmed(1, true, '')).toBe(true);
  });

  it('is confirmed by typing how many for several', () => {
    expect(isConfirmed(12, true, '')).toBe(false);
    expect(isConfirmed(12, false, '1')).toBe(false);
    expect(isConfirmed(12, false, ' 12 ')).toBe(true);
  });
});
