import fc from 'fast-check';
import type { Failure } from '../../../src/contract/failure.ts';
import type { Attempt, TaskRef } from '../../../src/contract/job.ts';
import type { JobEvent } from '../../../src/engine/machine/job-machine.ts';

/** Facts for events, where a test does not care which. */
export const failure: Failure = {
  code: 'x',
  message: 'It failed.',
  remedy: 'No action needed.',
  cost: 'nothing',
  at: 1,
};
export const attempt = (number: number): Attempt => ({
  id: `attempt-${number}`,
  number,
  bodyHash: 'hash',
  origin: 'http://127.0.0.1',
  keyFingerprint: 'fingerprint',
  intendedAt: 1,
});
export const task: TaskRef = { id: 'task-1', acceptedAt: 1 };
const results = [{ at: 'url' as const, url: 'http://127.0.0.1/a.mp4?s=1' }];

/** One event of each type. */
export const oneOfEach: readonly JobEvent[] = [
  { type: 'await_assets', since: 1, nextCheckAt: 5 },
  { type: 'assets_ready' },
  { type: 'postponed', notBefore: 5, failure },
  { type: 'unprepared', failure },
  { type: 'intended', attempt: attempt(1) },
  { type: 'not_accepted', notBefore: 5, failure },
  { type: 'accepted', task, nextPollAt: 5, deadlineAt: 99 },
  { type: 'answered', results },
  { type: 'refused', failure },
  { type: 'unclear', failure },
  { type: 'look', look: { at: 5, looks: 1 }, failure },
  { type: 'answer_found', kept: { file: '/data/answers/a.answer', addresses: [] }, results },
  { type: 'still_running', nextPollAt: 5, remoteStatus: 'running' },
  { type: 'poll_failed', nextPollAt: 5, failure },
  { type: 'succeeded', results },
  { type: 'task_failed', failure },
  { type: 'task_cancelled', failure },
  { type: 'attached_task_not_found', failure },
  { type: 'readdressed', results },
  { type: 'download_delayed', retryAt: 5, failure, countsAsTry: true },
  { type: 'address_expired', nextPollAt: 5, deadlineAt: 99, failure },
  { type: 'blocked', failure },
  { type: 'saved', at: 9 },
  { type: 'files_gone', failure: { ...failure, code: 'files_gone' } },
  { type: 'files_back', at: 9 },
  { type: 'cancel', at: 9 },
  { type: 'attach', task, nextPollAt: 5, deadlineAt: 99 },
  { type: 'give_up', failure },
  { type: 'resubmit' },
  { type: 'retry', at: 9, deadlineAt: 99 },
];

export const anyEvent = fc.constantFrom(...oneOfEach);
