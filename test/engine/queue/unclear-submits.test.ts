import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { badAnswers } from '../../support/billable-posts.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const HOUR = 3_600_000;

let world: World;
forEachTest((opened) => (world = opened));

describe('a submit whose fate is unknown', () => {
  it('is decided without a restart when Dailies itself fails in the middle of it', async () => {
    const log: { info: (message: string) => void } = world.log;
    log.info = (message) => {
      if (message === 'A task was accepted') throw new Error('the log is broken');
    };
    await world.run([shot(1)]);
    const { id, state, paused, failure } = world.job('0001');
    expect({ state, paused }).toEqual({ state: 'submit_unknown', paused: null });
    expect(failure).toMatchObject({ code: 'failed_submit', cost: 'maybe' });
    const taskId = world.service.tasks.list()[0]?.id ?? '';
    expect(world.engine.jobs.resolve(id, { action: 'attach', taskId })).toMatchObject({ ok: true });
    await world.comesTo({ saved: 1, posts: 1 });
  });

  it.each(badAnswers)('is never sent again by itself when it $what', async ({ fault, charged, says }) => {
    world = await World.open({ settings: { submitTimeoutSeconds: 60 } });
    world.fault({ method: 'POST', prompt: 'Shot 1', times: 'always' }, fault);

    expect(await world.run([shot(1), shot(2)])).toEqual({ is: 'over' });

    const unknown = world.job('0001');
    expect(unknown).toMatchObject({ state: 'submit_unknown', standing: 'unknown', prompt: 'Shot 1' });
    expect(unknown.failure).toMatchObject({ cost: 'maybe', message: expect.saying(says) });
    expect(unknown.failure?.remedy).saying(/a second charge possible/);
    expect(unknown.failure?.at).toBeGreaterThanOrEqual(unknown.createdAt);
    world.has({ '0002': 'saved', unknown: 1, saved: 1, unfinished: 0 });

    await world.restart();
    await world.settle();
    await world.pass(30 * HOUR);
    expect(world.posts('0001')).toHaveLength(1);
    expect(world.service.ledger.commits).toBe(1 + charged);
    expect(world.job('0001').state).toBe('submit_unknown');
  });

  it('shows the ids for the service’s support when the answer named them', async () => {
    const body = {
      request_id: 'req-17',
      trace_id: 'trace-17',
      error: { message: 'upstream gone', code: 'bad_gateway' },
    };
    world.fault({ method: 'POST' }, { fault: 'status', status: 502, body });
    await world.run([shot(1)]);
    expect(world.job('0001').failure).toMatchObject({
      code: 'bad_gateway',
      httpStatus: 502,
      requestId: 'req-17',
      traceId: 'trace-17',
      message: expect.saying(/upstream gone/),
    });
  });
});

describe('a task id', () => {
  const nextTaskIs = (id: string) => world.fault({ method: 'POST' }, { fault: 'task-id', id });

  it.each(['9007199254740993', '12345678901234567890'])('that is a long number keeps its digits: %s', async (id) => {
    nextTaskIs(id);
    await world.run([shot(1)]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', taskId: id });
  });

  it('that two submits are answered with makes one take and one decision, never two takes of one task', async () => {
    world = await World.open({ settings: { concurrency: { submit: 1 } } });
    nextTaskIs('task_same');
    await world.import([shot(1), shot(2)]);
    world.fault({ method: 'POST', prompt: 'Shot 2' }, { fault: 'task-id', id: 'task_same' });
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'saved', taskId: 'task_same' });
    expect(world.job('0002')).toMatchObject({
      state: 'submit_unknown',
      failure: {
        code: 'task_of_another',
        cost: 'maybe',
        message: expect.saying(/task_same.*take 1 of shot 0001/),
      },
    });
    expect(world.counts()).toMatchObject({ saved: 1, unknown: 1 });
  });
});

describe('a process that was killed while a submit was under way', () => {
  it('may or may not have sent it: a person decides, and nothing is sent again', async () => {
    world = await World.open({ settings: { submitTimeoutSeconds: 60 } });
    world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'hang', commit: true });
    await world.begin([shot(1), shot(2)]);
    await world.until('both submits', () => world.posts().length === 2);
    await world.kill();
    await world.start();
    expect(world.engine.recovery.unknownSubmits).toBeGreaterThanOrEqual(1);
    await world.settle();
    expect(world.job('0001')).toMatchObject({
      state: 'submit_unknown',
      failure: { code: 'interrupted_submit', cost: 'maybe', message: expect.saying(/quit while sending/) },
    });
    await world.pass(30 * HOUR);
    expect(world.posts()).toHaveLength(2);
  });
});

describe('a service that cannot be reached', () => {
  it('is asked ever less often, loses nothing, and is given each shot exactly once when it is back', async () => {
    await world.service.faults.outage({ answer: 'refused', forMs: 10 * 60_000 });
    const rests = new Set<number>();
    await world.start();
    world.engine.subscribe((event) => {
      if (event.type !== 'queue') return;
      for (const gate of event.status.gates) if (gate.until) rests.add(gate.until - world.clock.now());
    });

    expect(await world.run([shot(1), shot(2), shot(3)])).toEqual({ is: 'over' });

    expect([...rests].slice(0, 7)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]);
    world.has({ saved: 3, failed: 0, unknown: 0, posts: 3, commits: 3 });
  });

  it('says so while it waits', async () => {
    await world.service.faults.outage({ answer: 'refused', forMs: HOUR });
    await world.begin([shot(1)]);
    await world.pass(5000);
    const [gate] = world.engine.queue.status().gates;
    expect(gate).toMatchObject({
      reason: 'unreachable',
      message: expect.saying(
        /^The service cannot be reached\. Nothing responds .*\(connection refused\)\. Nothing is lost\.$/,
      ),
    });
    expect(world.job('0001')).toMatchObject({ state: 'ready', failure: { cost: 'nothing' } });
  });
});

describe('a service that answers no submit clearly', () => {
  it('is left alone after five in a row, until it answers a harmless question', async () => {
    world = await World.open({ settings: { concurrency: { submit: 1 } } });
    const broken = world.fault({ method: 'POST', times: 'always' }, { fault: 'status', status: 500 });
    const deaf = world.fault({ path: '/v1/models', times: 'always' }, { fault: 'status', status: 503 });
    await world.begin(Array.from({ length: 9 }, (_, index) => shot(index + 1)));

    await world.pass(10 * 60_000);
    expect(world.posts()).toHaveLength(5);
    expect(world.engine.queue.status().gates).toMatchObject([{ reason: 'breaker' }]);
    expect(world.service.ledger.gets('/v1/models').length).toBeGreaterThan(5);

    world.service.faults.remove(deaf);
    await world.until('a submit on trial', () => world.posts().length === 6);
    await world.pass(10_000);
    // It answered the question and broke the next submit: that one opens the breaker again at once.
    expect(world.posts()).toHaveLength(6);

    world.service.faults.remove(broken);
    await world.comesTo({ unknown: 6, saved: 3, posts: 9 });
  });

  it('closes the breaker even when the account may not list models', async () => {
    world = await World.open({ settings: { concurrency: { submit: 1 } } });
    world.fault({ method: 'POST', times: 5 }, { fault: 'reset' });
    world.fault({ path: '/v1/models', times: 'always' }, { fault: 'status', status: 403 });
    await world.run(Array.from({ length: 6 }, (_, index) => shot(index + 1)));
    expect(world.counts()).toMatchObject({ unknown: 5, saved: 1 });
  });
});

const taskOf = (prompt: string): string => {
  const task = world.service.tasks.list().find(({ wanted }) => wanted.prompt === prompt);
  if (!task) throw new Error(`no task was made of ${prompt}`);
  return task.id;
};

describe('deciding about a submit of unknown fate', () => {
  /** A first shot whose submit was charged and never answered, and a second that was saved. */
  beforeEach(async () => {
    world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'reset', commit: true });
    await world.run([shot(1), shot(2)]);
  });

  it('attach: follows the task that was found and brings its file home without a POST', async () => {
    const { id } = world.job('0001');
    const answer = world.engine.jobs.resolve(id, { action: 'attach', taskId: taskOf('Shot 1') });
    expect(answer).toMatchObject({ ok: true, job: { state: 'accepted', taskId: taskOf('Shot 1') } });
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp4'] });
    expect(existsSync(join(world.projectPath, 'Day 1', '0001_t1.mp4'))).toBe(true);
    expect(world.posts()).toHaveLength(2);
  });

  it('attach: is refused for a task that another take follows', () => {
    const { id } = world.job('0001');
    const taken = world.job('0002').taskId ?? '';
    const answer = world.engine.jobs.resolve(id, { action: 'attach', taskId: taken });
    expect(answer).toMatchObject({ ok: false, problem: expect.saying(/belongs to another take/) });
    expect(world.job('0001').state).toBe('submit_unknown');
  });

  it('attach: goes back to unknown, at no charge, when the service has no such task', async () => {
    const { id } = world.job('0001');
    world.engine.jobs.resolve(id, { action: 'attach', taskId: 'task_mistyped' });
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'submit_unknown', failure: { cost: 'maybe' } });
    expect(world.job('0001').failure?.message).saying(/task_mistyped/);
    const right = { action: 'attach', taskId: taskOf('Shot 1') } as const;
    expect(world.engine.jobs.resolve(id, right)).toMatchObject({ ok: true });
    await world.comesTo({ '0001': 'saved', posts: 2 });
  });

  it('lost: writes it off, sends nothing, and keeps saying that it may have been charged', async () => {
    const answer = world.engine.jobs.resolve(world.job('0001').id, { action: 'lost' });
    expect(answer).toMatchObject({ ok: true, job: { state: 'result_lost', standing: 'failed' } });
    await world.restart();
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'result_lost', failure: { cost: 'maybe' } });
    expect(world.posts()).toHaveLength(2);
  });

  it('resubmit: sends exactly one more POST and journals it as the second attempt', async () => {
    const { id } = world.job('0001');
    expect(world.engine.jobs.resolve(id, { action: 'resubmit' })).toMatchObject({ ok: true, job: { state: 'ready' } });
    await world.comesTo({ '0001': 'saved' });
    expect(world.posts('0001')).toHaveLength(2);
    await world.stop();
    expect(world.journal(id)).toMatchObject([
      { number: 1, outcome: 'unclear' },
      { number: 2, outcome: 'accepted' },
    ]);
  });

  it('resubmit: asks for a decision again when the second POST is as unclear as the first', async () => {
    world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'reset' });
    world.engine.jobs.resolve(world.job('0001').id, { action: 'resubmit' });
    await world.comesTo({ '0001': 'submit_unknown' });
    expect(world.posts('0001')).toHaveLength(2);
  });

  it('refuses a retry, which could pay twice, and a cancel, which would hide it', () => {
    const { id } = world.job('0001');
    const retry = world.engine.jobs.retry(id);
    expect(retry).toMatchObject({ ok: false, problem: expect.saying(/may have been charged.*again\. Decide/) });
    const cancel = world.engine.jobs.cancel(id);
    expect(cancel).toMatchObject({ ok: false, problem: expect.saying(/may have been charged.*Decide/) });
    expect(world.job('0001').state).toBe('submit_unknown');
  });

  it('refuses to decide about a take that is not in question', () => {
    const saved = world.job('0002').id;
    for (const resolution of [{ action: 'lost' }, { action: 'resubmit' }] as const) {
      const answer = world.engine.jobs.resolve(saved, resolution);
      expect(answer).toMatchObject({ ok: false, problem: expect.saying(/without a clear answer can be decided/) });
    }
    expect(world.job('0002').state).toBe('saved');
  });
});
