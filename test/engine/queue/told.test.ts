import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/contract/events.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot, shots } from '../db/seed.ts';
import type { AttemptView } from '../../../src/contract/review.ts';
import { spanByPace } from '../../../src/engine/machine/expected-end.ts';

let world: World;
let told: EngineEvent[];

forEachTest((opened) => (world = opened));
const jobsTold = () => told.flatMap((event) => (event.type === 'job' ? [event.job] : []));

describe('a listener to the engine', () => {
  beforeEach(async () => {
    await world.start();
    told = [];
    world.engine.subscribe((event) => told.push(event));
  });

  it('hears of every take that a batch starts, before any of them is sent', async () => {
    await world.import(shots(3));
    expect(jobsTold().map(({ shot: key, state }) => [key, state])).toEqual([
      ['0001', 'ready'],
      ['0002', 'ready'],
      ['0003', 'ready'],
    ]);
  });

  it('hears of takes that a changed list cancels', async () => {
    await world.import(shots(2));
    told.length = 0;
    await world.import([shot(1, { prompt: 'Another prompt' }), shot(2)]);
    expect(jobsTold().map(({ shot: key, take, state }) => [key, take, state])).toEqual([
      ['0001', 1, 'cancelled'],
      ['0001', 2, 'ready'],
    ]);
  });

  it('gets one event to read everything again when a batch starts very many takes', async () => {
    await world.import(shots(600));
    expect(jobsTold()).toEqual([]);
    expect(told.filter(({ type }) => type === 'many')).toHaveLength(1);
  });

  it('hears of the takes that an import stored before it was cut off', async () => {
    const project = await world.openProject();
    told.length = 0;
    const cut = new AbortController();
    const request = { project, name: 'Day 1', listFolder: world.folder, source: 'list.csv', again: false };
    const importing = world.engine.batches.start({ ...request, shots: shots(900), signal: cut.signal });
    while (world.counts().unfinished === 0) await nextTurn();
    cut.abort(new Error('cut off'));
    await expect(importing).rejects.toThrow('cut off');
    expect(told.map(({ type }) => type)).toContain('batches');
    expect(jobsTold().length > 0 || told.some(({ type }) => type === 'many')).toBe(true);
  });

  it('hears of another take of a shot', async () => {
    await world.run(shots(1));
    told.length = 0;
    const { id } = await world.engine.review.another({ takeId: world.job('0001').id, changes: { cells: {} } });
    expect(jobsTold()).toMatchObject([{ id, take: 2, state: 'ready' }]);
  });

  it('hears that a take was put first in line', async () => {
    await world.import(shots(1));
    told.length = 0;
    world.engine.jobs.prioritise(world.job('0001').id, 1000);
    expect(jobsTold()).toMatchObject([{ shot: '0001', priority: 1000 }]);
  });

  it('hears that a take goes again where its list has it', async () => {
    await world.import(shots(1).map((shot) => ({ ...shot, priority: 7 })));
    const { id } = world.job('0001');
    world.engine.jobs.prioritise(id, -1000);
    told.length = 0;
    world.engine.jobs.prioritise(id, null);
    expect(jobsTold()).toMatchObject([{ shot: '0001', priority: 7 }]);
  });

  it('hears of a verdict as it is now, what of it changed and which window gave it', async () => {
    await world.run(shots(1));
    const { id, projectId } = world.job('0001');
    const { review } = world.engine;
    told.length = 0;
    review.judge([id], { rating: 4 }, 'this window');
    const { before } = review.judge([id], { rating: 4, flag: 'pick' });
    review.restore(before, { flag: 'pick' });
    const given = { projectId, takeId: id, by: '' };
    expect(told.flatMap((event) => (event.type === 'verdicts' ? event.verdicts : []))).toEqual([
      { ...given, verdict: { rating: 4, flag: null, note: '' }, changed: ['rating'], by: 'this window' },
      { ...given, verdict: { rating: 4, flag: 'pick', note: '' }, changed: ['flag'] },
      { ...given, verdict: { rating: 4, flag: null, note: '' }, changed: ['flag'] },
    ]);
    expect(told).toHaveLength(3);
  });

  it('hears nothing of a verdict that changes nothing', async () => {
    await world.run(shots(1));
    told.length = 0;
    world.engine.review.judge([world.job('0001').id], { flag: null });
    expect(told).toEqual([]);
  });

  it('hears of projects that are opened and taken off the list', async () => {
    const path = join(world.folder, 'reel');
    mkdirSync(path);
    const { id } = await world.engine.projects.open(path);
    expect(told).toEqual([{ type: 'project', projectId: id }]);
    await world.act('projects.forget', { projectId: id });
    expect(told).toHaveLength(2);
  });

  it('hears that takes held back for a refused key go on with another one', async () => {
    await world.begin(shots(1));
    await world.until('acceptance', () => world.service.ledger.commits === 1);
    const right = world.key;
    world.key = 'wrong';
    await world.until('a pause', () => world.job('0001').paused !== null);
    world.key = right;
    told.length = 0;
    world.engine.keyChanged();
    expect(told).toContainEqual({ type: 'many' });
    await world.comesTo({ '0001': 'saved' });
  });
});

const attemptsOf = (key: string): AttemptView[] => world.engine.review.details(world.job(key).id).attempts;

describe('the attempts of a take', () => {
  it('are none before anything is sent', async () => {
    await world.import([shot(1, { priority: 3 })]);
    expect(attemptsOf('0001')).toEqual([]);
    expect(world.job('0001').priority).toBe(3);
  });

  it("name what was sent where, when, and the ids of the service's answer", async () => {
    await world.run([shot(1)]);
    const [post] = world.posts();
    const { taskId, requestId, traceId } = world.job('0001');
    expect(attemptsOf('0001')).toMatchObject([
      {
        number: 1,
        intendedAt: post?.at,
        endedAt: post?.at,
        outcome: 'accepted',
        origin: world.service.url,
        request: { path: '/v1/videos', body: { prompt: 'Shot 1' } },
        taskId,
        requestId,
        traceId,
      },
    ]);
    expect(traceId).toBeTruthy();
  });

  it('keep what the service said to each, and why a task of an earlier one failed', async () => {
    const { faults } = world.service;
    faults.add({ match: { method: 'POST' }, do: { fault: 'rate-limit', seconds: 5 } });
    faults.add({ match: { method: 'POST' }, do: { fault: 'outcome', end: 'failed' } });
    await world.run([shot(1)]);
    world.engine.jobs.retry(world.job('0001').id);
    await world.settle();
    const [first, second, third] = attemptsOf('0001');
    expect(first).toMatchObject({ outcome: 'not_accepted', failure: { httpStatus: 429 } });
    expect(second).toMatchObject({
      outcome: 'accepted',
      failure: { message: expect.saying(/could not generate/) },
    });
    expect(third).toMatchObject({ outcome: 'accepted', taskId: world.job('0001').taskId });
    expect(third).not.toHaveProperty('failure');
    expect(second?.taskId).not.toBe(third?.taskId);
  });

  it('name the task that a person found for one of unknown fate', async () => {
    world.fault({ method: 'POST' }, { fault: 'reset', commit: true });
    await world.run([shot(1)]);
    expect(attemptsOf('0001')).toMatchObject([{ outcome: 'unclear', failure: { cost: 'maybe' } }]);
    const taskId = world.service.tasks.list()[0]?.id ?? '';
    world.engine.jobs.resolve(world.job('0001').id, { action: 'attach', taskId });
    await world.settle();
    expect(attemptsOf('0001')).toMatchObject([{ outcome: 'unclear', taskId }]);
  });

  it('are one of unknown end when the process died while it was sent', async () => {
    world.fault({ method: 'POST' }, { fault: 'hang', commit: true });
    await world.begin([shot(1)]);
    await world.until('a submit', () => world.posts().length === 1);
    expect(attemptsOf('0001')).toMatchObject([{ outcome: 'under_way', endedAt: null }]);
    await world.kill();
    await world.start();
    expect(attemptsOf('0001')).toMatchObject([{ outcome: 'unclear', failure: { code: 'interrupted_submit' } }]);
  });
});

const MINUTE = 60_000;

describe('the expected end', () => {
  it('follows the pace since the first take was saved, in a span that narrows with the takes it is told from', () => {
    const now = 100_000;
    expect(spanByPace(26, { takes: 11, since: now - 5000 }, now)?.usual).toBe(13_000);
    expect(spanByPace(4, { takes: 3, since: now - 8 * MINUTE }, now)?.usual).toBe(16 * MINUTE);
    const widthOf = (takes: number): number => {
      const { early = 0, usual = 1, late = 0 } = spanByPace(10, { takes, since: 0 }, now) ?? {};
      return (late - early) / usual;
    };
    expect(widthOf(101)).toBeLessThan(widthOf(5));
  });

  it('is absent after two takes, and when nothing is left to do', () => {
    expect(spanByPace(9, { takes: 2, since: 0 }, 1000)).toBeNull();
    expect(spanByPace(0, { takes: 50, since: 0 }, 1000)).toBeNull();
  });

  it('is absent while each take that is left is on hold', async () => {
    await world.run(shots(4), { name: 'Earlier' });
    await world.settle();
    world.engine.queue.pause();
    await world.import(shots(1), { name: 'Held' });
    const held = world.jobs().filter(({ state }) => state !== 'saved');
    await world.act('jobs.hold', { ids: held.map(({ id }) => id), held: true });
    world.engine.queue.resume();
    world.engine.queue.run({});
    const { counts, status } = await world.engine.views.queue();
    expect(counts).toMatchObject({ saved: 4, unfinished: 1 });
    expect(status.expectedEnd).toBeUndefined();
  });

  it('is near the truth soon after a run began, whatever was saved in an earlier one @night', async () => {
    world = await World.open({ settings: { maxRate: { submit: 1 } } });
    const { engine, clock } = { engine: await world.start(), clock: world.clock };
    await world.run(shots(20), { name: 'Earlier' });
    await world.pass(4 * MINUTE);
    await world.import(shots(40), { name: 'Now' });
    await world.until('six takes of the run', () => world.counts().saved === 26);
    const { status, taskTimes } = await engine.views.queue();
    const expected = status.expectedEnd?.usual;
    const at = clock.now();
    await world.settle();
    const took = clock.now() - at;
    expect((expected ?? 0) - at).toBeGreaterThan(took / 2);
    expect((expected ?? 0) - at).toBeLessThan(took * 2);
    expect(taskTimes).toMatchObject([{ model: 'vgen-2.0-cl-fast', ms: expect.any(Number) }]);
  });
});
