import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../src/contract/json.ts';
import type { JobStateOf } from '../../src/contract/job.ts';
import { shot, shots } from '../engine/db/seed.ts';
import { startDemoService } from '../support/demo/service.ts';
import { batchOf, hasPostgres, takesOf } from '../support/studio.ts';
import type { Machine } from './machine.ts';
import { openShared, type Shared, withoutLimits } from './machines.ts';

const idle = (...machines: readonly Machine[]) => Promise.all(machines.map(({ worker }) => worker?.untilIdle()));

async function states({ studio }: Shared): Promise<Record<string, number>> {
  const rows = await studio.query('SELECT state, count(*)::int AS n FROM dailies.takes GROUP BY 1');
  return Object.fromEntries(rows.map(({ state, n }) => [state, n])) as Record<string, number>;
}

const twice = (shared: Shared): string[] =>
  [...shared.posts()].filter(([, count]) => count > 1).map(([prompt, count]) => `${prompt}: ${String(count)}`);

/** Long enough for each of them to do what it would do: it has beaten, and looked for work, several times. */
async function beats({ studio }: Shared, ...names: readonly string[]): Promise<void> {
  const seen = new Map(names.map((name) => [name, new Set<string>()]));
  await expect
    .poll(
      async () => {
        for (const { machine, at } of await studio.query('SELECT machine, seen_at::text AS at FROM dailies.beats'))
          seen.get(String(machine))?.add(String(at));
        return Math.min(...[...seen.values()].map(({ size }) => size));
      },
      { timeout: 15_000 },
    )
    .toBeGreaterThan(6);
}

async function two() {
  const shared = await openShared();
  const one = await shared.machine('one').start();
  const other = await shared.machine('two').start();
  return { shared, one, other };
}

/** Everything of a machine tells, and a person ends the halt. */
async function reconciled({ studio }: Shared): Promise<void> {
  await expect.poll(() => studio.admin.reconcile(), { timeout: 20_000 }).toEqual({ missing: [] });
}

/** The database as a backup from before `statements` has it; a machine notices at its next connection. */
async function restore({ studio }: Shared, ...statements: readonly string[]): Promise<void> {
  for (const each of statements) await studio.query(each);
  await studio.query(`UPDATE dailies.studio SET origin = 'another server'`);
}

describe.runIf(hasPostgres)('attacks on workers', () => {
  it('a data folder of yesterday loses nothing that it does today', async () => {
    const shared = await openShared();
    const one = await shared.machine('one').start();
    await one.handOver(shots(2));
    await withoutLimits(shared, one);
    await one.work();
    await idle(one);
    await one.stop();
    cpSync(one.dataFolder, `${one.dataFolder} yesterday`, { recursive: true });
    await one.start();
    await one.handOver(shots(10));
    await one.work();
    await idle(one);
    await one.stop();
    rmSync(one.dataFolder, { recursive: true });
    renameSync(`${one.dataFolder} yesterday`, one.dataFolder);
    await one.start();
    await one.handOver(shots(14));
    await one.work();
    await expect.poll(() => shared.posts().size, { timeout: 20_000 }).toBe(14);
    expect(twice(shared)).toEqual([]);
    await expect.poll(() => states(shared), { timeout: 5000 }).toEqual({ done: 14 });
  }, 40_000);

  it('a row that was changed while it waited is made once, as it is now', async () => {
    const { shared, one } = await two();
    await one.handOver(shots(2));
    await one.handOver([shot(1, { prompt: 'Another fox' }), shot(2)]);
    await withoutLimits(shared, one);
    await one.work();
    await idle(one);
    expect([...shared.posts().keys()].sort()).toEqual(['Another fox', 'Shot 2']);
    await expect.poll(() => states(shared)).toEqual({ cancelled: 1, done: 2 });
  }, 40_000);

  it('two people who hand over one list at once pay for it once', async () => {
    const { shared, one, other } = await two();
    await one.handOver([shot(99)], { name: 'Day 0' });
    await other.handOver([shot(98)], { name: 'Day 0 too' });
    await Promise.all([one.handOver(shots(4)), other.handOver(shots(4))]);
    await withoutLimits(shared, one);
    await one.work();
    await idle(one);
    expect(twice(shared)).toEqual([]);
  }, 40_000);

  it('two people who hand over one list one after the other pay for it once, whatever else the server does', async () => {
    const { shared, one, other } = await two();
    const { folder, port } = inject('postgres') as { folder: string; port: number };
    // In another database of the same server.
    const long = new Client({ host: folder, port, database: 'postgres', user: 'postgres' });
    await long.connect();
    await long.query('BEGIN');
    await long.query('SELECT pg_current_xact_id()');
    await one.handOver(shots(4));
    await other.handOver(shots(4));
    await long.end();
    await withoutLimits(shared, one);
    await one.work();
    await idle(one);
    expect(twice(shared)).toEqual([]);
  }, 40_000);

  it('takes that waited here before others made them are not handed over and paid again @night', async () => {
    const { shared, one, other } = await two();
    const project = await one.engine.projects.open(shared.film);
    const about = { project, name: 'Day 1', listFolder: shared.nas, source: 'list.csv', again: false };
    // Its queue does not run yet.
    await one.engine.batches.start({ ...about, agreed: [shared.nas], shots: shots(3) });
    await one.stop();
    await other.handOver(shots(3));
    await withoutLimits(shared, other);
    await other.work();
    await idle(other);
    await one.start();
    await one.handOver(shots(3));
    await one.work();
    await beats(shared, 'one', 'two');
    expect(twice(shared)).toEqual([]);
  }, 40_000);

  it('the cap of a folder holds for all machines together @night', async () => {
    const { shared, one, other } = await two();
    await one.handOver(shots(40));
    await withoutLimits(shared, one);
    const projectId = one.engine.stores.projects.list()[0]?.id ?? '';
    const about = { scope: { scope: 'project', projectId }, change: { takes: 3 } } as const;
    await one.engine.commands.run('spending.changeCap', about, 'engine');
    await Promise.all([other.work(), one.work()]);
    await expect.poll(() => shared.posts().size).toBeGreaterThan(2);
    await beats(shared, 'one', 'two');
    expect(shared.posts().size).toBe(3);
  }, 40_000);

  it('a cap in money of any amount can be handed over', async () => {
    const shared = await openShared();
    const one = await shared.machine('one').start();
    expect(await one.handOver(shots(1), { cap: { money: 2.01 } })).toBe(1);
  });

  it('a link in the shared storage opens no folder of a worker', async () => {
    const shared = await openShared();
    const one = await shared.machine('one').start();
    const outside = join(shared.folder, 'of the worker alone');
    mkdirSync(outside);
    cpSync('test/support/demo/odd/odd.png', join(outside, 'secret.png'));
    symlinkSync(outside, join(shared.nas, 'link'));
    await one.handOver(shots(1));
    await withoutLimits(shared, one);
    await shared.studio
      .query(`UPDATE dailies.takes SET spec = jsonb_set(jsonb_set(spec, '{batch,listFolder}', '"link"'),
      '{shot,params,first_frame}', '"secret.png"')`);
    const [take] = await shared.studio.query('SELECT id FROM dailies.takes');
    // As a member enqueues it: no machine has a row of it yet.
    const worker = await shared.machine('two').start();
    await worker.work();
    await expect.poll(() => worker.engine.stores.jobs.get(String(take?.['id']))?.state.state).toBeTruthy();
    await beats(shared, 'two');
    // What the service was sent.
    expect(shared.service.ledger.posts().map(({ path }) => path)).toEqual([]);
  }, 40_000);

  it('takes of a project that is gone keep nobody else waiting, and keep no machine busy @night', async () => {
    const shared = await openShared();
    const one = await shared.machine('one').start();
    const account = one.engine.studio.accounts()[0]?.account;
    const [name, address] = [account?.keyFingerprint ?? '', account?.origin ?? ''];
    const desk = await shared.studio.machine('anna', 'desk');
    await desk.enqueue(batchOf('gone', 'gone'), takesOf(400, { account: { name, address } }));
    await one.handOver(shots(3));
    await withoutLimits(shared, one);
    await one.work();
    await beats(shared, 'one');
    const [gone] = await shared.studio.query(
      `SELECT max(epoch) AS n FROM dailies.takes WHERE project_id = 'project-gone'`,
    );
    const [done] = await shared.studio.query(`SELECT count(*)::int AS n FROM dailies.takes WHERE state = 'done'`);
    expect({ done: done?.['n'], handedOverAndOver: Number(gone?.['n']) > 20 }).toEqual({
      done: 3,
      handedOverAndOver: false,
    });
  }, 40_000);

  it('one list whose cap is reached keeps no other list waiting @night', async () => {
    const shared = await openShared();
    const one = await shared.machine('one').start();
    await one.handOver(shots(400), { cap: { takes: 2 } });
    await one.handOver([shot(901), shot(902), shot(903)], { name: 'Day 2' });
    await withoutLimits(shared, one);
    await one.work();
    await expect.poll(() => states(shared), { timeout: 10_000 }).toMatchObject({ done: 5 });
  }, 40_000);

  it('a take whose spec nobody understands keeps nobody else waiting @night', async () => {
    const shared = await openShared();
    const one = await shared.machine('one').start();
    await one.handOver([shot(99)], { name: 'Day 0' });
    await shared.studio.query(`UPDATE dailies.takes SET spec = '{}'`);
    await one.handOver(shots(30));
    await withoutLimits(shared, one);
    const worker = await shared.machine('two').start();
    await worker.work();
    await expect.poll(async () => (await states(shared))['done'], { timeout: 20_000 }).toBe(30);
  }, 40_000);

  for (const [what, text] of [
    ['a zero character', 'bad \u0000 prompt'],
    ['half of an emoji', `bad ${'🎬'.slice(0, 1)} prompt`],
  ] as const) {
    it(`a service that answers with ${what} does not silence a machine`, async () => {
      const shared = await openShared();
      const one = await shared.machine('one').start();
      await one.handOver(shots(3));
      await withoutLimits(shared, one);
      shared.service.faults.add({
        match: { method: 'POST', prompt: 'Shot 1' },
        do: { fault: 'status', status: 400, body: { error: { message: text, code: 'bad_prompt' } }, commit: false },
      });
      await one.work();
      await expect.poll(() => shared.files().length, { timeout: 20_000 }).toBe(2);
      await expect.poll(() => states(shared), { timeout: 10_000 }).toEqual({ done: 3 });
    }, 40_000);
  }

  it('a machine that died with a request under way needs a person, also after a restore', async () => {
    const { shared, one, other } = await two();
    await one.handOver(shots(1));
    await withoutLimits(shared, one);
    const hang = shared.service.faults.add({ match: { method: 'POST' }, do: { fault: 'hang', commit: true } });
    await one.work();
    await expect.poll(() => shared.posts().size).toBe(1);
    // It counts as under way: nobody leaves the studio now, and the worker is not done.
    expect(one.engine.stores.jobs.studio.here()).toMatchObject([{ state: 'submitting' }]);
    // Its own end would wait for the answer.
    void one.kill().catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, 200));
    shared.service.faults.remove(hang);
    // The last backup is from when the take was handed over, and not sent yet.
    await restore(
      shared,
      'DELETE FROM dailies.attempts',
      'DELETE FROM dailies.usage',
      `UPDATE dailies.takes SET state = 'held' WHERE state = 'granted'`,
      'UPDATE dailies.accounts SET in_flight = 0',
      'UPDATE dailies.models SET in_flight = 0',
    );
    await other.stop();
    await other.start();
    await shared.studio.admin.declareDead('one');
    await other.work();
    await reconciled(shared);
    await expect.poll(() => states(shared), { timeout: 20_000 }).toEqual({ unclear: 1 });
    await beats(shared, 'two');
    expect(twice(shared)).toEqual([]);
  }, 30_000);

  it('an unclear take that a person sends again is sent again, by whichever machine gets it', async () => {
    const { shared, one, other } = await two();
    await one.handOver(shots(1));
    await withoutLimits(shared, one);
    shared.service.faults.add({ match: { method: 'POST' }, do: { fault: 'reset', commit: true } });
    await one.work();
    await expect.poll(() => states(shared)).toEqual({ unclear: 1 });
    await one.stop();
    const [take] = await shared.studio.query('SELECT id FROM dailies.takes');
    const desk = await shared.studio.machine('anna', 'desk');
    expect(await desk.command([String(take?.['id'])], { kind: 'retry' })).toBe(1);
    await other.work();
    await expect.poll(() => states(shared), { timeout: 20_000 }).toEqual({ done: 1 });
  }, 40_000);

  it('the task that a person found for an unclear take of a dead machine is followed by another one', async () => {
    const { shared, one, other } = await two();
    await one.handOver(shots(1));
    await withoutLimits(shared, one);
    shared.service.faults.add({ match: { method: 'POST' }, do: { fault: 'reset', commit: true } });
    await one.work();
    await expect.poll(() => states(shared)).toEqual({ unclear: 1 });
    await one.kill();
    await shared.studio.admin.declareDead('one');
    await other.handOver(shots(1));
    await other.work();
    await expect.poll(() => other.takes()).toEqual(['0001 1 submit_unknown']);
    const attach = (taskId: string) =>
      other.engine.jobs.resolve(other.jobs()[0]?.id ?? '', { action: 'attach', taskId });
    expect(attach('none of ours')).toMatchObject({ ok: true });
    await expect.poll(() => other.jobs()[0]?.failure?.code, { timeout: 20_000 }).toBe('task_not_found');
    await expect.poll(() => states(shared)).toEqual({ unclear: 1 });
    const [task] = shared.service.tasks.list();
    expect(attach(task?.id ?? '')).toMatchObject({ ok: true });
    await expect.poll(() => states(shared), { timeout: 20_000 }).toEqual({ done: 1 });
    expect(other.takes()).toEqual(['0001 1 saved']);
    expect(shared.files()).toHaveLength(1);
    expect(twice(shared)).toEqual([]);
  }, 40_000);

  it('what a restored studio has lost is handed over again with its list', async () => {
    const { shared, one, other } = await two();
    await one.handOver(shots(3));
    // It learns that the studio has them.
    await one.handOver(shots(3));
    await shared.studio.query(`DELETE FROM dailies.takes WHERE shot_key <> '0001'`);
    expect(await one.handOver(shots(3))).toBe(2);
    await withoutLimits(shared, one);
    await other.work();
    await expect.poll(() => states(shared), { timeout: 20_000 }).toEqual({ done: 3 });
    expect(twice(shared)).toEqual([]);
  }, 40_000);

  it('a result that is there is not paid for again after a restore, though the machine that made it is gone', async () => {
    const { shared, one, other } = await two();
    await one.handOver(shots(1));
    await other.handOver(shots(1));
    await withoutLimits(shared, one);
    await one.work();
    await idle(one);
    await other.work();
    await expect.poll(() => other.takes()).toEqual(['0001 1 saved']);
    // As when it has followed the task for a while.
    const [{ takeId = '', request } = {}] = shared.recipes();
    const made = one.engine.stores.jobs.get(takeId)?.state as JobStateOf<'saved'> | undefined;
    const attempt = made?.attempt;
    if (attempt && request) other.engine.stores.jobs.attempts.adopt(takeId, attempt, request, {});
    await one.kill();
    // It would notice the restore halfway, before all of it is done.
    await other.stop();
    await restore(
      shared,
      'DELETE FROM dailies.attempts',
      'DELETE FROM dailies.usage',
      `UPDATE dailies.takes SET state = 'waiting', machine = NULL, outcome = NULL, epoch = 0`,
      `UPDATE dailies.machines SET fenced_at = now() WHERE name = 'one'`,
    );
    await (await other.start()).work();
    // It was declared dead before the backup, and has worked since: a person says again that it is gone.
    await expect.poll(() => shared.studio.admin.reconcile()).toEqual({ missing: ['one'] });
    await shared.studio.admin.declareDead('one');
    await reconciled(shared);
    await expect.poll(() => states(shared), { timeout: 20_000 }).toEqual({ done: 1 });
    expect(other.takes()).toEqual(['0001 1 saved']);
    expect(twice(shared)).toEqual([]);
  }, 40_000);

  it('what a person cancelled or put on hold is not sent after a restore @night', async () => {
    const { shared, one, other } = await two();
    await one.handOver(shots(2));
    await withoutLimits(shared, one);
    const [first, second] = await shared.studio.query('SELECT id FROM dailies.takes ORDER BY ordinal');
    const anna = await shared.studio.open('anna', null);
    await anna.join('anna', 'desk', 'folder of desk');
    const desk = await shared.studio.open('anna', 'desk');
    await desk.command([String(first?.['id'])], { kind: 'cancel' });
    await desk.command([String(second?.['id'])], { kind: 'hold' });
    await one.work();
    await other.work();
    await expect.poll(() => one.takes()).toContain('0001 1 cancelled');
    await one.stop();
    await other.stop();
    await restore(shared, `UPDATE dailies.takes SET state = 'waiting', is_cancelled = false, is_on_hold = false`);
    await (await one.start()).work();
    await (await other.start()).work();
    await shared.studio.admin.declareDead('desk');
    await reconciled(shared);
    await beats(shared, 'one', 'two');
    expect([...shared.posts().keys()]).toEqual([]);
  }, 30_000);

  it('the cap of a list holds after a restore @night', async () => {
    const { shared, one, other } = await two();
    await one.handOver(shots(6), { cap: { takes: 2 } });
    await withoutLimits(shared, one);
    await one.work();
    await expect.poll(() => states(shared)).toMatchObject({ done: 2 });
    await one.stop();
    await other.stop();
    await restore(
      shared,
      'TRUNCATE dailies.attempts, dailies.takes, dailies.batches, dailies.usage, dailies.budgets CASCADE',
      'DELETE FROM dailies_boss.job',
      'UPDATE dailies.accounts SET in_flight = 0',
      'UPDATE dailies.models SET in_flight = 0',
    );
    await (await one.start()).work();
    await (await other.start()).work();
    await reconciled(shared);
    await beats(shared, 'one', 'two');
    expect(shared.posts().size).toBe(2);
  }, 30_000);

  it('takes of one account are not sent with another one @night', async () => {
    const shared = await openShared();
    const one = await shared.machine('one').start();
    await one.handOver(shots(30));
    await one.work();
    await expect.poll(() => shared.posts().size).toBeGreaterThan(1);
    await one.stop();
    const before = await states(shared);
    expect(before['held']).toBeGreaterThan(0);
    // The person changes address and key in Settings.
    const service = await startDemoService({ media: 'tiny', speed: { videoMs: 400, jitter: 0 } });
    onTestFinished(() => service.stop());
    const changed = await shared.machine('one', { serviceUrl: service.url, key: service.apiKey }).start();
    await changed.work();
    await beats(shared, 'one');
    expect(service.ledger.posts().map(({ path }) => path)).toEqual([]);
  }, 40_000);

  it('a take that was made before the studio is not made again because another person names its id', async () => {
    const shared = await openShared();
    const one = await shared.machine('one').start();
    const project = await one.engine.projects.open(shared.film);
    const about = { project, name: 'Before', listFolder: shared.nas, source: 'list.csv', again: false, agreed: [] };
    await one.engine.batches.start({ ...about, shots: [shot(50)] });
    one.engine.queue.run({});
    await expect.poll(() => one.takes()).toEqual(['0050 1 saved']);
    await one.handOver(shots(1));
    await withoutLimits(shared, one);
    const [job] = one.jobs().filter(({ shot: key }) => key === '0050');
    // Everybody reads the ids in the shared folder, and any member may queue takes.
    const [row] = await shared.studio.query(
      'SELECT batch_id, spec, p.* FROM dailies.takes JOIN dailies.projects p ON p.id = project_id',
    );
    const account = one.engine.studio.accounts()[0]?.account;
    const ben = await shared.studio.machine('ben');
    const spec = { ...(row?.['spec'] as object), take: 9 } as Json;
    const take = { id: job?.id ?? '', shotKey: '0001', model: 'vgen-2.0-cl-fast', priceMicros: null, priority: 0 };
    await ben.enqueue(
      {
        ...{ id: String(row?.['batch_id']), name: 'Day 1', list: null },
        project: { id: project.id, name: String(row?.['name']), root: 'nas', path: 'film' },
      },
      [
        {
          ...take,
          isHeld: false,
          waits: false,
          spec,
          account: { name: account?.keyFingerprint ?? '', address: account?.origin ?? '' },
        },
      ],
    );
    await one.work();
    await expect.poll(() => states(shared), { timeout: 20_000 }).toEqual({ done: 1, held: 1 });
    expect(shared.posts()).toEqual(new Map([...['Shot 50', 'Shot 1'].map((prompt) => [prompt, 1] as const)]));
    expect(one.takes()).toContain('0050 1 saved');
  }, 40_000);

  it('a copy of a project under the same root changes nothing of the original', async () => {
    const shared = await openShared();
    const one = await shared.machine('one').start();
    await one.handOver(shots(1));
    const projectId = one.engine.stores.projects.list()[0]?.id ?? '';
    cpSync(shared.film, join(shared.nas, 'copy'), { recursive: true });
    writeFileSync(join(shared.nas, 'copy', 'note.txt'), 'a copy');
    await one.engine.studio.desk?.begin(join(shared.nas, 'copy')).catch(() => null);
    expect(one.engine.stores.jobs.studio.placeOf(projectId)).toMatchObject({ path: 'film' });
  });
});
