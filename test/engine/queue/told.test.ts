import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/contract/events.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot, shots } from '../db/seed.ts';

let world: World;
let told: EngineEvent[];

forEachTest((opened) => (world = opened));
beforeEach(async () => {
  await world.start();
  told = [];
  world.engine.subscribe((event) => told.push(event));
});

const jobsTold = () => told.flatMap((event) => (event.type === 'job' ? [event.job] : []));

describe('a listener to the engine', () => {
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
