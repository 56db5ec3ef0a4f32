import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { Settings } from '../../../src/contract/settings.ts';
import { planStart } from '../../../src/engine/batches/plan-start.ts';
import { isNightly } from '../../support/chance.ts';
import { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

interface Row {
  /** Rows before it, which it names. */
  readonly of: readonly number[];
  readonly waitFor: ShotSpec['waitFor'];
  readonly takes: number;
}

const ROWS = 6;

const row = (index: number): fc.Arbitrary<Row> =>
  fc.record({
    of: index === 0 ? fc.constant([]) : fc.uniqueArray(fc.integer({ min: 0, max: index - 1 }), { maxLength: 2 }),
    waitFor: fc.constantFrom(undefined, 'pick' as const, 'pick' as const, 'release' as const),
    takes: fc.integer({ min: 1, max: 2 }),
  });

const step = fc.record({
  do: fc.constantFrom('pick', 'pick', 'pick', 'unpick', 'release'),
  row: fc.nat(ROWS - 1),
  take: fc.integer({ min: 1, max: 2 }),
  /** It is killed once so many more requests were made; as often it is not. */
  killAfter: fc.option(fc.nat(2)),
});

const story = fc.record({
  rows: fc.tuple(...Array.from({ length: ROWS }, (_, index) => row(index))),
  steps: fc.array(step, { minLength: 2, maxLength: 6 }),
  cap: fc.option(fc.integer({ min: 1, max: 8 })),
});

const prices = [{ model: '*', per: 'take' as const, price: 1.37 }];
const key = (index: number): string => String(index + 1).padStart(4, '0');

const toShot = ({ of: [image, mask], waitFor, takes }: Row, index: number): ShotSpec =>
  shot(index + 1, {
    ...{ kind: 'image', model: 'image-demo', takes },
    params: {
      ...(image !== undefined && { image: `Shot://${key(image)}` }),
      ...(mask !== undefined && { mask: `Shot://${key(mask)}` }),
    },
    ...(waitFor && { waitFor }),
  });

describe('chains of any shape', () => {
  it('send nothing before a wait ends, nothing twice and nothing above a cap, whatever is picked, moved or killed', async () => {
    onTestFinished(() => World.closeAll());
    const asserted = { rows: 0, waited: 0, kills: 0 };
    const told = fc.asyncProperty(story, async ({ rows, steps, cap }) => {
      const world = await World.open({
        settings: {
          maxRate: { submit: 1000, poll: 1000, download: 1000 },
          concurrency: { submit: 16, poll: 16, download: 16 },
          prices,
        },
      });
      try {
        await tell(world, { rows, steps, cap }, asserted);
      } finally {
        await world.close();
      }
    });
    await fc.assert(told, { numRuns: isNightly ? 300 : 4 });
    expect(
      Object.values(asserted).every((count) => count > 0),
      JSON.stringify(asserted),
    ).toBe(true);
  }, 900_000);
});

async function tell(
  world: World,
  { rows, steps, cap }: { rows: readonly Row[]; steps: readonly Step[]; cap: number | null },
  asserted: { rows: number; waited: number; kills: number },
): Promise<void> {
  const all = rows.reduce((sum, { takes }) => sum + takes, 0);
  /** Rows that were free to go at some moment. */
  const free = new Set<number>();
  const released = new Set<number>();
  const picked = new Map<number, number>();
  const hasResult = (index: number): boolean =>
    world.jobs().some((job) => job.shot === key(index) && job.state === 'saved');
  const goes = ({ of, waitFor }: Row, index: number): boolean =>
    of.every((source) => hasResult(source)) &&
    (waitFor !== 'release' || released.has(index)) &&
    (waitFor !== 'pick' || of.every((source) => picked.has(source)));
  const posts = (index: number): number => world.posts(key(index)).filter(({ committed }) => committed).length;
  const charged = (): number => {
    const { settled, unclear, reserved } = world.engine.stores.ledger.totals({});
    return (settled.price ?? 0) + (unclear.price ?? 0) + (reserved.price ?? 0);
  };

  async function rest(): Promise<void> {
    for (let before = -1; before !== free.size;) {
      before = free.size;
      await world.settle();
      for (const [index, each] of rows.entries()) if (goes(each, index)) free.add(index);
    }
    await world.settle();
  }

  function check(limit: number | null): void {
    for (const [index, { takes }] of rows.entries()) {
      const count = posts(index);
      asserted.rows += 1;
      if (!free.has(index)) {
        asserted.waited += 1;
        expect(count, `${key(index)} waits`).toBe(0);
      } else if (limit === null) expect(count, key(index)).toBe(takes);
      else expect(count, key(index)).toBeLessThanOrEqual(takes);
    }
    if (limit !== null) expect(world.posts().length).toBeLessThanOrEqual(limit);
  }

  const shots = rows.map(toShot);
  await world.openProject();
  const { plan } = await planStart(world.engine.stores.batches, {
    ...{ projectId: world.projectId, name: 'Day 1', settings: Settings.parse({ prices }), shots, again: false },
  });
  await world.import(shots, cap === null ? {} : { cap: { takes: cap } });
  await rest();
  check(cap);
  if (cap === null) expect(charged()).toBeCloseTo(plan.tonight.price ?? 0, 2);
  for (const { do: what, row: index, take, killAfter } of steps) {
    const job = world
      .jobs()
      .find((each) => each.shot === key(index) && each.take === Math.min(take, rows[index]?.takes ?? 1));
    if (!job) continue;
    if (what === 'release' && rows[index]?.waitFor === 'release' && world.engine.jobs.release(job.id, true).ok) {
      for (const other of world.jobs()) if (other.shot === key(index)) world.engine.jobs.release(other.id, true);
      released.add(index);
    } else if (what === 'unpick' && picked.get(index) === job.take) {
      world.engine.review.judge([job.id], { flag: null });
      picked.delete(index);
    } else if (what === 'pick' && job.state === 'saved') {
      world.engine.review.judge([job.id], { flag: 'pick' });
      picked.set(index, job.take);
    }
    for (const [each, other] of rows.entries()) if (goes(other, each)) free.add(each);
    if (killAfter !== null) {
      const before = world.posts().length + killAfter;
      let isOver = false;
      world.engine.queue.run({});
      void world.engine.queue.settled().then(() => (isOver = true));
      await world.until('a request or two', () => isOver || world.posts().length >= before);
      await world.kill({ afterAnswers: true });
      await world.start();
      await world.openProject();
      asserted.kills += 1;
    }
    await rest();
    check(cap);
  }
  // A person ends all waits, and raises the cap: it all comes to what the start said at most.
  if (cap !== null)
    await world.act('spending.changeCap', {
      scope: { scope: 'batch', batchId: world.jobs()[0]?.batchId ?? '' },
      change: { takes: null },
    });
  for (const index of rows.keys()) {
    await rest();
    for (const job of world.jobs())
      if (job.shot === key(index) && rows[index]?.waitFor === 'release') world.engine.jobs.release(job.id, true);
    released.add(index);
    await rest();
    const [first] = world.jobs().filter((job) => job.shot === key(index));
    if (first?.state === 'saved' && !picked.has(index)) {
      world.engine.review.judge([first.id], { flag: 'pick' });
      picked.set(index, first.take);
    }
  }
  await rest();
  check(null);
  expect(world.counts()).toMatchObject({ saved: all, unfinished: 0 });
  expect(charged()).toBeCloseTo(plan.atMost.price ?? 0, 2);
  // What was sent is what was pinned.
  for (const { id, shot: name } of world.jobs()) {
    const pinned = world.engine.stores.sources.of(id).flatMap(({ sha256 }) => sha256 ?? []);
    const sent = world.posts(name).map(({ body }) => (body as Partial<Form>).files?.map(({ sha256 }) => sha256) ?? []);
    expect(sent.map((hashes) => hashes.toSorted())).toContainEqual(pinned.toSorted());
  }
}

interface Form {
  readonly files: readonly { readonly sha256: string }[];
}

type Step = typeof step extends fc.Arbitrary<infer Told> ? Told : never;
