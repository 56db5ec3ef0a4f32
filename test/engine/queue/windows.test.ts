import { describe, expect, it } from 'vitest';
import { continuesByItself } from '../../../src/contract/events.ts';
import { NightWindow, parseDays, parseHours, type WindowScope } from '../../../src/contract/night-window.ts';
import { isSubmitBegun, forEachTest, World } from '../../support/world.ts';
import { shots } from '../db/seed.ts';

// The clock of a world begins on a Monday at 20:00 UTC.
let world: World;
forEachTest((opened) => (world = opened));

const HOUR = 3_600_000;
const windowOf = (hours: string, days = 'mon-sun'): NightWindow =>
  NightWindow.parse({ ...parseHours(hours), days: parseDays(days), timeZone: 'UTC' });
const at = (time: string) => Date.parse(`2026-01-${time}Z`);
const iso = (ms: number) => new Date(ms).toISOString().slice(8, 16);
const postedAt = () => world.posts().map((post) => iso(post.at));
const gates = () => world.engine.queue.status().gates.filter(({ reason }) => reason === 'window_closed');
const projectScope = (): WindowScope => ({
  scope: 'project',
  projectId: world.projectId,
});
const batchScope = (name: string): WindowScope => {
  const { projectId } = projectScope() as { projectId: string };
  return { scope: 'batch', batchId: world.engine.stores.batches.named(projectId, name)?.id ?? '' };
};

/** A project with a window, and takes that wait for it. */
async function worldWith(hours: string, days?: string): Promise<void> {
  await world.openProject();
  await world.act('windows.change', { scope: projectScope(), window: windowOf(hours, days) });
}

describe('a closed window of a project', () => {
  it('holds its takes and says until when, and opens by the clock', async () => {
    await worldWith('22:00-07:00');
    await world.begin(shots(3));
    await world.pass(HOUR);
    expect(gates()).toMatchObject([{ until: at('05T22:00'), window: { isOpen: false, scope: projectScope() } }]);
    expect(gates()).toMatchObject([
      {
        message: expect.saying(
          'Project “film” sends nothing outside its night window. The window opens on Monday at 22:00 (UTC).',
        ),
      },
    ]);
    expect(world.posts()).toEqual([]);
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(postedAt()).toEqual(['05T22:00', '05T22:00', '05T22:00']);
    expect(world.counts()).toMatchObject({ saved: 3 });
    expect(gates()).toEqual([]);
  });

  it('is waited for on the day on which it opens', async () => {
    await worldWith('09:00-17:00', 'thu');
    await world.run(shots(1));
    expect(postedAt()).toEqual(['08T09:00']);
  });

  it('holds after a restart too', async () => {
    await worldWith('22:00-07:00');
    await world.import(shots(1));
    await world.kill();
    await world.start();
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(postedAt()).toEqual(['05T22:00']);
  });

  it('holds no other project', async () => {
    await worldWith('22:00-07:00');
    await world.import(shots(1));
    world.projectPath = `${world.projectPath}-2`;
    await world.begin(shots(2));
    await world.pass(HOUR);
    expect(postedAt()).toEqual(['05T20:00', '05T20:00']);
    expect(world.counts()).toMatchObject({ saved: 2, unfinished: 1 });
  });

  it('lets its takes go when it is taken away', async () => {
    await worldWith('22:00-07:00');
    await world.begin(shots(1));
    await world.pass(HOUR);
    await world.act('windows.change', { scope: projectScope(), window: null });
    await world.settle();
    expect(postedAt()).toEqual(['05T21:00']);
  });
});

describe('a window that closes', () => {
  it('ends the run once what was sent is saved, with the time at which it opens again', async () => {
    world = await World.open({ service: { speed: { videoMs: 90_000 } }, settings: { maxRate: { submit: 0.05 } } });
    await world.start();
    const window = windowOf('19:00-20:01');
    const settled = await world.run(shots(9), { window });
    expect(settled).toMatchObject({
      is: 'awaiting_window',
      gate: { reason: 'window_closed', until: at('06T19:00'), window: { window, changedAt: at('05T20:01') } },
    });
    const sent = world.posts();
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.every((post) => post.at < at('05T20:01'))).toBe(true);
    expect(world.counts()).toMatchObject({ saved: sent.length, unfinished: 9 - sent.length });
    expect(world.clock.now()).toBeGreaterThan(at('05T20:01'));
  });

  it('calls off a submit that is being prepared', async () => {
    await world.import(shots(1));
    let isClosed = false;
    world.engine.subscribe((event) => {
      if (isClosed || !isSubmitBegun(event)) return;
      isClosed = true;
      void world.act('windows.change', { scope: projectScope(), window: windowOf('22:00-07:00') });
    });
    await world.settle();
    expect(isClosed).toBe(true);
    expect(postedAt()).toEqual(['05T22:00']);
  });
});

describe('starting before a window opens', () => {
  it('holds until it next closes, and is remembered', async () => {
    world = await World.open({ settings: { maxRate: { submit: 0.0001 } } });
    await world.begin(shots(6), { window: windowOf('22:00-23:00') });
    await world.pass(HOUR);
    await world.act('windows.startNow', { scope: batchScope('Day 1') });
    expect(world.engine.windows.list()).toMatchObject([{ isOpen: true, isEarly: true, changesAt: at('05T23:00') }]);
    await world.restart();
    const settled = await world.settle();
    expect(settled).toMatchObject({ gate: { reason: 'window_closed', until: at('06T22:00') } });
    const times = world.posts().map((post) => post.at);
    expect(times.some((time) => time < at('05T22:00'))).toBe(true);
    expect(times.every((time) => time >= at('05T21:00') && time < at('05T23:00'))).toBe(true);
  });

  it('is about one opening: a clock that is set back waits for its own', async () => {
    await worldWith('22:00-07:00');
    await world.act('windows.startNow', { scope: projectScope() });
    world.clock.setBack(24 * HOUR);
    expect(world.engine.windows.list()).toMatchObject([{ isOpen: false, isEarly: false, changesAt: at('04T22:00') }]);
  });

  it('changes nothing while the window is open', async () => {
    await worldWith('19:00-21:00');
    await world.act('windows.startNow', { scope: projectScope() });
    expect(world.engine.windows.list()).toMatchObject([{ isOpen: true, isEarly: false, changesAt: at('05T21:00') }]);
  });
});

it('a window of a batch takes the place of that of its project, in both directions', async () => {
  await worldWith('22:00-07:00');
  await world.import(shots(1), { name: 'By day', window: windowOf('08:00-21:00') });
  await world.begin(shots(2), { name: 'By night' });
  await world.pass(HOUR / 2);
  expect(postedAt()).toEqual(['05T20:00']);
  expect(gates()).toMatchObject([{ until: at('05T22:00') }]);
  await world.act('windows.change', { scope: projectScope(), window: windowOf('19:00-21:00') });
  await world.run(shots(1), { name: 'Later', window: windowOf('23:00-24:00') });
  expect(postedAt().slice(1)).toEqual(['05T20:30', '05T20:30', '05T23:00']);
});

describe('a take for tonight', () => {
  const clockTime = (ms: number) => {
    const date = new Date(ms);
    return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
  };

  /** A saved take, and a second one that waits for hours which begin in two hours. */
  async function worldWithOneTonight() {
    await world.run(shots(1));
    const now = world.clock.now();
    const tonight = { opens: clockTime(now + 2 * HOUR), closes: clockTime(now + 9 * HOUR) };
    const first = world.jobs()[0];
    if (!first) throw new Error('no take');
    const { id } = await world.engine.review.another({ takeId: first.id, changes: { cells: {} }, tonight });
    world.engine.queue.run({});
    return { id, projectId: first.projectId, tray: () => world.engine.review.tonight(first.projectId) };
  }
  const state = (id: string) => world.jobs().find((job) => job.id === id);

  it('is on hold until its hours begin, also when the engine starts again, and is sent then', async () => {
    const { id, tray } = await worldWithOneTonight();
    await world.pass(HOUR);
    expect(world.posts()).toHaveLength(1);
    expect(state(id)).toMatchObject({ paused: 'user', standing: 'unfinished' });
    expect(tray()).toMatchObject({ total: 1, takes: [{ id }] });
    const queue = await world.engine.views.queue();
    expect(continuesByItself({ ...queue, run: { is: 'over' } })).toBe(true);
    await world.restart();
    world.engine.queue.run({});
    await world.pass(30 * 60_000);
    expect(world.posts()).toHaveLength(1);
    await world.pass(HOUR);
    expect(world.posts()).toHaveLength(2);
    expect(state(id)).toMatchObject({ state: 'saved', paused: null });
    expect(tray()).toEqual({ takes: [], total: 0, at: null });
  });

  it('that was due while no engine ran waits for the next night, unless its hours still run', async () => {
    const { id } = await worldWithOneTonight();
    await world.stop();
    await world.clock.advance(12 * HOUR);
    await world.start();
    world.engine.queue.run({});
    await world.pass(HOUR);
    expect(state(id)).toMatchObject({ paused: 'user' });
    await world.pass(14 * HOUR);
    expect(state(id)).toMatchObject({ state: 'saved' });
    expect(world.posts()).toHaveLength(2);
  });

  it('is taken out and put back, and waits again', async () => {
    const { id, tray } = await worldWithOneTonight();
    const done = await world.act('jobs.withdraw', { ids: [id] });
    expect(tray().total).toBe(0);
    await world.engine.commands.undo(done?.undo ?? '', 'window');
    expect(tray().total).toBe(1);
    await world.pass(HOUR);
    expect(world.posts()).toHaveLength(1);
    await world.pass(2 * HOUR);
    expect(state(id)).toMatchObject({ state: 'saved' });
  });

  it('is sent at once when a person lets it go, and not at all when a person holds it', async () => {
    const { id } = await worldWithOneTonight();
    await world.act('jobs.hold', { ids: [id], held: true });
    await world.pass(5 * HOUR);
    expect(world.posts()).toHaveLength(1);
    await world.act('jobs.hold', { ids: [id], held: false });
    await world.pass(HOUR);
    expect(world.posts()).toHaveLength(2);
  });

  it('that a person asked for again no longer follows the clock', async () => {
    const { id } = await worldWithOneTonight();
    await world.act('jobs.retry', { ids: [id] });
    // Something else than a person holds it since, such as the cap of an agent.
    world.sql(`UPDATE jobs SET paused = 'user' WHERE id = ?`, id);
    await world.pass(5 * HOUR);
    expect(state(id)).toMatchObject({ paused: 'user' });
    expect(world.posts()).toHaveLength(1);
  });
});
