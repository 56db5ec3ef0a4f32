import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

/** A first shot whose submit was charged and never answered, and a second that was saved. */
beforeEach(async () => {
  world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'reset', commit: true });
  await world.run([shot(1), shot(2)]);
});

const taskOf = (prompt: string): string => {
  const task = world.service.tasks.list().find(({ wanted }) => wanted.prompt === prompt);
  if (!task) throw new Error(`no task was made of ${prompt}`);
  return task.id;
};

describe('deciding about a submit of unknown fate', () => {
  it('attach: follows the task that was found and brings its file home without a POST', async () => {
    const { id } = world.job('0001');
    const answer = world.engine.jobs.resolve(id, { action: 'attach', taskId: taskOf('Shot 1') });
    expect(answer).toMatchObject({ ok: true, job: { state: 'accepted', taskId: taskOf('Shot 1') } });
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp4'] });
    expect(existsSync(join(world.projectPath, 'Day 1', '0001_t1.mp4'))).toBe(true);
    expect(world.posts()).toHaveLength(2);
  });

  it('attach: is refused for a task that another take follows', () => {
    const { id } = world.job('0001');
    const taken = world.job('0002').taskId ?? '';
    const answer = world.engine.jobs.resolve(id, { action: 'attach', taskId: taken });
    expect(answer).toMatchObject({ ok: false, problem: expect.saying(/belongs to another take/) });
    expect(world.job('0001').state).toBe('submit_unknown');
  });

  it('attach: goes back to unknown, at no charge, when the service has no such task', async () => {
    const { id } = world.job('0001');
    world.engine.jobs.resolve(id, { action: 'attach', taskId: 'task_mistyped' });
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'submit_unknown', failure: { cost: 'maybe' } });
    expect(world.job('0001').failure?.message).saying(/task_mistyped/);
    const right = { action: 'attach', taskId: taskOf('Shot 1') } as const;
    expect(world.engine.jobs.resolve(id, right)).toMatchObject({ ok: true });
    await world.comesTo({ '0001': 'saved', posts: 2 });
  });

  it('lost: writes it off, sends nothing, and keeps saying that it may have been charged', async () => {
    const answer = world.engine.jobs.resolve(world.job('0001').id, { action: 'lost' });
    expect(answer).toMatchObject({ ok: true, job: { state: 'result_lost', standing: 'failed' } });
    await world.restart();
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'result_lost', failure: { cost: 'maybe' } });
    expect(world.posts()).toHaveLength(2);
  });

  it('resubmit: sends exactly one more POST and journals it as the second attempt', async () => {
    const { id } = world.job('0001');
    expect(world.engine.jobs.resolve(id, { action: 'resubmit' })).toMatchObject({ ok: true, job: { state: 'ready' } });
    await world.comesTo({ '0001': 'saved' });
    expect(world.posts('0001')).toHaveLength(2);
    await world.stop();
    expect(world.journal(id)).toMatchObject([
      { number: 1, outcome: 'unclear' },
      { number: 2, outcome: 'accepted' },
    ]);
  });

  it('resubmit: asks for a decision again when the second POST is as unclear as the first', async () => {
    world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'reset' });
    world.engine.jobs.resolve(world.job('0001').id, { action: 'resubmit' });
    await world.comesTo({ '0001': 'submit_unknown' });
    expect(world.posts('0001')).toHaveLength(2);
  });

  it('refuses a retry, which could pay twice, and a cancel, which would hide it', () => {
    const { id } = world.job('0001');
    const retry = world.engine.jobs.retry(id);
    expect(retry).toMatchObject({ ok: false, problem: expect.saying(/may have been charged.*Decide.*twice/) });
    const cancel = world.engine.jobs.cancel(id);
    expect(cancel).toMatchObject({ ok: false, problem: expect.saying(/may have been charged.*Decide/) });
    expect(world.job('0001').state).toBe('submit_unknown');
  });

  it('refuses to decide about a take that is not in question', () => {
    const saved = world.job('0002').id;
    for (const resolution of [{ action: 'lost' }, { action: 'resubmit' }] as const) {
      const answer = world.engine.jobs.resolve(saved, resolution);
      expect(answer).toMatchObject({ ok: false, problem: expect.saying(/without a clear answer can be decided/) });
    }
    expect(world.job('0002').state).toBe('saved');
  });
});
