import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fault, LedgerEntry } from '../../support/demo/service.ts';
import { startDemoService } from '../../support/demo/service.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { someOf } from '../../support/chance.ts';

const HOUR = 3_600_000;

let world: World;
forEachTest((opened) => (world = opened));

const polls = (): readonly LedgerEntry[] =>
  world.service.ledger.gets().filter(({ path }) => path.startsWith('/v1/videos/'));

describe('a poll that goes wrong', () => {
  const faults: readonly { what: string; fault: Fault }[] = [
    { what: 'a 500', fault: { fault: 'status', status: 500 } },
    { what: 'a 503', fault: { fault: 'status', status: 503 } },
    { what: 'a reset', fault: { fault: 'reset' } },
    { what: 'a 404', fault: { fault: 'status', status: 404 } },
    { what: 'a 403', fault: { fault: 'status', status: 403 } },
    { what: 'a web page', fault: { fault: 'html' } },
    { what: 'an empty answer', fault: { fault: 'empty' } },
    { what: 'an answer cut short', fault: { fault: 'cut' } },
    { what: 'a redirect', fault: { fault: 'redirect', to: 'other' } },
    { what: 'no answer', fault: { fault: 'hang' } },
    { what: 'an answer that stalls', fault: { fault: 'stall' } },
  ];

  it.each(someOf(faults))('does not end a task: $what, three times', async ({ fault }) => {
    world.fault({ path: '/v1/videos/*', method: 'GET', times: 3 }, fault);
    expect(await world.run([shot(1)])).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'saved' });
    expect(world.job('0001').failure).toBeUndefined();
    expect(polls().filter((poll) => poll.fault !== null)).toHaveLength(3);
    expect(world.posts()).toHaveLength(1);
  });

  it('does not end a task while the service cannot be reached at all', async () => {
    await world.begin([shot(1)]);
    await world.until('acceptance', () => world.job('0001').taskId !== undefined);
    await world.service.faults.outage({ answer: 'refused', forMs: HOUR });
    await world.comesTo({ '0001': 'saved', posts: 1 });
  });

  it('says what happens meanwhile, and that the task is paid for', async () => {
    world.fault({ path: '/v1/videos/*', times: 'always' }, { fault: 'status', status: 502 });
    await world.begin([shot(1)]);
    await world.pass(60_000);
    expect(world.job('0001')).toMatchObject({ state: 'polling', failure: { cost: 'charged', httpStatus: 502 } });
    expect(world.job('0001').failure?.remedy).saying(/continues automatically/);
  });

  it('is repeated less and less often, but at least once a minute or so', async () => {
    world.fault({ path: '/v1/videos/*', times: 'always' }, { fault: 'status', status: 502 });
    await world.begin([shot(1)]);
    await world.pass(HOUR);
    expect(polls().length).toBeGreaterThan(55);
    expect(polls().length).toBeLessThan(400);
  });
});

describe('the end of a task', () => {
  it('follows a status word nobody knows, and logs it once', async () => {
    const odd = {
      match: { path: '/v1/videos/*', times: 4 },
      do: { fault: 'task-status', status: 'simmering' },
    } as const;
    world.service.faults.add(odd);
    world.fault({ path: '/v1/videos/*' }, { fault: 'task-status', status: 'resting' });
    await world.run([shot(1)]);
    expect(world.job('0001').state).toBe('saved');
    const logged = world.log.lines.filter((line) => line.includes('status word'));
    expect(logged).toHaveLength(2);
    expect(logged[0]).toContain('simmering');
    expect(logged[1]).toContain('resting');
  });

  it.each(['cancelled', 'canceled'] as const)('reads %s as cancelled at the service', async (end) => {
    world.fault({ method: 'POST' }, { fault: 'outcome', end });
    await world.run([shot(1), shot(2)]);
    expect(world.job('0001')).toMatchObject({
      state: 'remote_cancelled',
      standing: 'failed',
      failure: { code: 'task_cancelled', cost: 'maybe', remedy: expect.saying(/a new charge/) },
    });
    expect(world.job('0002').state).toBe('saved');
  });

  it('tells why a task failed in the service’s own words', async () => {
    const fault = { fault: 'outcome', end: 'failed', message: 'A face was not allowed.', code: 'review' } as const;
    world.fault({ method: 'POST' }, fault);
    await world.run([shot(1), shot(2)]);
    const { failure, state } = world.job('0001');
    expect(state).toBe('remote_failed');
    expect(failure).toMatchObject({ code: 'review', message: expect.saying(/A face was not allowed\./) });
    expect(world.counts()).toMatchObject({ failed: 1, saved: 1 });
    expect(world.posts('0001')).toHaveLength(1);
  });

  it('asks a person about a task that does not end in time, and follows it again when told to', async () => {
    world = await World.open({ settings: { deadlineHours: 0.2 } });
    world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'outcome', end: 'succeeded', takesMs: 0.3 * HOUR });
    expect(await world.run([shot(1), shot(2)])).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'polling', paused: 'deadline', standing: 'unknown' });
    expect(world.counts()).toMatchObject({ saved: 1, unknown: 1, unfinished: 0 });

    await world.restart();
    const before = polls().length;
    await world.settle();
    await world.pass(2 * HOUR);
    expect(polls()).toHaveLength(before);

    expect(world.engine.jobs.retry(world.job('0001').id)).toMatchObject({ ok: true, job: { paused: null } });
    await world.comesTo({ '0001': 'saved' });
    expect(world.posts('0001')).toHaveLength(1);
  });

  const places = ['data.video_url', 'video_url', 'url', 'result_url', 'output.url', 'metadata.url'] as const;
  it.each(someOf(places))('finds the result at %s', async (place) => {
    world.fault({ path: '/v1/videos/*', times: 'always' }, { fault: 'record-shape', place });
    await world.run([shot(1)]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp4'] });
  });
});

describe('a take that failed at the service and is wanted again', () => {
  /** Failed once; `now` is what its task says later. */
  async function failed(now?: Fault): Promise<string> {
    const fault = { fault: 'task-status', status: 'failed' } as const;
    world.fault({ method: 'GET', path: '/v1/videos/*' }, fault);
    if (now) world.fault({ method: 'GET', path: '/v1/videos/*' }, now);
    await world.run([shot(1)]);
    expect(world.job('0001').state).toBe('remote_failed');
    return world.job('0001').id;
  }

  it('is not paid again when its old task has a result after all', async () => {
    const id = await failed();
    expect(world.engine.jobs.retry(id)).toMatchObject({ ok: true, job: { state: 'polling' } });
    await world.comesTo({ '0001': 'saved', posts: 1 });
  });

  it.each<[string, Fault]>([
    ['has failed indeed', { fault: 'task-status', status: 'failed' }],
    ['is gone', { fault: 'status', status: 404 }],
  ])('is sent again, once, when its old task %s', async (_what, now) => {
    const id = await failed(now);
    world.engine.jobs.retry(id);
    await world.comesTo({ '0001': 'saved', posts: 2 });
  });

  it('is not sent again before an answer about its old task has come', async () => {
    const id = await failed({ fault: 'status', status: 502 });
    world.engine.jobs.retry(id);
    await world.comesTo({ '0001': 'saved', posts: 1 });
  });

  it('is sent again when the key of its old task is gone, so that nobody can ask about it', async () => {
    const id = await failed();
    const other = await startDemoService({ clock: world.clock, media: 'tiny', apiKey: 'sk-of-another-account' });
    try {
      world.key = other.apiKey;
      await world.restart({ baseUrl: other.url });
      world.engine.jobs.retry(id);
      await world.comesTo({ '0001': 'saved' });
      expect(other.ledger.commits).toBe(1);
    } finally {
      await other.stop();
    }
  });
});

describe('a task whose deadline is over', () => {
  /** Accepted on Friday; the machine wakes on Monday. */
  async function asleepOverTheWeekend(takesMs: number): Promise<void> {
    world.fault({ method: 'POST' }, { fault: 'outcome', end: 'succeeded', takesMs });
    await world.begin([shot(1)]);
    await world.until('acceptance', () => world.job('0001').taskId !== undefined);
    await world.stop();
    world.clock.advance(62 * HOUR);
    await world.start();
  }

  it('is polled before it counts as late: a result from a weekend asleep is saved', async () => {
    await asleepOverTheWeekend(HOUR);
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'saved', paused: null });
    expect(world.posts()).toHaveLength(1);
  });

  it('needs a decision once the service has said that it still runs', async () => {
    await asleepOverTheWeekend(100 * HOUR);
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'polling', paused: 'deadline', standing: 'unknown' });
    expect(polls()).toHaveLength(1);
  });

  it('is not judged by one bad answer, nor by a network that is still down', async () => {
    await asleepOverTheWeekend(HOUR);
    world.fault({ path: '/v1/videos/*' }, { fault: 'status', status: 502 });
    await world.service.faults.outage({ answer: 'refused', forMs: HOUR });
    await world.comesTo({ '0001': 'saved' });
  });

  it('needs a decision when the service answers nothing but errors', async () => {
    await asleepOverTheWeekend(HOUR);
    world.fault({ path: '/v1/videos/*', times: 'always' }, { fault: 'status', status: 404 });
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'polling', paused: 'deadline' });
    expect(polls()).toHaveLength(4);
  });
});

describe('a status word that plainly says done', () => {
  it.each(['completed', 'SUCCESS', 'done'])('is believed beside a result address: %s', async (status) => {
    world.fault({ method: 'POST' }, { fault: 'outcome', takesMs: 1 });
    const word = { fault: 'task-status', status, keepOutput: true } as const;
    world.fault({ path: '/v1/videos/*', times: 'always' }, word);
    await world.run([shot(1)]);
    expect(world.job('0001').state).toBe('saved');
  });

  it('is not believed without one: the task is asked about again', async () => {
    world = await World.open({ service: { speed: { videoMs: 60_000 } } });
    const early = { fault: 'task-status', status: 'completed' } as const;
    world.fault({ path: '/v1/videos/*', times: 2 }, early);
    await world.run([shot(1)]);
    expect(world.job('0001').state).toBe('saved');
    expect(polls().length).toBeGreaterThan(2);
  });
});

describe('a task and the place it was accepted at', () => {
  async function withTaskUnderWay(): Promise<void> {
    world = await World.open({ service: { speed: { videoMs: HOUR } } });
    await world.begin([shot(1)]);
    await world.until('acceptance', () => world.job('0001').taskId !== undefined);
  }

  it('stay together when the address in the settings changes', async () => {
    await withTaskUnderWay();
    const other = await startDemoService({ clock: world.clock, media: 'tiny', apiKey: world.service.apiKey });
    onTestFinished(() => other.stop());
    await world.restart({ baseUrl: other.url });
    await world.run([shot(1), shot(2)]);
    expect(world.counts()).toMatchObject({ saved: 2 });
    expect(other.ledger.entries.some(({ path }) => path.includes(world.job('0001').taskId ?? ''))).toBe(false);
    expect(other.ledger.commits).toBe(1);
    expect(world.service.ledger.commits).toBe(1);
  });

  it('are held, and never asked about with another key, when the key changes', async () => {
    await withTaskUnderWay();
    const right = world.key;
    world.key = 'sk-of-another-account';
    await world.restart();
    const before = world.service.ledger.received;
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'accepted', paused: 'other_key', standing: 'unfinished' });
    expect(world.service.ledger.received).toBe(before);

    world.key = right;
    await world.restart();
    await world.comesTo({ '0001': 'saved', commits: 1 });
  });

  it('are not a reason to stop new work when the old address is gone or refuses the key', async () => {
    await withTaskUnderWay();
    const other = await startDemoService({ clock: world.clock, media: 'tiny', apiKey: world.service.apiKey });
    try {
      world.fault({ method: 'GET', times: 'always' }, { fault: 'status', status: 401 });
      await world.restart({ baseUrl: other.url });
      await world.run([shot(1), shot(2)]);
      expect(world.job('0002').state).toBe('saved');
      expect(world.job('0001')).toMatchObject({ state: 'polling', paused: 'key_refused' });
      await world.service.faults.outage({ answer: 'refused' });
      await world.restart({ baseUrl: other.url });
      await world.begin([shot(1), shot(2), shot(3), shot(4), shot(5)]);
      const startedAt = world.clock.now();
      await world.until('the new shots', () => world.counts().saved === 4);
      expect(world.clock.now() - startedAt).toBeLessThan(30_000);
    } finally {
      await world.service.faults.lift();
      await other.stop();
    }
  });
});
