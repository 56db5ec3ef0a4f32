import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startDemoService, type DemoService } from '../../support/demo/service.ts';
import { Settings } from '../../../src/contract/settings.ts';
import { DueJobs } from '../../../src/engine/db/due-jobs.ts';
import { World, type WorldOptions } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { files, starting } from '../library/media.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let world: World;
let other: DemoService | null = null;
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
  await other?.stop();
  other = null;
});

const shots = (count: number, prompt = 'Shot') =>
  Array.from({ length: count }, (_, index) => shot(index + 1, { prompt: `${prompt} ${index + 1}` }));

describe('a submit', () => {
  it('waits for its turn before its intent is written, never between its intent and its first byte', async () => {
    world = await World.open({ settings: { maxRate: { submit: 0.1 }, concurrency: { submit: 4 } } });
    await world.run(shots(5));
    const intended = world.sql('SELECT intended_at AS at FROM attempts ORDER BY intended_at') as { at: number }[];
    const sent = world.posts().map(({ at }) => at);
    expect(intended.map(({ at }) => at)).toEqual(sent);
    expect(sent.map((at) => at - (sent[0] ?? 0))).toEqual([0, 10_000, 20_000, 30_000, 40_000]);
  });

  it('that waits for its turn is not sent once the queue is paused, its shot held back or the job cancelled', async () => {
    world = await World.open({ settings: { maxRate: { submit: 0.1 }, concurrency: { submit: 4 } } });
    await world.begin(shots(4));
    await world.until('the first submit', () => world.posts().length === 1);
    world.engine.jobs.hold(world.job('0002').id, 'user');
    world.engine.jobs.cancel(world.job('0003').id);
    await world.pass(MINUTE);
    expect(world.posts()).toHaveLength(2);
    expect(world.posts('0004')).toHaveLength(1);
    world.engine.queue.pause();
    world.engine.jobs.hold(world.job('0002').id, null);
    await world.pass(MINUTE);
    expect(world.posts()).toHaveLength(2);
    world.engine.queue.resume();
    await world.settle();
    expect(world.posts('0002')).toHaveLength(1);
    expect(world.counts()).toMatchObject({ saved: 3 });
  });
});

describe('work for one service', () => {
  /** A second service, and a project with `count` shots that is on it. */
  async function withOther(options: WorldOptions, count: number): Promise<{ id: string; service: DemoService }> {
    world = await World.open(options);
    const service = await startDemoService({ clock: world.clock, media: 'tiny', apiKey: 'other-key' });
    other = service;
    await world.start();
    world.engine.useService('other', { baseUrl: service.url, apiKey: 'other-key' });
    const path = join(world.folder, 'elsewhere');
    mkdirSync(path);
    const project = await world.engine.projects.open(path);
    world.engine.projects.putOnService(project.id, 'other');
    const request = { project, name: 'Day 1', listFolder: path, source: 'list.csv', again: false };
    await world.engine.batches.start({ ...request, shots: shots(count, 'Other') });
    return { id: project.id, service };
  }
  const saved = (projectId: string): number => world.engine.stores.tally.counts({ projectId }).saved;

  it('goes on while every place for submits to another waits for an answer', async () => {
    const { id } = await withOther({ settings: { concurrency: { submit: 2 } } }, 3);
    world.fault({ method: 'POST', times: 'always' }, { fault: 'hang' });
    await world.begin(shots(6));
    await world.until('the other service is done', () => saved(id) === 3);
    world.has({ saved: 3, unknown: 0, posts: 2 });
  });

  it('goes on while another asks for hours of patience for submits and polls', async () => {
    const { id } = await withOther({}, 3);
    const always = { times: 'always' as const };
    world.fault({ method: 'POST', nth: 3, ...always }, { fault: 'rate-limit', seconds: 9000 });
    world.fault({ method: 'GET', ...always }, { fault: 'rate-limit', seconds: 9000 });
    await world.import(shots(40));
    const begin = world.clock.now();
    world.engine.queue.run({});
    await world.until('the other service is done', () => saved(id) === 3);
    expect(world.clock.now() - begin).toBeLessThan(HOUR);
    expect(world.posts()).toHaveLength(3);
  });

  it('is asked how it is while another that was asked the same does not answer', async () => {
    const { id, service } = await withOther({ settings: { concurrency: { submit: 1 } } }, 6);
    for (const { faults } of [world.service, service]) {
      faults.add({ match: { method: 'POST', times: 5 }, do: { fault: 'status', status: 500 } });
    }
    world.fault({ path: '/v1/models' }, { fault: 'hang' });
    await world.begin(shots(6));
    await world.until('the other service is trusted again', () => saved(id) === 1);
    const [theirs, ours] = [service, world.service].map(({ ledger }) => ledger.gets('/v1/models')[0]?.at ?? Number.NaN);
    expect(theirs).toBeLessThan((ours ?? 0) + 5000);
  });
});

describe('tasks of an earlier address', () => {
  const followed = 60;

  /** Tasks are followed when the settings move on to another service, where so many new shots are sent to. */
  async function moveOn(count: number, retryAfterSeconds: number): Promise<void> {
    world = await World.open({ settings: { maxRate: { submit: 50 } }, service: { speed: { videoMs: HOUR } } });
    await world.begin(shots(followed), { name: 'Before' });
    await world.until('the tasks', () => world.service.ledger.commits === followed);
    other = await startDemoService({ clock: world.clock, media: 'tiny', apiKey: world.service.apiKey });
    const match = { method: 'GET', times: 'always' as const };
    world.fault(match, { fault: 'rate-limit', seconds: retryAfterSeconds });
    await world.pass(MINUTE);
    world.engine.updateSettings(Settings.parse({ baseUrl: other.url }));
    await world.import(shots(count, 'After'), { name: 'After' });
  }
  const savedSince = (): number => world.counts().saved;

  it('that a 429 holds back for hours keep none of the present address waiting, and are told', async () => {
    await moveOn(3, 9000);
    const before = world.clock.now();
    await world.until('the new takes', () => savedSince() === 3);
    expect(world.clock.now() - before).toBeLessThan(5 * MINUTE);
    const message = expect.saying(new RegExp(`^The service at ${world.service.url} is limiting requests \\(429\\)`));
    expect(world.engine.queue.status().gates).toMatchObject([{ reason: 'throttled', message }]);
  });

  it('that are asked about ever more rarely keep none of the present address waiting @night', async () => {
    await moveOn(40, 1);
    const before = world.clock.now();
    await world.until('the new takes', () => savedSince() === 40);
    expect(world.clock.now() - before).toBeLessThan(5 * MINUTE);
  });
});

it('polls are not held up by many questions about uploads, nor those by polls @night', async () => {
  world = await World.open({
    settings: { maxRate: { submit: 100, poll: 0.2, download: 100 } },
    service: { speed: { videoMs: HOUR, assetMs: HOUR } },
  });
  await world.begin(shots(5), { name: 'Tasks' });
  await world.until('the tasks', () => world.posts().length === 5);
  const names = Array.from({ length: 20 }, (_, index) => `picture ${index}.png`);
  files(world, Object.fromEntries(names.map((name) => [name, name])));
  await world.import(
    names.map((name, index) => starting(index + 1, name)),
    { name: 'Media' },
  );
  await world.pass(5 * MINUTE);
  const asked = world.service.ledger.gets().map(({ path }) => (path.startsWith('/v1/assets/') ? 'asset' : 'task'));
  const last = asked.slice(-40);
  expect(last.filter((each) => each === 'task').length).toBeGreaterThan(5);
  expect(last.filter((each) => each === 'asset').length).toBeGreaterThan(5);
});

it('the end of a step asks the database for steps of its kind, and of the kind its job goes on with', async () => {
  world = await World.open({ service: { speed: { videoMs: HOUR } } });
  await world.begin(shots(6));
  await world.until('all tasks are followed', () => world.jobs().every(({ state }) => state === 'polling'));
  const asked = vi.spyOn(DueJobs.prototype, 'claim');
  await world.pass(10 * MINUTE);
  const kinds = asked.mock.calls.map(([step]) => step);
  expect(kinds.length).toBeGreaterThan(50);
  expect(new Set(kinds)).toEqual(new Set(['poll']));
});
