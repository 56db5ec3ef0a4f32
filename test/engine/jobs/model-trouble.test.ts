import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../src/contract/failure.ts';
import { messageFor } from '../../../src/contract/messages/message.ts';
import { submitRefused, taskFailed } from '../../../src/engine/machine/failures.ts';
import { newJob } from '../../../src/engine/machine/job-machine.ts';
import { afterOutcome, modelOutcomeFor, type ModelTrouble } from '../../../src/engine/machine/model-trouble.ts';

const failed = (message: string, code?: string): Failure =>
  taskFailed({ message, ...(code !== undefined && { code }) }, 1);
const newsOfFailure = (failure: Failure) => modelOutcomeFor(newJob, { type: 'task_failed', failure });

describe('a failure of a task', () => {
  it.each([
    ['the service has no capacity', 'capacity_exceeded'],
    ['upstream error', undefined],
    ['invalid model', 'model_not_found'],
  ])('says that the model fails: %s', (message, code) => {
    expect(newsOfFailure(failed(message, code))?.type).toBe('fails');
  });

  it.each([
    ['the model refused: content policy', undefined],
    ['it was stopped by moderation', 'generation_failed'],
    ['no', 'invalid_image'],
    ['内容敏感', undefined],
  ])('says that the shot is at fault: %s', (message, code) => {
    expect(newsOfFailure(failed(message, code))?.type).toBe('faulty_shot');
  });

  it('is equal to another one of the same text, whatever its numbers and ids, where its code says nothing', () => {
    const [one, other, third] = ['job 17 timed out at 9f8e7d6c', 'job 18 timed out at aabbccdd', 'lost'].map(
      (message) => newsOfFailure(failed(message)),
    );
    expect(one).toMatchObject({ type: 'fails' });
    const causeOf = (news: typeof one) => (news?.type === 'fails' ? news.cause : null);
    expect(causeOf(one)).toBe(causeOf(other));
    expect(causeOf(one)).not.toBe(causeOf(third));
  });
});

it('a request that never left says nothing of a model, and a refusal does', () => {
  const message = messageFor('failure.noReason');
  const refused = (httpStatus?: number) =>
    modelOutcomeFor(newJob, {
      type: 'refused',
      failure: submitRefused({ message, ...(httpStatus && { httpStatus }) }, 1),
    })?.type;
  expect([undefined, 400, 404].map(refused)).toEqual([undefined, 'faulty_shot', 'fails']);
});

it('a held model takes in only its trial take, and successes', () => {
  const at = (now: number, jobId = 'any') => ({ jobId, now, firstPauseMs: 10 });
  const fails = { type: 'fails', cause: 'failed x', message: 'x' } as const;
  let trouble: ModelTrouble | null = null;
  for (let count = 1; count <= 5; count += 1) trouble = afterOutcome(trouble, fails, at(0));
  expect(trouble).toMatchObject({ count: 5, held: { until: 10, pauseMs: 10, probe: null } });
  expect(afterOutcome(trouble, fails, at(5))).toBe(trouble);
  expect(afterOutcome(trouble, { type: 'faulty_shot' }, at(5))).toBe(trouble);
  expect(afterOutcome(trouble, { type: 'works' }, at(5))).toBeNull();
  const trying: ModelTrouble | null = trouble && { ...trouble, held: { until: 10, pauseMs: 10, probe: 'it' } };
  expect(afterOutcome(trying, fails, at(20, 'it'))).toMatchObject({
    count: 6,
    held: { until: 40, pauseMs: 20, probe: null },
  });
});

it('a row of failures ends with another failure, a faulty shot, or a success', () => {
  const context = { jobId: 'any', now: 0, firstPauseMs: 10 };
  const fails = (cause: string) => ({ type: 'fails', cause, message: cause }) as const;
  const twice = afterOutcome(afterOutcome(null, fails('refused a'), context), fails('refused a'), context);
  expect(twice?.count).toBe(2);
  expect(afterOutcome(twice, fails('refused b'), context)?.count).toBe(1);
  expect(afterOutcome(twice, { type: 'faulty_shot' }, context)).toBeNull();
  expect(afterOutcome(twice, { type: 'takes_requests' }, context)).toBeNull();
});
