import { describe, expect, it } from 'vitest';
import type { AttemptView } from '../../../src/contract/review.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

const attemptsOf = (key: string): AttemptView[] => world.engine.review.details(world.job(key).id).attempts;

describe('the attempts of a take', () => {
  it('are none before anything is sent', async () => {
    await world.import([shot(1, { priority: 3 })]);
    expect(attemptsOf('0001')).toEqual([]);
    expect(world.job('0001').priority).toBe(3);
  });

  it("name what was sent where, when, and the ids of the service's answer", async () => {
    await world.run([shot(1)]);
    const [post] = world.posts();
    const { taskId, requestId, traceId } = world.job('0001');
    expect(attemptsOf('0001')).toMatchObject([
      {
        number: 1,
        intendedAt: post?.at,
        endedAt: post?.at,
        outcome: 'accepted',
        origin: world.service.url,
        request: { path: '/v1/videos', body: { prompt: 'Shot 1' } },
        taskId,
        requestId,
        traceId,
      },
    ]);
    expect(traceId).toBeTruthy();
  });

  it('keep what the service said to each, and why a task of an earlier one failed', async () => {
    const { faults } = world.service;
    faults.add({ match: { method: 'POST' }, do: { fault: 'rate-limit', seconds: 5 } });
    faults.add({ match: { method: 'POST' }, do: { fault: 'outcome', end: 'failed' } });
    await world.run([shot(1)]);
    world.engine.jobs.retry(world.job('0001').id);
    await world.settle();
    const [first, second, third] = attemptsOf('0001');
    expect(first).toMatchObject({ outcome: 'not_accepted', failure: { httpStatus: 429 } });
    expect(second).toMatchObject({
      outcome: 'accepted',
      failure: { message: expect.saying(/could not generate/) },
    });
    expect(third).toMatchObject({ outcome: 'accepted', taskId: world.job('0001').taskId });
    expect(third).not.toHaveProperty('failure');
    expect(second?.taskId).not.toBe(third?.taskId);
  });

  it('name the task that a person found for one of unknown fate', async () => {
    world.fault({ method: 'POST' }, { fault: 'reset', commit: true });
    await world.run([shot(1)]);
    expect(attemptsOf('0001')).toMatchObject([{ outcome: 'unclear', failure: { cost: 'maybe' } }]);
    const taskId = world.service.tasks.list()[0]?.id ?? '';
    world.engine.jobs.resolve(world.job('0001').id, { action: 'attach', taskId });
    await world.settle();
    expect(attemptsOf('0001')).toMatchObject([{ outcome: 'unclear', taskId }]);
  });

  it('are one of unknown end when the process died while it was sent', async () => {
    world.fault({ method: 'POST' }, { fault: 'hang', commit: true });
    await world.begin([shot(1)]);
    await world.until('a submit', () => world.posts().length === 1);
    expect(attemptsOf('0001')).toMatchObject([{ outcome: 'under_way', endedAt: null }]);
    await world.kill();
    await world.start();
    expect(attemptsOf('0001')).toMatchObject([{ outcome: 'unclear', failure: { code: 'interrupted_submit' } }]);
  });
});
