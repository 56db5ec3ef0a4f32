import { describe, expect, it } from 'vitest';
import { t } from '../../../src/contract/messages/words.ts';
import {
  isConfirmed,
  problemOfAddress,
  problemOfTaskId,
  resolutionFor,
} from '../../../src/renderer/lib/jobs/decide/decision.ts';

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
    ['x'.repeat(201), 'too long'],
    ['job-1', 'of the take in Dailies'],
    ['req-1', 'This is a request ID'],
    ['trace-1', 'This is a trace ID'],
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
