import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StudioDatabase } from '../../src/studio/database.ts';
import type { HeldTake, NewStudioTake } from '../../src/studio/types.ts';
import {
  ACCOUNT,
  batchOf,
  cuttableWay,
  hasPostgres,
  newStudio,
  requestFor,
  takesOf,
  teller,
  type TestStudio,
  unlimited,
} from '../support/studio.ts';

describe.runIf(hasPostgres)('the right to send a request', () => {
  let studio: TestStudio;
  let anna: StudioDatabase;
  beforeEach(async () => {
    studio = await newStudio();
    anna = await studio.machine('anna');
  });
  afterEach(() => studio.close());

  /** Takes that Anna's machine holds. */
  async function held(count: number, more: Partial<NewStudioTake> = {}): Promise<readonly HeldTake[]> {
    await anna.enqueue(batchOf(), takesOf(count, more));
    await studio.admin.setRate(ACCOUNT.name, unlimited);
    return anna.takeNext(['nas'], [ACCOUNT], count);
  }
  const only = async (more: Partial<NewStudioTake> = {}): Promise<HeldTake> => (await held(1, more))[0] as HeldTake;

  it('is given once, however many ask for a take at the same time', async () => {
    const take = await only();
    const answers = await Promise.all(Array.from({ length: 8 }, () => anna.grant(requestFor(take))));
    expect(answers.filter(({ kind }) => kind === 'granted')).toHaveLength(1);
    expect(new Set(answers.flatMap((each) => (each.kind === 'refused' ? [each.why] : [])))).toEqual(
      new Set(['attempt_open']),
    );
    expect(await studio.query('SELECT takes, micros FROM dailies.usage')).toEqual(
      Array.from({ length: 4 }, () => ({ takes: 1, micros: '1000' })),
    );
  });

  it('is the same one for the attempt that asks again because its answer was lost', async () => {
    const take = await only();
    const way = await cuttableWay();
    const address = { ...studio.addressFor('anna'), host: '127.0.0.1', port: way.port };
    await anna.close();
    const cut = await studio.open('anna', "anna's", { address });
    const request = requestFor(take);
    way.loseNextAnswer();
    await expect(cut.grant(request)).rejects.toMatchObject({ code: 'studio_away', isAway: true });
    expect(await cut.grant(request)).toMatchObject({ kind: 'granted', sequence: 1 });
    expect(await studio.query('SELECT count(*)::int AS count FROM dailies.attempts')).toEqual([{ count: 1 }]);
    expect(await studio.query(`SELECT takes FROM dailies.usage WHERE scope = 'person'`)).toEqual([{ takes: 1 }]);
    await cut.close();
    await way.close();
  });

  it('is refused for an attempt that was used for something else, or has ended', async () => {
    const [one, other] = (await held(2)) as [HeldTake, HeldTake];
    const request = requestFor(one);
    await anna.grant(request);
    expect(await anna.grant({ ...requestFor(other), attemptId: request.attemptId })).toMatchObject({
      why: 'attempt_used',
    });
    expect(await anna.grant({ ...request, bodyHash: 'another' })).toMatchObject({ why: 'attempt_used' });
    await teller(anna)(one, { kind: 'not_sent', attemptId: request.attemptId });
    expect(await anna.grant(request)).toMatchObject({ why: 'attempt_used' });
    expect(await anna.grant(requestFor(one))).toMatchObject({ kind: 'granted' });
  });

  it('is refused to a machine that has not the take, or had it before', async () => {
    const take = await only();
    const ben = await studio.machine('ben');
    expect(await ben.grant(requestFor(take))).toMatchObject({ why: 'not_owner' });
    expect(await anna.grant(requestFor(take, { epoch: take.epoch - 1 }))).toMatchObject({ why: 'not_owner' });
    await teller(anna)(take, { kind: 'released' });
    expect(await anna.grant(requestFor(take))).toMatchObject({ why: 'not_owner' });
    const [again] = (await ben.takeNext(['nas'], [ACCOUNT], 1)) as [HeldTake];
    expect(again).toMatchObject({ id: take.id, epoch: take.epoch + 2 });
    expect(await anna.grant(requestFor(take))).toMatchObject({ why: 'not_owner' });
    expect(await ben.grant(requestFor(again))).toMatchObject({ kind: 'granted' });
  });

  it('is refused for a take that a person cancelled or holds', async () => {
    const [one, other] = (await held(2)) as [HeldTake, HeldTake];
    await anna.command([one.id], { kind: 'cancel' });
    await anna.command([other.id], { kind: 'hold' });
    expect(await anna.grant(requestFor(one))).toMatchObject({ why: 'cancelled' });
    expect(await anna.grant(requestFor(other))).toMatchObject({ why: 'on_hold' });
    expect((await anna.heartbeat()).commands).toEqual(
      expect.arrayContaining([
        { takeId: one.id, epoch: one.epoch, isCancelled: true, isOnHold: false },
        { takeId: other.id, epoch: other.epoch, isCancelled: false, isOnHold: true },
      ]),
    );
    await anna.command([other.id], { kind: 'resume' });
    expect(await anna.grant(requestFor(other))).toMatchObject({ kind: 'granted' });
  });

  it('comes at the rate of the account, for all machines together', async () => {
    const takes = await held(2);
    await studio.admin.setRate(ACCOUNT.name, { ...unlimited, submits: 0.1 });
    const [first, second] = takes as [HeldTake, HeldTake];
    expect(await anna.grant(requestFor(first))).toMatchObject({ kind: 'granted' });
    const next = await anna.grant(requestFor(second));
    expect(next).toMatchObject({ kind: 'wait', why: 'rate' });
    expect(next.kind === 'wait' && next.ms).toBeGreaterThan(9000);
  });

  it('waits for all after a 429 at one of them', async () => {
    const [take] = (await held(1)) as [HeldTake];
    const ben = await studio.machine('ben');
    await ben.enqueue(batchOf('ben'), takesOf(1));
    await ben.takeNext(['nas'], [ACCOUNT], 1);
    await ben.throttled({ account: ACCOUNT, model: 'm1', retryAfterMs: 5000, isCount: false });
    const answer = await anna.grant(requestFor(take));
    expect(answer).toMatchObject({ kind: 'wait', why: 'throttled' });
    expect(answer.kind === 'wait' && answer.ms).toBeGreaterThan(4000);
    expect((await anna.heartbeat()).accounts[0]).toMatchObject({ name: 'main', inFlight: 0 });
  });

  it('keeps to a ceiling that a 429 has taught, until one of the tasks ends', async () => {
    const takes = await held(4);
    const tell = teller(anna);
    const requests = takes.map((take) => requestFor(take));
    const [first, second, third, fourth] = takes as [HeldTake, HeldTake, HeldTake, HeldTake];
    for (const request of requests.slice(0, 3)) expect(await anna.grant(request)).toMatchObject({ kind: 'granted' });
    await tell(first, { kind: 'accepted', attemptId: requests[0]?.attemptId, taskId: 't1' });
    await tell(second, { kind: 'accepted', attemptId: requests[1]?.attemptId, taskId: 't2' });
    await anna.throttled({ account: ACCOUNT, model: 'm1', retryAfterMs: 0, isCount: true });
    await tell(third, { kind: 'not_sent', attemptId: requests[2]?.attemptId });
    expect(await anna.grant(requests[3] ?? requestFor(fourth))).toMatchObject({ kind: 'wait', why: 'ceiling' });
    await tell(first, { kind: 'saved', attemptId: requests[0]?.attemptId, priceMicros: null, detail: null });
    expect(await anna.grant(requestFor(fourth))).toMatchObject({ kind: 'granted' });
    expect(await anna.grant(requestFor(third))).toMatchObject({ kind: 'wait', why: 'ceiling' });
  });

  it('ends at the budget of a person, a project, a batch and a night, and says which', async () => {
    const takes = await held(5);
    const grant = (at: number) => anna.grant(requestFor(takes[at] as HeldTake));
    for (const scope of [
      { scope: 'person', name: 'anna' },
      { scope: 'project', id: 'project-film' },
      { scope: 'night' },
    ] as const) {
      await studio.admin.setBudget(scope, { takes: 0 });
      expect(await grant(0)).toMatchObject({ why: 'budget', budget: { scope: scope.scope, limit: { takes: 0 } } });
      await studio.admin.setBudget(scope, { takes: null });
    }
    await anna.enqueue(batchOf(), [], { takes: 1, micros: null });
    expect(await grant(0)).toMatchObject({ kind: 'granted' });
    expect(await grant(1)).toMatchObject({
      why: 'budget',
      budget: { scope: 'batch', used: { takes: 1, micros: 1000 } },
    });
    await anna.enqueue(batchOf(), [], { takes: null, micros: 1500 });
    expect(await grant(1)).toMatchObject({ why: 'budget', budget: { scope: 'batch' } });
    // What the take was queued with counts, unless its machine knows of more.
    expect(await anna.grant(requestFor(takes[1] as HeldTake, { priceMicros: 400 }))).toMatchObject({ why: 'budget' });
    await studio.admin.setBudget({ scope: 'night' }, { micros: 2500 });
    await anna.enqueue(batchOf(), [], { takes: null, micros: null });
    expect(await anna.grant(requestFor(takes[1] as HeldTake, { priceMicros: 1600 }))).toMatchObject({ why: 'budget' });
    expect(await grant(1)).toMatchObject({ kind: 'granted' });
  });

  it('needs a price where a budget of money holds', async () => {
    await studio.admin.setBudget({ scope: 'night' }, { micros: 1500 });
    const [take] = (await held(1, { priceMicros: null })) as [HeldTake];
    expect(await anna.grant(requestFor(take))).toMatchObject({ why: 'unpriced' });
    expect(await anna.grant(requestFor(take, { priceMicros: 500 }))).toMatchObject({ kind: 'granted' });
  });

  it('is for the account that the take was queued for', async () => {
    const take = await only();
    for (const account of [
      { ...ACCOUNT, name: 'client B' },
      { ...ACCOUNT, address: 'https://else.test' },
    ]) {
      expect(await anna.grant(requestFor(take, { account }))).toMatchObject({ why: 'other_account' });
    }
    expect(await anna.grant(requestFor(take))).toMatchObject({ kind: 'granted' });
  });

  it('gives a place in the budget back only for what was surely not charged', async () => {
    const takes = await held(4);
    const tell = teller(anna);
    const requests = takes.map((take) => requestFor(take));
    for (const request of requests) await anna.grant(request);
    const used = async () => (await studio.query(`SELECT takes, micros FROM dailies.usage WHERE scope = 'person'`))[0];
    expect(await used()).toEqual({ takes: 4, micros: '4000' });
    await tell(takes[0] as HeldTake, { kind: 'not_sent', attemptId: requests[0]?.attemptId });
    await tell(takes[1] as HeldTake, {
      kind: 'failed',
      attemptId: requests[1]?.attemptId,
      isCharged: true,
      detail: null,
    });
    await tell(takes[2] as HeldTake, { kind: 'unclear', attemptId: requests[2]?.attemptId });
    await tell(takes[3] as HeldTake, {
      kind: 'saved',
      attemptId: requests[3]?.attemptId,
      priceMicros: 1700,
      detail: 1,
    });
    expect(await used()).toEqual({ takes: 3, micros: '3700' });
    expect((await studio.admin.status()).takes).toMatchObject({ held: 1, done: 2, unclear: 1 });
    expect((await studio.admin.status()).accounts[0]).toMatchObject({ inFlight: 0 });
  });

  it('is told the same twice without counting it twice', async () => {
    const take = await only();
    const request = requestFor(take);
    await anna.grant(request);
    const { attemptId } = request;
    const fact = { sequence: 1, takeId: take.id, epoch: take.epoch, at: 0, kind: 'not_sent', attemptId } as const;
    expect(await anna.report([fact])).toBe(1);
    expect(await anna.report([fact, { ...fact, sequence: 2, kind: 'released' }])).toBe(2);
    expect(await anna.report([fact])).toBe(2);
    expect((await studio.admin.status()).takes).toMatchObject({ waiting: 1 });
  });

  it('is asked for the same batch twice and queues it once', async () => {
    const takes = takesOf(3);
    expect(await anna.enqueue(batchOf(), takes)).toEqual({ queued: 3 });
    expect(await anna.enqueue(batchOf(), [...takes, ...takesOf(1)])).toEqual({ queued: 1 });
    expect(await anna.takeNext(['nas'], [ACCOUNT], 10)).toHaveLength(4);
  });

  it('is for accounts that the machine has a key of, and for roots that it has', async () => {
    const other = { name: 'client B', address: ACCOUNT.address };
    await anna.enqueue(batchOf(), [...takesOf(2), ...takesOf(1, { account: other })]);
    expect(await anna.takeNext(['other'], [ACCOUNT], 5)).toEqual([]);
    expect(await anna.takeNext(['nas'], [{ name: 'main', address: 'https://else.test' }], 5)).toEqual([]);
    expect((await anna.takeNext(['nas'], [other], 5)).map(({ account }) => account)).toEqual([other]);
    expect(await anna.takeNext(['nas'], [ACCOUNT, other], 5)).toHaveLength(2);
  });

  it('reserves slots for polls a second ahead, and no more than the account has', async () => {
    await only();
    await studio.admin.setRate(ACCOUNT.name, { ...unlimited, polls: 5 });
    // Both of one second: a new one may begin between them.
    const some = await Promise.all([1, 2].map(() => anna.reserveSlots(ACCOUNT, 'poll', 4)));
    const total = some.reduce((sum, { count }) => sum + count, 0);
    expect(total).toBeGreaterThanOrEqual(5);
    expect(Math.max(...some.map(({ inMs }) => inMs))).toBeLessThanOrEqual(1000);
    expect(await anna.reserveSlots({ ...ACCOUNT, name: randomUUID() }, 'poll', 4)).toMatchObject({ count: 0 });
  });
});
