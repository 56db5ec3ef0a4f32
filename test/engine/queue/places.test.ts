import { describe, expect, it, onTestFinished } from 'vitest';
import { startDemoService, type LedgerEntry } from '../../../src/demo/service.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const TASK_MS = 20 * SECOND;
const OTHER_MODEL = 'vgen-2.0-nt';

let world: World;
forEachTest((opened) => (world = opened));

const shots = (from: number, count: number, model = 'vgen-2.0-cl-fast') =>
  Array.from({ length: count }, (_, index) => shot(from + index, { model }));

// World decides when polls are made, by one seed: bounds of times and refusals here are just above what that run gives.
// A seed in sixteen takes 1.5 times as long, and so may the first run after a change of the engine.
const refused = (entries: readonly LedgerEntry[]): LedgerEntry[] => entries.filter(({ status }) => status === 429);

/** A service that runs so many tasks of a model at once, each for twenty seconds. */
const serviceWith = (places: (model: string) => number) => ({
  speed: { videoMs: TASK_MS, jitter: 0 },
  limits: { places, retryAfterSeconds: 2 },
});

describe('a service that runs a few tasks at once and refuses more (429)', () => {
  it('has every place taken again soon after a task ends, and refuses hardly anything', async () => {
    world = await World.open({ service: serviceWith(() => 3) });
    const before = world.clock.now();
    await world.run(shots(1, 30));
    world.has({ saved: 30, commits: 30 });
    expect(world.clock.now() - before).toBeLessThan(1.2 * 10 * TASK_MS);
    expect(refused(world.posts()).length).toBeLessThanOrEqual(5);
  });

  it('is shown while shots wait for a place', async () => {
    world = await World.open({ service: serviceWith(() => 3) });
    await world.begin(shots(1, 12));
    await world.pass(15 * SECOND);
    const message = expect.saying(/runs at most 3 tasks of vgen-2\.0-cl-fast at once/);
    expect(world.engine.queue.status().gates).toMatchObject([{ reason: 'throttled', message }]);
    await world.settle();
    expect(world.engine.queue.status().gates).toEqual([]);
  });

  it('is shown for the service that a project uses, and only while shots wait for that one', async () => {
    const other = await startDemoService({ clock: world.clock, media: 'tiny', ...serviceWith(() => 3) });
    onTestFinished(() => other.stop());
    await world.start();
    world.engine.useService('other', { baseUrl: other.url, apiKey: other.apiKey });
    const project = await world.openProject();
    world.engine.projects.putOnService(project.id, 'other');
    await world.begin(shots(1, 12));
    await world.pass(15 * SECOND);
    const message = `The service at ${other.url} runs at most 3 tasks of vgen-2.0-cl-fast at once. The next shot is sent when one ends.`;
    expect(world.engine.queue.status().gates).toMatchObject([{ message: expect.saying(message) }]);
    await world.settle();
    expect(world.engine.queue.status().gates).toEqual([]);
  });

  it('gets a new batch of another model at once while those of the first wait', async () => {
    world = await World.open({ service: serviceWith((model) => (model === OTHER_MODEL ? 5 : 3)) });
    await world.begin(shots(1, 30));
    await world.until('a shot in the place of another', () => world.service.ledger.commits === 5);
    await world.import(shots(31, 1, OTHER_MODEL), { name: 'Day 2' });
    const before = world.clock.now();
    await world.until('the other model is asked for', () => world.posts('0031').length === 1);
    expect(world.clock.now() - before).toBeLessThan(SECOND);
  });

  it('is not asked for more than that after a restart @night', async () => {
    world = await World.open({ service: serviceWith(() => 3) });
    await world.begin(shots(1, 12));
    await world.pass(15 * SECOND);
    const before = refused(world.posts()).length;
    expect(before).toBeGreaterThan(0);
    await world.kill();
    await world.start();
    world.engine.queue.run({});
    await world.pass(12 * SECOND);
    expect(refused(world.posts())).toHaveLength(before);
    await world.comesTo({ saved: 12 });
  });

  it('has the places of each model taken where models differ @night', async () => {
    const places: Record<string, number> = { 'vgen-2.0-cl-fast': 1, [OTHER_MODEL]: 4 };
    world = await World.open({ service: serviceWith((model) => places[model] ?? 0) });
    const before = world.clock.now();
    await world.run([...shots(1, 10), ...shots(11, 40, OTHER_MODEL)]);
    expect(world.counts()).toMatchObject({ saved: 50 });
    expect(world.clock.now() - before).toBeLessThan(1.25 * 10 * TASK_MS);
    expect(refused(world.posts()).length).toBeLessThanOrEqual(10);
  });

  it('is found to have more places before long', async () => {
    let places = 2;
    world = await World.open({ service: serviceWith(() => places) });
    await world.begin(shots(1, 120));
    await world.pass(2 * MINUTE);
    places = 6;
    const before = world.clock.now();
    await world.until('six tasks at once', () => world.service.tasks.running('vgen-2.0-cl-fast') === 6);
    expect(world.clock.now() - before).toBeLessThan(2.5 * MINUTE);
  });
});

describe('a service that limits how fast it is sent to', () => {
  it('is found out by the rate, and runs as many tasks at once as come of that @night', async () => {
    world = await World.open({
      service: {
        speed: { videoMs: MINUTE, jitter: 0 },
        limits: { taskEveryMs: 2 * SECOND, retryAfterSeconds: 2 },
      },
    });
    const before = world.clock.now();
    await world.run(shots(1, 90));
    expect(world.counts()).toMatchObject({ saved: 90 });
    expect(world.clock.now() - before).toBeLessThan(1.2 * (90 * 2 * SECOND + MINUTE));
    expect(refused(world.posts()).length).toBeLessThanOrEqual(10);
  });
});
