import fc from 'fast-check';
import type { CapScope } from '../../../src/contract/ledger.ts';
import { describe, expect, it } from 'vitest';
import { Settings } from '../../../src/contract/settings.ts';
import type { FaultRule } from '../../support/demo/fault-rules.ts';
import { isSubmitBegun, forEachTest, World } from '../../support/world.ts';
import { shot, shots } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

/** Each is under way for as long as its answer takes. */
const lines = (count: number) =>
  shots(count).map((each) => ({ ...each, kind: 'speech' as const, model: 'speech-demo', params: { voice: 'alto' } }));
const slowAnswers = { speed: { speechMs: 20_000 } };
const twoEach = {
  prices: ['vgen-*', 'speech-*'].map((model) => ({ model, per: 'take' as const, price: 2 })),
  currency: 'USD',
};
const AT_ONCE = 8 * Settings.parse({}).concurrency.submit;
const eightEngines = { concurrency: { submit: AT_ONCE }, maxRate: { submit: 1000 } };
const projectId = () => world.projectId;
const batchOf = () => world.engine.stores.batches.list(projectId())[0]?.id ?? '';
const spentOfBatch = () => world.engine.stores.ledger.totals({ batchId: batchOf() });

it('keeps what an answer says of its own cost beside the price', async () => {
  world = await World.open({ settings: { prices: [{ model: 'chat-demo', per: 'take', price: 2 }] } });
  await world.run([{ ...shot(1), kind: 'text', model: 'chat-demo' }, shot(2)]);
  const told = [...world.engine.stores.ledger.lines({})].map((line) => [line.model, line.price, line.told]);
  expect(told).toEqual([
    ['chat-demo', 2, expect.stringMatching(/^\{"usage":\{"prompt_tokens":\d+,/)],
    [shot(2).model, null, null],
  ]);
});

describe('a cap on a batch', () => {
  it('in takes lets exactly that many requests out while those of eight engines go out at once @night', async () => {
    world = await World.open({ settings: eightEngines, service: slowAnswers });
    const cap = { takes: AT_ONCE + 9 };
    await world.begin(lines(60), { cap });
    const answering = () => world.posts().filter(({ ending }) => ending === 'pending').length;
    await world.until('those of eight engines are under way', () => answering() === AT_ONCE);
    expect(await world.settle()).toMatchObject({ gate: { reason: 'cap_reached' } });
    expect(world.posts()).toHaveLength(cap.takes);
    expect(world.counts()).toMatchObject({ saved: cap.takes, unfinished: 60 - cap.takes, failed: 0, unknown: 0 });
  });

  it('counts by new prices from the next request on, set by this program or another, and for what was sent before', async () => {
    world = await World.open({ settings: { ...twoEach, concurrency: { submit: 1 } } });
    const dearer = Settings.parse({ ...twoEach, baseUrl: world.service.url, concurrency: { submit: 1 } });
    const prices = dearer.prices.map((line) => ({ ...line, price: 5 }));
    let sent = 0;
    world.changedSettings = () => ((sent += 1) === 3 ? { ...dearer, prices } : null);
    // Two for 2 each; they count 5 each once the price is 5.
    const settled = await world.run(shots(6), { cap: { money: 12 } });
    expect(settled).toMatchObject({ is: 'halted', gate: { reason: 'cap_reached' } });
    expect(world.posts()).toHaveLength(2);
    // Nothing asks for a price while the cap holds all: the program around the engine looks once a minute.
    world.changedSettings = () => ({ ...dearer, prices: twoEach.prices });
    world.engine.beat(true);
    await world.comesTo({ posts: 6 });
  });

  it('that was lowered while it ran, and a window that was set, hold for the next request', async () => {
    world = await World.open({ settings: { concurrency: { submit: 1 } } });
    await world.import(shots(8), { cap: { takes: 8 } });
    const scope = { scope: 'batch' as const, batchId: batchOf() };
    const began = world.engine.subscribe((event) => {
      if (isSubmitBegun(event)) void world.act('spending.changeCap', { scope, change: { takes: 3 } });
    });
    expect(await world.settle()).toMatchObject({ gate: { reason: 'cap_reached' } });
    expect(world.posts()).toHaveLength(3);
    began();
    await world.act('spending.changeCap', { scope, change: { takes: 8 } });
    const shut = { days: ['mon' as const], opens: '02:00', closes: '03:00', timeZone: 'UTC' };
    await world.act('windows.change', { scope: scope, window: shut });
    world.engine.queue.run({});
    await world.pass(60_000);
    expect(world.posts()).toHaveLength(3);
  });

  it('says which cap holds back what is left', async () => {
    const settled = await world.run(shots(6), { cap: { takes: 4 } });
    expect(settled).toMatchObject({ is: 'halted', gate: { reason: 'cap_reached', until: null } });
    expect(settled).toMatchObject({ gate: { message: expect.saying(/“.+” is reached: 4 takes\. Raise it/) } });
    expect(world.engine.queue.status().expectedEnd).toBeUndefined();
    expect(world.counts()).toMatchObject({ saved: 4, unfinished: 2, failed: 0, unknown: 0 });
  });

  it('says which cap holds, and what of it is used without the take that did not fit', async () => {
    world = await World.open({ settings: twoEach });
    await world.run(shots(5), { cap: { money: 7, takes: 9 } });
    expect(world.engine.queue.status().gates).toMatchObject([
      { cap: { scope: { scope: 'batch', batchId: batchOf() }, unpriced: null, spent: { money: 6, takes: 3 } } },
    ]);
    expect(world.engine.queue.status().gates[0]?.cap?.name).toBe(
      world.engine.stores.batches.list(projectId())[0]?.name,
    );
  });

  it('is warned of from 80 % on, until it is raised', async () => {
    world = await World.open({ settings: { concurrency: { submit: 1 } } });
    const near: unknown[] = [];
    await world.start();
    world.engine.subscribe((event) => {
      if (event.type === 'queue') near.push(...(event.status.capsNear ?? []).map(({ spent }) => spent.takes));
    });
    await world.run(shots(6), { cap: { takes: 5 } });
    expect(new Set(near)).toEqual(new Set([4, 5]));
    expect(world.engine.queue.status().capsNear).toMatchObject([{ scope: { scope: 'batch' }, spent: { takes: 5 } }]);
    await world.act('spending.changeCap', { scope: { scope: 'batch', batchId: batchOf() }, change: { takes: 20 } });
    expect(world.engine.queue.status().capsNear).toBeUndefined();
  });

  it('is not spoken of once nothing is left that it could hold: all was sent, or what it held was cancelled', async () => {
    world = await World.open({ settings: { concurrency: { submit: 1 } } });
    expect(await world.run(shots(4), { cap: { takes: 4 } })).toEqual({ is: 'over' });
    expect(world.engine.queue.status().capsNear).toBeUndefined();
    await world.act('spending.changeCap', { scope: { scope: 'batch', batchId: batchOf() }, change: { takes: null } });
    await world.run(shots(6), { cap: { takes: 5 } });
    expect(world.engine.queue.status()).toMatchObject({ capsNear: [{}], gates: [{ reason: 'cap_reached' }] });
    world.engine.jobs.cancel(world.job('0006').id);
    const status = world.engine.queue.status();
    expect([status.gates, status.capsNear]).toEqual([[], undefined]);
    expect(await world.settle()).toEqual({ is: 'over' });
  });

  it('goes on by raising it, and says the same again when that one is reached', async () => {
    await world.run(shots(5), { cap: { takes: 2 } });
    await world.act('spending.changeCap', { scope: { scope: 'batch', batchId: batchOf() }, change: { takes: 3 } });
    expect(await world.settle()).toMatchObject({ is: 'halted', gate: { reason: 'cap_reached' } });
    expect(world.posts()).toHaveLength(3);
    await world.act('spending.changeCap', { scope: { scope: 'batch', batchId: batchOf() }, change: { takes: null } });
    await world.comesTo({ saved: 5 });
    expect(world.engine.spending.caps()).toEqual([]);
  });

  it('in money counts what each take costs', async () => {
    world = await World.open({ settings: { ...twoEach, concurrency: { submit: 8 }, maxRate: { submit: 1000 } } });
    const settled = await world.run(shots(10), { cap: { money: 7 } });
    expect(settled).toMatchObject({ gate: { message: expect.saying(/is reached: 7\.00 USD/) } });
    expect(world.posts()).toHaveLength(3);
    expect(spentOfBatch()).toMatchObject({ settled: { requests: 3, price: 6, unpriced: 0 } });
  });

  it('in money is refused before anything is stored while a model has no price', async () => {
    world = await World.open({ settings: { prices: [{ model: 'other', per: 'take', price: 1 }] } });
    await expect(world.run(shots(2), { cap: { money: 7 } })).rejects.toMatchObject({
      code: 'no_price',
      text: expect.saying(/these models have none: vgen-2\.0-cl-fast/),
    });
    expect(world.engine.stores.batches.list(projectId())).toEqual([]);
  });

  it('counts what may have been charged, and gives back what was refused', async () => {
    world = await World.open({ settings: { concurrency: { submit: 1 } } });
    world.fault({ method: 'POST', nth: 1 }, { fault: 'status', status: 400 });
    world.fault({ method: 'POST', nth: 2 }, { fault: 'status', status: 502 });
    await world.run(shots(6), { cap: { takes: 3 } });
    expect(spentOfBatch()).toMatchObject({
      released: { requests: 1 },
      unclear: { requests: 1 },
      settled: { requests: 2 },
    });
    expect(world.posts()).toHaveLength(4);
  });

  it('goes on by itself when a refused request makes room', async () => {
    world = await World.open({ settings: eightEngines, service: slowAnswers });
    world.fault({ method: 'POST', nth: 2 }, { fault: 'status', status: 400, commit: true });
    expect(await world.run(lines(5), { cap: { takes: 3 } })).toMatchObject({ gate: { reason: 'cap_reached' } });
    expect(world.counts()).toMatchObject({ saved: 3, failed: 1, unfinished: 1, unknown: 0 });
  });

  it('holds after a restart', async () => {
    await world.run(shots(4), { cap: { takes: 2 } });
    await world.restart();
    expect(await world.settle()).toMatchObject({ is: 'halted', gate: { reason: 'cap_reached' } });
    expect(world.posts()).toHaveLength(2);
  });

  it('leaves other batches of the project alone', async () => {
    await world.run(shots(3), { cap: { takes: 1 } });
    expect(await world.run(shots(2), { name: 'Day 2' })).toMatchObject({ is: 'halted' });
    expect(world.counts()).toMatchObject({ saved: 3, unfinished: 2 });
  });
});

it('a cap on the night stops every project, and ends with the night when a person resumes', async () => {
  await world.start();
  await world.act('spending.changeCap', { scope: { scope: 'night' }, change: { takes: 2 } });
  expect(await world.run(shots(4))).toMatchObject({
    gate: { message: expect.saying(/cap of this night is reached/) },
  });
  await world.pass(24 * 3_600_000);
  expect(world.posts()).toHaveLength(2);
  world.engine.queue.resume();
  await world.comesTo({ posts: 4 });
});

describe('an engine that is killed again and again', () => {
  const misfortune = fc.record({
    nth: fc.integer({ min: 1, max: 30 }),
    do: fc.constantFrom<FaultRule['do']>(
      { fault: 'status', status: 400 },
      { fault: 'status', status: 502, commit: true },
      { fault: 'rate-limit', seconds: 2 },
      { fault: 'reset', commit: true },
      { fault: 'reset', commit: false },
      { fault: 'hang', commit: true },
      { fault: 'cut', afterBytes: 5 },
    ),
  });
  const histories = fc.record({
    faults: fc.array(misfortune, { maxLength: 10 }),
    /** In takes: of both batches, of the project and of the night. */
    caps: fc.array(fc.integer({ min: 1, max: 14 }), { minLength: 4, maxLength: 4 }),
    money: fc.integer({ min: 1, max: 40 }),
    /** After so many further requests. */
    kills: fc.array(fc.nat(6), { minLength: 1, maxLength: 3 }),
  });

  /**
   * Requests that a recipe alone knows: their engine was killed between announcing and sending them. They are counted, for
   * they may have been sent, though no cap was asked about them.
   */
  function onlyAnnounced(scope: CapScope): number {
    const lines = world.sql(
      "SELECT ledger.batch_id AS batchId FROM ledger JOIN attempts USING (id) WHERE attempts.outcome = 'adopted'",
    ) as { batchId: string }[];
    return lines.filter(({ batchId }) => scope.scope !== 'batch' || scope.batchId === batchId).length;
  }

  /** Caps are only raised here, and prices stay: at no moment is more counted than a cap allows. */
  function noteWhatIsOver(over: unknown[]): void {
    for (const { scope, cap, spent } of world.engine.spending.caps()) {
      const doubts = onlyAnnounced(scope);
      const [takes, money] = [spent.takes - doubts, spent.money - 2 * doubts];
      if (takes > (cap.takes ?? Infinity) || money > (cap.money ?? Infinity)) over.push({ scope, cap, spent, doubts });
    }
    const { reserved, settled, unclear } = world.engine.stores.ledger.totals({});
    const counted = reserved.requests + settled.requests + unclear.requests;
    const charged = world.posts().filter(({ committed }) => committed).length;
    if (charged > counted) over.push({ charged, counted });
  }

  async function startChecked(over: unknown[]): Promise<void> {
    await world.start();
    world.engine.subscribe(() => noteWhatIsOver(over));
    noteWhatIsOver(over);
    world.engine.queue.run({});
  }

  it('passes no cap, whatever becomes of its requests @night', { timeout: 900_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ({ faults, caps: [first, second, project, night], money, kills }) => {
        world = await World.open({ settings: { ...twoEach, ...eightEngines }, service: slowAnswers });
        const over: unknown[] = [];
        try {
          for (const { nth, do: fault } of faults) {
            world.fault({ method: 'POST', nth }, fault);
          }
          await startChecked(over);
          await world.act('spending.changeCap', { scope: { scope: 'night' }, change: { takes: night ?? 0 } });
          await world.import(shots(12), { name: 'Day 1', cap: { takes: first ?? 0, money } });
          await world.act('spending.changeCap', {
            scope: { scope: 'project', projectId: projectId() },
            change: { takes: project ?? 0 },
          });
          await world.import(lines(12), { name: 'Day 2', cap: { takes: second ?? 0 } });
          for (const after of kills) {
            const posts = world.posts().length + after;
            const settled = world.engine.queue.settled();
            let isOver = false;
            void settled.then(() => (isOver = true));
            await world.until('the requests before a kill', () => isOver || world.posts().length >= posts);
            await world.kill();
            await startChecked(over);
            for (const { scope, cap } of world.engine.spending.caps()) {
              await world.act('spending.changeCap', {
                scope: scope,
                change: { takes: cap.takes === null ? null : cap.takes + 2 },
              });
            }
            for (const { id } of world.engine.stores.queries.list({ standing: 'unknown' }).slice(0, 2)) {
              world.engine.jobs.resolve(id, { action: 'resubmit' });
            }
          }
          await world.settle();
          noteWhatIsOver(over);
          expect(over).toEqual([]);
        } finally {
          await world.close();
        }
      }),
      { numRuns: process.env['CRASH_ALL'] === '1' ? 100 : 3 },
    );
  });
});

describe('the ledger', () => {
  it('prices the requests that a project folder brings, and counts them against a cap', async () => {
    world = await World.open({ settings: twoEach });
    await world.run(shots(3));
    await world.stop();
    world.moveTo('elsewhere');
    await world.start();
    await world.act('spending.changeCap', { scope: { scope: 'night' }, change: { money: 7 } });
    expect(await world.run(shots(5))).toMatchObject({ gate: { message: expect.saying(/is reached: 7\.00 USD/) } });
    expect(spentOfBatch()).toMatchObject({ unclear: { requests: 0 }, settled: { price: 6, unpriced: 0 } });
    expect(world.posts()).toHaveLength(3);
  });

  it('prices requests from before there were prices, and corrects those that a wrong table priced', async () => {
    await world.run(shots(3));
    expect(spentOfBatch()).toMatchObject({ settled: { requests: 3, price: null, unpriced: 3 } });
    await world.restart(twoEach);
    // Stopping waits for what is being priced.
    await world.restart(twoEach);
    expect(spentOfBatch()).toMatchObject({ settled: { price: 6, unpriced: 0 } });
  });
});
