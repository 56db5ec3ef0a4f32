import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../src/demo/service.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot, shots } from '../db/seed.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let world: World;
forEachTest((opened) => (world = opened));

const isThrottled = ({ fault }: LedgerEntry): boolean => fault === 'rate-limit';
/** Time from the last 429 to the next request of the same method, ms. */
function restAfterThrottle(entries: readonly LedgerEntry[]): number {
  const last = entries.findLastIndex(isThrottled);
  return (entries[last + 1]?.at ?? Number.NaN) - (entries[last]?.at ?? Number.NaN);
}

const ABSURD = ['99999999999999999999', '1893499200', '604800', 'Fri, 01 Jan 2083 00:00:00 GMT'];

describe('a service that answers 429', () => {
  it.each([
    { as: 'seconds', seconds: 90, least: 90_000, most: 120_000 },
    { as: 'date', seconds: 90, least: 90_000, most: 120_000 },
    { as: 'absent', seconds: 1, least: 1000, most: 2000 },
    { as: 'seconds', seconds: 3 * 3600, least: 3 * HOUR, most: 3 * HOUR + MINUTE },
  ] as const)('gets no submit of any job before the time it named ($as, $seconds s)', async (named) => {
    const { as, seconds } = named;
    world.fault({ method: 'POST', nth: 2 }, { fault: 'rate-limit', as, seconds });
    expect(await world.run(shots(6))).toEqual({ is: 'over' });
    const rest = restAfterThrottle(world.posts());
    expect(rest).toBeGreaterThanOrEqual(named.least);
    expect(rest).toBeLessThan(named.most);
    world.has({ saved: 6, failed: 0, unknown: 0, posts: 7, commits: 6 });
  });

  it.each([
    { end: 'a restart', leave: () => world.stop() },
    { end: 'the process was killed', leave: () => world.kill() },
  ])('still gets none after $end in the middle of the wait', async ({ leave }) => {
    world.fault({ method: 'POST' }, { fault: 'rate-limit', seconds: 7200 });
    await world.begin(shots(3));
    await world.pass(HOUR);
    expect(world.posts()).toHaveLength(1);
    await leave();
    await world.start();
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(restAfterThrottle(world.posts())).toBeGreaterThanOrEqual(2 * HOUR);
    expect(world.counts()).toMatchObject({ saved: 3 });
  });

  it('is shown while it lasts, with its end', async () => {
    world.fault({ method: 'POST' }, { fault: 'rate-limit', seconds: 600 });
    await world.begin(shots(1));
    await world.pass(MINUTE);
    const [gate] = world.engine.queue.status().gates;
    expect(gate).toMatchObject({ reason: 'throttled', message: expect.saying(/429/) });
    expect(gate?.until).toBe((world.posts()[0]?.at ?? 0) + 600_000);
    expect(world.job('0001')).toMatchObject({ state: 'ready', failure: { cost: 'nothing' } });
  });

  it('is asked more slowly afterwards, and as fast as before when all goes well again', async () => {
    world = await World.open({ settings: { maxRate: { submit: 10 }, concurrency: { submit: 1 } } });
    world.fault({ method: 'POST', nth: 11 }, { fault: 'rate-limit', seconds: 5 });
    await world.begin(shots(45));
    await world.until('the last submit', () => world.posts().length === 46);
    const times = world.posts().map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(gaps.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 100));
    expect(gaps[12]).toBeGreaterThan(180);
    expect(gaps.at(-1)).toBe(100);
  });

  it('gets no poll early either, and the tasks are followed afterwards', async () => {
    world.fault({ method: 'GET', path: '/v1/videos/*' }, { fault: 'rate-limit', seconds: 300 });
    await world.run(shots(4));
    const polls = world.service.ledger.gets().filter(({ path }) => path.startsWith('/v1/videos/'));
    expect(restAfterThrottle(polls)).toBeGreaterThanOrEqual(300_000);
    world.has({ saved: 4, posts: 4 });
  });

  it.each(ABSURD)('is not believed when it asks to wait for %s: the 429 stays a clear one', async (retryAfter) => {
    world.fault({ method: 'POST', nth: 2 }, { fault: 'rate-limit', retryAfter });
    const before = world.clock.now();
    expect(await world.run(shots(4))).toEqual({ is: 'over' });
    expect(world.clock.now() - before).toBeLessThan(10 * MINUTE);
    world.has({ saved: 4, unknown: 0, commits: 4 });
  });

  it.each(ABSURD)('holds up no poll for %s either', async (retryAfter) => {
    const path = '/v1/videos/*';
    world.fault({ method: 'GET', path }, { fault: 'rate-limit', retryAfter });
    const before = world.clock.now();
    await world.run(shots(2));
    expect(world.clock.now() - before).toBeLessThan(10 * MINUTE);
    expect(world.counts()).toMatchObject({ saved: 2 });
  });

  it('is asked at once when a person resumes the queue during a long wait, which is offered', async () => {
    world.fault({ method: 'POST' }, { fault: 'rate-limit', seconds: 10 * 3600 });
    await world.begin(shots(2));
    await world.pass(HOUR);
    expect(world.posts()).toHaveLength(1);
    expect(world.engine.queue.status().gates).toMatchObject([
      { reason: 'throttled', message: expect.saying(/resume the queue/) },
    ]);
    await world.restart();
    world.engine.queue.resume();
    const before = world.clock.now();
    await world.settle();
    expect(world.clock.now() - before).toBeLessThan(10 * MINUTE);
    expect(world.counts()).toMatchObject({ saved: 2 });
  });

  it('holds up nothing by a stored floor in 2083', async () => {
    world.fault({ method: 'POST' }, { fault: 'rate-limit', seconds: 60 });
    await world.begin(shots(2));
    await world.until('the 429', () => world.posts().length === 1);
    await world.stop();
    const year2083 = Date.UTC(2083, 0);
    world.sql('UPDATE rates SET not_before = ?', year2083);
    world.sql(`UPDATE jobs SET due_at = ?, facts = json_set(facts, '$.notBefore', ?)`, year2083, year2083);
    await world.start();
    await world.settle();
    expect(world.clock.now()).toBeLessThan(Date.UTC(2027, 0));
    expect(world.counts()).toMatchObject({ saved: 2 });
  });

  it('keeps a short wait when a person resumes the queue', async () => {
    world.fault({ method: 'POST' }, { fault: 'rate-limit', seconds: 240 });
    await world.begin(shots(1));
    await world.pass(MINUTE);
    expect(world.engine.queue.status().gates[0]?.message).not.saying(/resume/);
    world.engine.queue.resume();
    await world.settle();
    expect(restAfterThrottle(world.posts())).toBeGreaterThanOrEqual(240_000);
  });

  it('holds up polls no longer when a person resumes the queue', async () => {
    world.fault({ method: 'GET', path: '/v1/videos/*' }, { fault: 'rate-limit', seconds: 10 * 3600 });
    await world.begin(shots(2));
    await world.pass(HOUR);
    expect(world.counts()).toMatchObject({ saved: 0 });
    world.engine.queue.resume();
    const before = world.clock.now();
    await world.settle();
    expect(world.clock.now() - before).toBeLessThan(10 * MINUTE);
    expect(world.counts()).toMatchObject({ saved: 2 });
  });

  it('as a host of results holds back no submit, no poll and no download from another host', async () => {
    world.fault({ method: 'GET', path: '/media/*', prompt: 'Shot 1' }, { fault: 'rate-limit', seconds: 3 * 3600 });
    await world.begin([shot(1)]);
    await world.until('the 429', () => world.service.ledger.downloads().length === 1);
    await world.pass(MINUTE);
    const [gate] = world.engine.queue.status().gates;
    expect(gate).toMatchObject({ reason: 'throttled', message: expect.saying(/download from it/) });
    await world.import([shot(1), shot(2)]);
    await world.pass(HOUR);
    expect(world.posts()).toHaveLength(2);
    expect(world.job('0002')).toMatchObject({ state: 'downloading' });
    expect(world.service.ledger.downloads()).toHaveLength(1);
    await world.comesTo({ saved: 2 });
    expect(restAfterThrottle(world.service.ledger.downloads())).toBeGreaterThanOrEqual(3 * HOUR);
  });

  it('gets no download early either', async () => {
    world.fault({ method: 'GET', path: '/media/*' }, { fault: 'rate-limit', seconds: 120 });
    await world.run(shots(3));
    expect(restAfterThrottle(world.service.ledger.downloads())).toBeGreaterThanOrEqual(120_000);
    expect(world.counts()).toMatchObject({ saved: 3 });
  });
});
