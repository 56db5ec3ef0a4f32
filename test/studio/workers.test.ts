import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../src/contract/shot.ts';
import type { Batch } from '../../src/engine/db/batch-store.ts';
import type { Job } from '../../src/engine/db/job-store.ts';
import type { Account } from '../../src/engine/db/service-store.ts';
import { recipeFor, writeRecipe } from '../../src/engine/projects/recipe-file.ts';
import type { StudioProject } from '../../src/studio/types.ts';
import type { Worker } from '../../src/studio/worker.ts';
import { hasPostgres } from '../support/studio.ts';
import { shots } from '../engine/db/seed.ts';
import type { Machine } from './machine.ts';
import { closableWay, openShared, type Shared, withoutLimits } from './machines.ts';

const keys = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index + 1).padStart(4, '0'));
const saved = (count: number): string[] => keys(count).map((key) => `${key} 1 saved`);

const idle = (...machines: readonly Machine[]) => Promise.all(machines.map(({ worker }) => worker?.untilIdle()));

async function states({ studio }: Shared): Promise<Record<string, number>> {
  const rows = await studio.query('SELECT state, count(*)::int AS n FROM dailies.takes GROUP BY 1');
  return Object.fromEntries(rows.map(({ state, n }) => [state, n])) as Record<string, number>;
}

/** Two machines, and a list that is in the studio's queue. */
async function withList(
  count: number,
  { cap, videoMs = 4000, takes = 1 }: { cap?: { takes: number }; videoMs?: number; takes?: number } = {},
) {
  const shared = await openShared({ speed: { videoMs, jitter: 0 } });
  const way = await closableWay(shared);
  const settings = { concurrency: { submit: 2 } };
  const one = await shared.machine('one', { address: way.address, settings }).start();
  const two = await shared.machine('two', { settings }).start();
  const list = shots(count).map((shot) => ({ ...shot, takes }));
  expect(await one.handOver(list, { cap })).toBe(count * takes);
  await withoutLimits(shared, one);
  return { shared, way, one, two };
}

describe.runIf(hasPostgres)('two machines', () => {
  it('share a list, and send nothing twice', async () => {
    const { shared, one, two } = await withList(12);
    await Promise.all([one.work(), two.work()]);
    await idle(one, two);
    expect([...shared.posts().values()]).toEqual(keys(12).map(() => 1));
    expect(shared.files()).toHaveLength(12);
    const makers = new Set(shared.recipes().map(({ studio }) => studio?.worker));
    expect(makers).toEqual(new Set(['one', 'two']));
    await expect.poll(() => one.takes()).toEqual(saved(12));
    await expect.poll(() => two.takes()).toEqual(saved(12));
  });

  it('call a batch by its name, also where its file is not there yet', async () => {
    const { shared, two } = await withList(3);
    rmSync(join(shared.film, '.dailies', 'batches'), { recursive: true, force: true });
    await two.work();
    await idle(two);
    expect(new Set(two.jobs().map(({ batch }) => batch))).toEqual(new Set(['Day 1']));
  });

  it('take up what others made of a project once its folder is read', async () => {
    const { shared } = await withList(3);
    const three = await (await shared.machine('three', { key: 'another-key' }).start()).work();
    const member = three.worker?.member as Worker['member'];
    const [project] = (await shared.studio.query('SELECT id, name, root, path FROM dailies.projects')) as unknown as [
      StudioProject,
    ];
    await member.openProject(project, async () => {
      await member.rows.project(project, {});
      await member.pull();
      expect(three.jobs()).toEqual([]);
    });
    expect(three.jobs()).toHaveLength(3);
  });

  it('keep a cap together', async () => {
    const { shared, one, two } = await withList(8, { cap: { takes: 3 } });
    await one.work();
    await two.work();
    await expect.poll(() => states(shared)).toMatchObject({ done: 3 });
    expect(shared.posts().size).toBe(3);
  });

  it('leave an account to those that have its key', async () => {
    const { shared, one } = await withList(2);
    const three = await shared.machine('three', { key: 'another-key' }).start();
    await three.work();
    await one.work();
    await idle(one);
    expect(new Set(shared.recipes().map(({ studio }) => studio?.worker))).not.toContain('three');
    expect(shared.files()).toHaveLength(2);
  });

  it('go on where one of them was killed: nothing is sent twice, and what is unclear waits for a person', async () => {
    const { shared, one, two } = await withList(20);
    await one.work();
    await expect.poll(() => shared.posts().size).toBeGreaterThan(3);
    await one.kill();
    const { unclear } = await shared.studio.admin.declareDead('one');
    await two.work();
    await idle(two);
    expect([...shared.posts().values()].filter((count) => count > 1)).toEqual([]);
    expect(await states(shared)).toEqual({ ...(unclear > 0 && { unclear }), done: 20 - unclear });
    expect(shared.files()).toHaveLength(20 - unclear);
  });

  it('go on with a request that was announced in a recipe before the right to send it was there', async () => {
    const { shared, one } = await withList(1);
    await one.engine.commands.run('queue.pause', {}, 'window');
    await one.work();
    await expect.poll(() => states(shared)).toEqual({ held: 1 });
    await expect.poll(() => one.jobs().map(({ worker }) => worker)).toEqual(['one']);
    const { stores } = one.engine;
    const [job] = stores.jobs.inState('ready') as [Job];
    const account = one.engine.studio.accounts()[0]?.account as Account;
    const attempt = { id: randomUUID(), number: 1, bodyHash: 'hash', ...account, intendedAt: 1 };
    const batch = stores.batches.get(job.batchId) as Batch;
    const recipe = recipeFor(
      stores,
      { ...job, state: { state: 'submitting', attempt } },
      batch,
      shots(1)[0] as ShotSpec,
      {
        operation: 'videos.create',
        method: 'POST',
        path: '/v1/videos',
        encoding: 'json',
        body: {},
        files: [],
        answers: 'task',
      },
    );
    await writeRecipe(shared.film, recipe);
    await one.kill();
    await (await one.start()).work();
    await one.engine.commands.run('queue.resume', {}, 'window');
    await expect.poll(() => one.takes()).toEqual(saved(1));
    expect([...shared.posts().values()]).toEqual([1]);
  });

  it('wait together after a 429 at one of them @night', async () => {
    const { shared, one, two } = await withList(1);
    shared.service.faults.add({
      match: { method: 'POST', path: '/v1/videos' },
      do: { fault: 'rate-limit', seconds: 1.5 },
    });
    await one.work();
    await two.work();
    const account = two.engine.studio.accounts()[0]?.account as Account;
    await expect.poll(() => two.engine.studio.queues(account).submit.heldUntil()).not.toBeNull();
    await expect.poll(() => one.engine.studio.queues(account).submit.heldUntil()).not.toBeNull();
    await idle(one, two);
    expect([...shared.posts().values()]).toEqual([1]);
  });

  it('send nothing while the studio is away, save what was sent, and go on by themselves', async () => {
    const { shared, way, one } = await withList(16);
    await one.work();
    await expect.poll(() => shared.posts().size).toBeGreaterThan(2);
    way.setOpen(false);
    await expect.poll(() => one.worker?.member.isAway).toBe(true);
    await expect
      .poll(() => one.jobs().filter(({ state }) => ['accepted', 'polling', 'downloading'].includes(state)))
      .toEqual([]);
    const before = shared.posts().size;
    expect(shared.files()).toHaveLength(before);
    expect(before).toBeLessThan(16);
    expect(one.engine.queue.status().gates).toMatchObject([
      { reason: 'studio', message: { key: 'waiting.studioAway' } },
    ]);
    way.setOpen(true);
    await idle(one);
    expect([...shared.posts().values()]).toEqual(keys(16).map(() => 1));
    expect(shared.files()).toHaveLength(16);
  });

  it('share verdicts: the last one counts on all machines, a shot has one pick, and the history says who', async () => {
    const { one, two } = await withList(1, { takes: 2 });
    // It knows the project also where it gets no take of it.
    await two.handOver(shots(1).map((shot) => ({ ...shot, takes: 2 })));
    await one.work();
    await two.work();
    await idle(one, two);
    const [first = '', second = ''] = one.jobs().map(({ id }) => id);
    const picks = (machine: Machine) => [first, second].map((id) => machine.engine.stores.review.verdict(id)?.flag);
    const judge = (machine: Machine, takeId: string) => machine.engine.review.judge([takeId], { flag: 'pick' });
    judge(one, first);
    await expect.poll(() => picks(two)).toEqual(['pick', undefined]);
    const atFrames = {
      marks: [{ output: 1, in: 2, out: 9 }],
      notes: [
        { id: 'n', output: 1, from: 3, text: 'Hand', strokes: [{ color: 'red' as const, points: [0, 0.5, 1, 1] }] },
      ],
    };
    one.engine.review.judge([first], { marks: atFrames.marks, addNotes: atFrames.notes });
    await expect.poll(() => two.engine.stores.review.verdict(first)).toMatchObject({ flag: 'pick', ...atFrames });
    judge(two, second);
    await expect.poll(() => picks(one)).toEqual(['alternate', 'pick']);
    expect(one.engine.stores.review.verdict(first)).toMatchObject(atFrames);
    expect(one.engine.stores.history.page({ count: 1 })).toMatchObject([
      { code: 'takes.judgedElsewhere', facts: { person: 'anna', verdicts: 2 } },
    ]);
    // Both at once: all machines end with the same pick.
    await Promise.all([judge(one, first), judge(two, first), judge(two, second)]);
    await expect.poll(() => JSON.stringify(picks(one)) === JSON.stringify(picks(two)) && picks(one)).toContain('pick');
    // Given while the studio is away, it is told afterwards.
    await two.stop();
    judge(one, first);
    await one.stop();
    await (await two.start()).work();
    await expect.poll(() => picks(two)).toEqual(['pick', 'alternate']);
  });

  it('keep what they made when a person judges it there, and write that down', async () => {
    const { shared, one } = await withList(1);
    await one.work();
    await idle(one);
    const [{ id = '' } = {}] = one.jobs();
    one.engine.review.judge([id], { flag: 'pick' });
    await expect.poll(() => shared.recipes()[0]?.verdict?.flag).toBe('pick');
    expect(one.engine.stores.jobs.studio.take(id)).toMatchObject({ isHere: true });
  });

  it('publish nothing once they were declared dead, even if they hear nothing of that', async () => {
    // Long enough for the other machine to take them over.
    const { shared, way, one, two } = await withList(4, { videoMs: 40_000 });
    await one.work();
    await expect.poll(() => states(shared)).toMatchObject({ sent: 4 });
    way.setOpen(false);
    await shared.studio.admin.declareDead('one');
    await two.work();
    await idle(two);
    await expect.poll(() => one.jobs().filter(({ paused }) => paused !== 'elsewhere')).toEqual([]);
    expect(shared.recipes().map(({ studio, state }) => `${studio?.worker ?? ''} ${state}`)).toEqual(
      keys(4).map(() => 'two saved'),
    );
    expect(shared.files()).toHaveLength(4);
    expect([...shared.posts().values()]).toEqual([1, 1, 1, 1]);
  });

  it('halt when the database was restored, and go on once a person has reconciled it', async () => {
    const { shared, one, two } = await withList(6);
    await one.work();
    await idle(one);
    // As a backup from before the last answers has it.
    await shared.studio.query(`UPDATE dailies.machines SET facts = 1 WHERE name = 'one'`);
    await shared.studio.query(`UPDATE dailies.takes SET state = 'waiting', machine = NULL, outcome = NULL, epoch = 0`);
    await shared.studio.query('DELETE FROM dailies.attempts');
    await one.stop();
    await (await one.start()).work();
    await expect.poll(() => one.worker?.member.isHalted).toBe(true);
    await two.work();
    await expect.poll(() => two.worker?.member.isHalted).toBe(true);
    await expect.poll(() => shared.studio.admin.reconcile()).toEqual({ missing: [] });
    await expect.poll(() => states(shared)).toEqual({ done: 6 });
    expect([...shared.posts().values()]).toEqual(keys(6).map(() => 1));
  });
});
