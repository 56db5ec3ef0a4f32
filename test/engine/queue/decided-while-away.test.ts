import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

let world: World;
forEachTest((opened) => (world = opened));

const leave = (): void => renameSync(world.projectPath, `${world.projectPath} (away)`);
const comeBack = (): void => renameSync(`${world.projectPath} (away)`, world.projectPath);

const decisions = ['cancel', 'lost', 'attach'] as const;
type Decision = (typeof decisions)[number];

/** As the folder has it, and as another data folder learns it. */
const BECOMES = {
  cancel: ['cancelled', 'cancelled'],
  lost: ['result_lost', 'result_lost'],
  attach: ['polling', 'accepted'],
} as const;

/** Decides about a take while the disk of its project is away. */
async function decideAway(what: Decision): Promise<void> {
  world = await World.open({ service: { speed: { videoMs: 9 * HOUR, jitter: 0 } } });
  if (what !== 'cancel') world.fault({ method: 'POST' }, { fault: 'reset', commit: true });
  await world.begin([shot(1)]);
  const sent = (): boolean => ['accepted', 'polling', 'submit_unknown'].includes(world.job('0001').state);
  await world.until('the request', sent);
  await world.rest();
  leave();
  const { id } = world.job('0001');
  const taskId = world.service.tasks.list()[0]?.id ?? '';
  if (what === 'cancel') expect(world.engine.jobs.cancel(id)).toMatchObject({ ok: true });
  else if (what === 'attach') world.engine.jobs.resolve(id, { action: what, taskId });
  else expect(world.engine.jobs.resolve(id, { action: what })).toMatchObject({ ok: true });
  await world.pass(MINUTE);
}

/** What another data folder learns from the project. */
async function stateElsewhere(): Promise<string> {
  world.dataFolder = join(world.folder, 'other');
  await world.openProject();
  return world.job('0001').state;
}

describe('a decision that is made while the disk of its project is away', () => {
  it.each(decisions)('is in the folder soon after it is back: %s', async (what) => {
    await decideAway(what);
    comeBack();
    await world.pass(2 * MINUTE);
    const [here, elsewhere] = BECOMES[what];
    expect(world.recipe().state).toBe(here);
    await world.stop();
    expect(await stateElsewhere()).toBe(elsewhere);
    expect(world.posts()).toHaveLength(1);
  });

  it.each(decisions)('is written at the start after it is back: %s', async (what) => {
    await decideAway(what);
    await world.kill();
    await world.start();
    await world.pass(MINUTE);
    await world.stop();
    comeBack();
    await world.start();
    await world.engine.jobs.written();
    const [here, elsewhere] = BECOMES[what];
    expect(world.recipe().state).toBe(here);
    await world.stop();
    expect(await stateElsewhere()).toBe(elsewhere);
    expect(world.posts()).toHaveLength(1);
  });

  it('stands when the folder knows more of the request: what was cancelled is not followed again', async () => {
    world = await World.open({ service: { speed: { videoMs: 9 * HOUR, jitter: 0 } } });
    await world.import([shot(1)]);
    await world.stop();
    const copy = join(world.folder, 'copy');
    cpSync(world.dataFolder, copy, { recursive: true });
    await world.start();
    world.engine.queue.run({});
    await world.until('acceptance', () => world.job('0001').taskId !== undefined);
    await world.stop();
    const { taskId } = world.recipe();
    leave();
    rmSync(world.dataFolder, { recursive: true });
    renameSync(copy, world.dataFolder);
    await world.start();
    world.engine.jobs.cancel(world.job('0001').id);
    await world.pass(MINUTE);
    comeBack();
    await world.restart();
    world.engine.queue.run({});
    const asked = world.service.ledger.received;
    await world.pass(10 * HOUR);
    expect(world.job('0001')).toMatchObject({ state: 'cancelled', taskId });
    expect(world.recipe()).toMatchObject({ state: 'cancelled', taskId });
    expect(world.service.ledger.received).toBe(asked);
    expect(world.engine.jobs.retry(world.job('0001').id)).toMatchObject({ ok: true });
    await world.comesTo({ '0001': 'saved', posts: 1 });
  });

  it('is forgotten once it is written', async () => {
    await decideAway('cancel');
    comeBack();
    await world.pass(2 * MINUTE);
    await world.stop();
    expect(world.sql('SELECT * FROM unwritten_decisions')).toEqual([]);
  });
});

describe('a decision that is the first thing an engine does with a project', () => {
  it('is written although the engine before it was killed', async () => {
    world.fault({ method: 'POST' }, { fault: 'reset', commit: true });
    await world.run([shot(1)]);
    await world.pass(MINUTE);
    await world.restart();
    await world.pass(MINUTE);
    await world.kill();
    await world.start();
    expect(world.engine.jobs.resolve(world.job('0001').id, { action: 'lost' })).toMatchObject({ ok: true });
    await world.stop();
    expect(world.recipe().state).toBe('result_lost');
  });
});
