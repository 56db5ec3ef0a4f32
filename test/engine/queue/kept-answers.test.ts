import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCutOff } from '../../../src/contract/job.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const SYNC = '/v1/images/generations';

let world: World;
forEachTest((opened) => (world = opened));

const picture = (params: ShotSpec['params'] = {}): ShotSpec =>
  shot(1, { kind: 'image', model: 'image-demo', params: { response_format: 'b64_json', ...params } });
const line = shot(1, { kind: 'speech', model: 'speech-demo', params: { voice: 'alto' } });
const kept = () => readdirSync(join(world.dataFolder, 'answers'));
const away = () => `${world.projectPath} (away)`;

/** Its answer has come, and the disk of its project is away. */
async function answered(take: ShotSpec): Promise<string> {
  world = await World.open({ service: { asyncImages: false, speed: { imageMs: 60_000 } } });
  await world.begin([take]);
  await world.until('the synchronous submit', () => world.service.ledger.posts(SYNC).length === 1);
  renameSync(world.projectPath, away());
  await world.until('its answer', () => world.job('0001').state === 'downloading');
  return world.job('0001').id;
}

async function isSavedFromIt(): Promise<void> {
  expect(world.engine.jobs.retry(world.job('0001').id)).toMatchObject({ ok: true, job: { state: 'downloading' } });
  await world.settle();
  expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.png'] });
  expect(world.job('0001').notice).toBeUndefined();
  expect(world.service.ledger.commits).toBe(1);
  expect(kept()).toEqual([]);
}

describe('a cancelled take whose paid answer is on this disk', () => {
  it.each(['b64_json', 'url'])('says so, and is saved from it when a person wants it after all: %s', async (form) => {
    const id = await answered(picture({ response_format: form }));
    expect(world.engine.jobs.cancel(id)).toMatchObject({ ok: true, job: { state: 'cancelled' } });
    renameSync(away(), world.projectPath);
    expect(world.job('0001')).toMatchObject({ hasAnswer: true, notice: { code: 'answer_kept', cost: 'charged' } });
    expect(world.job('0001').notice?.message).saying(/was paid for/);
    await world.restart();
    await world.comesTo({ '0001': 'cancelled' });
    expect(kept()).toHaveLength(1);
    await isSavedFromIt();
  });

  it('is not paid for again by starting its list again', async () => {
    const id = await answered(picture());
    world.engine.jobs.cancel(id);
    renameSync(away(), world.projectPath);
    await world.run([picture()]);
    expect(world.jobs().map(({ take, state }) => [take, state])).toEqual([[1, 'cancelled']]);
    expect(world.service.ledger.commits).toBe(1);
  });

  it('is saved from it where it was cancelled while its request was under way', async () => {
    world = await World.open({ service: { asyncImages: false, speed: { imageMs: 60_000 } } });
    await world.begin([picture()]);
    await world.until('the synchronous submit', () => world.service.ledger.posts(SYNC).length === 1);
    expect(world.engine.jobs.cancel(world.job('0001').id)).toMatchObject({ ok: true });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'cancelled', hasAnswer: true });
    await isSavedFromIt();
  });

  it('is found where an earlier release has cancelled it', async () => {
    const id = await answered(picture());
    world.engine.jobs.cancel(id);
    renameSync(away(), world.projectPath);
    await world.stop();
    world.sql(`UPDATE jobs SET facts = json_remove(facts, '$.results') WHERE id = ?`, id);
    await world.start();
    expect(world.job('0001')).toMatchObject({ state: 'cancelled', hasAnswer: true });
    await isSavedFromIt();
  });

  it('is found by a database that is new, in the folder of the answer', async () => {
    const id = await answered(picture());
    renameSync(away(), world.projectPath);
    world.engine.jobs.cancel(id);
    await world.stop();
    for (const name of readdirSync(world.dataFolder).filter((each) => each.startsWith('dailies.db')))
      rmSync(join(world.dataFolder, name));
    await world.openProject();
    expect(world.job('0001')).toMatchObject({ state: 'cancelled', hasAnswer: true });
    await isSavedFromIt();
  });

  it('has nothing to save where no answer came', async () => {
    await world.import([line]);
    world.engine.jobs.cancel(world.job('0001').id);
    expect(world.job('0001').hasAnswer).toBeUndefined();
  });
});

describe('the decision about a take that only its folder knows', () => {
  it('offers the answer that is on this disk, where it names addresses', async () => {
    await answered(picture({ response_format: 'url' }));
    renameSync(away(), world.projectPath);
    const fills = { get: () => 1024, configurable: true };
    Object.defineProperty(world, 'freeBytes', fills);
    await world.stop();
    for (const name of readdirSync(world.dataFolder).filter((each) => each.startsWith('dailies.db')))
      rmSync(join(world.dataFolder, name));
    await world.openProject();
    const { id, state, keptAnswer } = world.job('0001');
    expect(state).toBe('submit_unknown');
    const [url] = keptAnswer?.addresses ?? [];
    expect(world.engine.jobs.resolve(id, { action: 'accept', url })).toMatchObject({ ok: true });
    Object.defineProperty(world, 'freeBytes', { value: 1024 ** 4 });
    await world.comesTo({ '0001': 'saved', commits: 1 });
  });
});

it('an answer of which only the beginning came is shown, and never saved as the result', async () => {
  world = await World.open({ service: { tinyBytes: 20_000 } });
  world.fault({ kind: 'speech' }, { fault: 'cut', afterBytes: 3000 });
  await world.run([line]);
  const { id, keptAnswer } = world.job('0001');
  expect(keptAnswer && isCutOff(keptAnswer)).toBe(true);
  expect(world.engine.jobs.resolve(id, { action: 'accept' })).toMatchObject({
    ok: false,
    problem: expect.saying(/Only the beginning of the answer arrived/),
  });
  await world.settle();
  expect(world.job('0001')).toMatchObject({ state: 'submit_unknown', files: [] });
  expect(kept()).toHaveLength(1);
});
