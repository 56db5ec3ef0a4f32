import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Cap, CapScope } from '../../../src/contract/ledger.ts';
import { NightWindow } from '../../../src/contract/night-window.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shots } from '../db/seed.ts';

const twoEach = { prices: [{ model: 'vgen-*', per: 'take' as const, price: 2 }], currency: 'USD' };

let world: World;
forEachTest((opened) => (world = opened), { settings: twoEach });

const file = () => join(world.projectPath, '.dailies', 'limits.json');
const projectId = () => world.projectId;
const ofProject = (): CapScope & { scope: 'project' } => ({ scope: 'project', projectId: projectId() });
const ofBatch = (name = 'Day 1'): CapScope & { scope: 'batch' } => ({
  scope: 'batch',
  batchId: world.engine.stores.batches.named(projectId(), name)?.id ?? '',
});
const change = (scope: CapScope, cap: Partial<Cap>) => world.act('spending.changeCap', { scope, change: cap });
const caps = () =>
  world.engine.spending.caps().map(({ cap, spent }) => [cap.takes, cap.money, spent.takes, spent.money]);
const history = () => world.engine.views.history({ count: 50 }).map(({ text }) => text);

/** The project in a data folder that never saw it. */
async function elsewhere(): Promise<void> {
  await world.stop();
  world.moveTo('elsewhere');
  await world.start();
}

/** The same project from another data folder, in turns. */
async function from(dataFolder: string): Promise<void> {
  await world.stop();
  world.dataFolder = join(world.folder, dataFolder);
  await world.start();
  await world.openProject();
}

const written = (): Record<string, unknown>[] =>
  (JSON.parse(readFileSync(file(), 'utf8')) as { limits: Record<string, unknown>[] }).limits;

describe('the limits of a project', () => {
  it('come along in its folder with what was sent against them, and are told of', async () => {
    expect(await world.run(shots(15), { cap: { takes: 8 } })).toMatchObject({ gate: { reason: 'cap_reached' } });
    await elsewhere();
    const { limits } = await world.openProject();
    expect(limits).toEqual([
      expect.saying(/Found a cap of 8 takes for batch “Day 1” in its folder: 8 takes already sent/),
    ]);
    expect(caps()).toEqual([[8, null, 8, 16]]);
    expect(history()).toContainEqual(expect.saying(/Found a cap of 8 takes/));
    expect(await world.run(shots(15))).toMatchObject({ gate: { reason: 'cap_reached' } });
    expect(world.posts()).toHaveLength(8);
    expect((await world.openProject()).limits).toEqual([]);
    await change(ofBatch(), { takes: 10 });
    await world.settle();
    expect(world.posts()).toHaveLength(10);
  });

  it('in money hold where there are no prices, and count by those that are there', async () => {
    await world.run(shots(5), { cap: { money: 5 } });
    await world.stop();
    world.moveTo('elsewhere');
    await world.start({ prices: [] });
    expect((await world.openProject()).limits).toEqual([
      expect.saying(/Found a cap of 5.00 USD .*: 4.00 USD already sent/),
    ]);
    expect(await world.run(shots(5))).toMatchObject({ gate: { reason: 'cap_reached' } });
    expect(world.posts()).toHaveLength(2);
    await world.restart();
    await world.run(shots(5));
    expect(world.posts()).toHaveLength(2);
    await change(ofBatch(), { money: 6 });
    await world.settle();
    expect(world.posts()).toHaveLength(3);
  });

  it('count requests that no recipe has any more, and those whose recipes are gone', async () => {
    world.fault({ method: 'POST', nth: 1 }, { fault: 'reset', commit: true });
    await world.run(shots(2), { cap: { takes: 4 } });
    const [unclear] = world.engine.stores.queries.list({ standing: 'unknown' });
    world.engine.jobs.resolve(unclear?.id ?? '', { action: 'resubmit' });
    await world.settle();
    expect(caps()).toEqual([[4, null, 3, 6]]);
    await elsewhere();
    await world.openProject();
    expect(caps()).toEqual([[4, null, 3, 6]]);
    await world.run(shots(6));
    expect(world.posts()).toHaveLength(4);
    // A copy that lacks the recipes and the batch's own file knows how much was sent.
    await world.stop();
    for (const folder of ['takes', 'batches']) rmSync(join(world.projectPath, '.dailies', folder), { recursive: true });
    world.moveTo('third');
    await world.run(shots(6));
    expect(world.posts()).toHaveLength(4);
    expect(caps()).toEqual([[4, null, 4, 8]]);
  });

  it('count what the recipes alone know, and not what was refused', async () => {
    world.fault({ method: 'POST', nth: 1 }, { fault: 'status', status: 422 });
    await world.run(shots(6));
    await elsewhere();
    expect(existsSync(file())).toBe(false);
    await world.run(shots(9), { cap: { takes: 6 } });
    expect(world.counts()).toMatchObject({ saved: 6, failed: 1, unfinished: 2 });
    expect(caps()).toEqual([[6, null, 6, 12]]);
  });

  it('are on disk before anything is sent under them, with earlier requests of the same take', async () => {
    world.fault({ method: 'POST', nth: 1 }, { fault: 'reset', commit: true });
    await world.import(shots(1), { cap: { takes: 4 } });
    /** What the file says at the moment of each request. */
    const seen: unknown[] = [];
    const untilSent = (count: number) => {
      world.engine.queue.run({});
      return world.until('it is sent', () => {
        if (world.posts().length > seen.length) seen.push(...written());
        return seen.length === count;
      });
    };
    await untilSent(1);
    await world.until('it is unclear', () => world.counts().unknown === 1);
    world.engine.jobs.resolve(world.job('0001').id, { action: 'resubmit' });
    await untilSent(2);
    expect(seen).toMatchObject([
      { cap: { takes: 4 }, sent: { takes: 0 } },
      { cap: { takes: 4 }, sent: { takes: 1 } },
    ]);
  });

  it('survive the loss of the data folder in the middle of a run', async () => {
    await world.begin(shots(9), { cap: { takes: 4 } });
    await world.until('two are sent', () => world.posts().length >= 2);
    await world.kill();
    rmSync(world.dataFolder, { recursive: true });
    await world.run(shots(9));
    expect(world.posts()).toHaveLength(4);
    expect(caps()).toMatchObject([[4, null, 4, 8]]);
  });

  it('keep night windows', async () => {
    await world.run(shots(1));
    const window = NightWindow.parse({ days: ['mon'], opens: '22:00', closes: '23:00', timeZone: 'Europe/Berlin' });
    await world.act('windows.change', { scope: ofProject(), window: window });
    await world.act('windows.change', { scope: ofBatch(), window: window });
    await world.act('windows.change', { scope: ofBatch(), window: null });
    await elsewhere();
    expect((await world.openProject()).limits).toEqual([expect.saying(/Found a night window for the project/)]);
    expect(world.engine.windows.list()).toMatchObject([{ scope: ofProject(), window }]);
  });

  it('are not written where there are none, and not again without a change', async () => {
    await world.run(shots(2));
    await world.pass(5000);
    expect(existsSync(file())).toBe(false);
    await change(ofProject(), { takes: 9 });
    const before = readFileSync(file(), 'utf8');
    await world.restart();
    await world.openProject();
    await world.pass(5000);
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });
});

describe('the limits of a project in two data folders', () => {
  beforeEach(async () => {
    await world.run(shots(3), { cap: { takes: 3 } });
    await from('second');
  });

  it('are raised for both, and lowered for both, by the newer decision', async () => {
    await change(ofBatch(), { takes: 5 });
    await from('data');
    expect(caps()).toMatchObject([[5, null, 3, 6]]);
    await world.run(shots(9));
    expect(world.posts()).toHaveLength(5);
    await change(ofBatch(), { takes: 2 });
    await from('second');
    expect(caps()).toMatchObject([[2, null, 5, 10]]);
    await change(ofBatch(), { takes: null });
    await from('data');
    expect(caps()).toEqual([]);
    expect(history()).toContainEqual(expect.saying(/cap of batch “Day 1” was removed/));
  });

  it('are those of the present, not of an older copy of the folder or of the data folder', async () => {
    const old = readFileSync(file(), 'utf8');
    await world.stop();
    cpSync(world.dataFolder, join(world.folder, 'old'), { recursive: true });
    await from('second');
    world.clock.advance(1000);
    await change(ofBatch(), { takes: 2 });
    await world.stop();
    writeFileSync(file(), old);
    await from('second');
    expect(caps()).toMatchObject([[2, null, 3, 6]]);
    await from('old');
    expect(caps()).toMatchObject([[2, null, 3, 6]]);
  });

  it('cannot be changed in one while the other works', async () => {
    const running = world.engine;
    const scope = ofBatch();
    world.dataFolder = join(world.folder, 'data');
    await world.start();
    await expect(change(scope, { takes: 9 })).rejects.toMatchObject({ code: 'project_in_use' });
    expect(caps()).toMatchObject([[3, null, 3, 6]]);
    await world.whilePumping(running.stop());
    await change(scope, { takes: 9 });
    await from('second');
    expect(caps()).toMatchObject([[9, null, 3, 6]]);
  });
});

describe('a project that many data folders work in, by turns', () => {
  const step = fc.record({
    dataFolder: fc.constantFrom('data', 'second', 'third'),
    isLost: fc.boolean(),
    cap: fc.option(fc.integer({ min: 0, max: 12 })),
    killAfter: fc.option(fc.integer({ min: 0, max: 3 })),
    decides: fc.boolean(),
  });

  it('sends no more than the newest cap allows, whatever is killed, lost or decided', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        await world.close();
        world = await World.open({ settings: { ...twoEach, maxRate: { submit: 1000 } } });
        for (const nth of [2, 5]) {
          world.fault({ method: 'POST', nth }, { fault: 'reset', commit: true });
        }
        let cap = 3;
        await world.run(shots(1), { cap: { takes: cap } });
        for (const { dataFolder, isLost, cap: wanted, killAfter, decides } of steps) {
          await world.stop();
          world.dataFolder = join(world.folder, dataFolder);
          if (isLost) rmSync(world.dataFolder, { recursive: true, force: true });
          await world.start();
          await world.openProject();
          if (wanted !== null) await change(ofBatch(), { takes: (cap = wanted) });
          const allowed = Math.max(cap, world.posts().length);
          for (const { id } of decides ? world.engine.stores.queries.list({ standing: 'unknown' }) : [])
            world.engine.jobs.resolve(id, { action: 'resubmit' });
          await world.import(shots(12));
          if (killAfter === null) await world.settle();
          else {
            const posts = world.posts().length + killAfter;
            const settled = world.engine.queue.settled();
            let isOver = false;
            void settled.then(() => (isOver = true));
            world.engine.queue.run({});
            await world.until('requests before a kill', () => isOver || world.posts().length >= posts);
            await world.kill();
            await world.start();
          }
          expect(world.posts().length).toBeLessThanOrEqual(allowed);
        }
      }),
      { numRuns: process.env['CRASH_ALL'] === '1' ? 100 : 3 },
    );
  });
});

describe('a file of limits', () => {
  const hostile: readonly (readonly [what: string, put: () => void])[] = [
    ['is no JSON', () => writeFileSync(file(), '{')],
    ['is nested without end', () => writeFileSync(file(), '['.repeat(2_000_000))],
    ['is too large', () => writeFileSync(file(), `{"format":1,"limits":[],"x":"${'x'.repeat(17_000_000)}"}`)],
    ['is a link', () => symlinkSync('/etc/passwd', file())],
    ['is a folder', () => mkdirSync(file())],
    ['is a pipe', () => execFileSync('mkfifo', [file()])],
    ['is of a later version', () => writeFileSync(file(), '{"format":2}')],
  ];
  it.each(hostile)('that %s is reported, and the project opens', async (_what, put) => {
    await world.run(shots(1));
    await world.stop();
    put();
    expect((await world.openProject()).problems).toEqual([expect.saying(/limits\.json/)]);
    await world.run(shots(2));
    expect(world.posts()).toHaveLength(2);
  });

  const at = fc.oneof(fc.constantFrom(0, 1, 9_000_000_000_000, -1, 1.5, '5', null, undefined));
  const amount = fc.constantFrom(null, 0, 1, 5, 1e12, -1, 'x', 2.5);
  const entry = fc.record(
    {
      batch: fc.constantFrom(null, 'Day 1', '../..', 'elsewhere', 7),
      cap: fc.oneof(fc.record({ at, takes: amount, money: amount }), fc.constantFrom(7, null, [])),
      window: fc.oneof(fc.record({ at, hours: fc.constantFrom(null, {}, 'x') }), fc.constantFrom(null, 7)),
      sent: fc.oneof(fc.record({ takes: amount, micros: amount }), fc.constantFrom(null, 7)),
    },
    { requiredKeys: [] },
  );

  it('with anything in it raises no cap but by a later decision, and breaks nothing', async () => {
    await world.run(shots(4), { cap: { takes: 3 } });
    const before = readFileSync(file(), 'utf8');
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 4 }), async (limits) => {
        await world.stop();
        writeFileSync(file(), JSON.stringify({ format: 1, limits }));
        await world.start();
        expect((await world.openProject()).problems).toEqual([]);
        const [cap] = world.engine.spending.caps().filter(({ scope }) => scope.scope === 'batch');
        expect(cap?.cap.takes).toBeLessThanOrEqual(3);
        expect(cap?.spent.takes).toBeGreaterThanOrEqual(3);
        await world.run(shots(4));
        expect(world.posts()).toHaveLength(3);
        // The next one begins as this one did.
        await world.stop();
        writeFileSync(file(), before);
      }),
      { numRuns: 10 },
    );
  });

  it('is kept as it is about batches that are not known here', async () => {
    await world.run(shots(1), { cap: { takes: 3 } });
    await world.stop();
    const lost = { batch: 'Day 9', cap: { money: null, takes: 1, at: 5 } };
    writeFileSync(file(), JSON.stringify({ format: 1, limits: [...written(), lost] }));
    await world.openProject();
    await change(ofBatch(), { takes: 4 });
    expect(written()).toMatchObject([{ batch: 'Day 1', cap: { takes: 4 } }, lost]);
    await world.run(shots(3), { name: 'Day 9' });
    expect(world.posts()).toHaveLength(2);
    expect(history()).toContainEqual(expect.saying(/Found a cap of 1 take for batch “Day 9”/));
  });
});
