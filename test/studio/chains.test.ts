import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../src/contract/shot.ts';
import { shots } from '../engine/db/seed.ts';
import { hasPostgres } from '../support/studio.ts';
import type { Machine } from './machine.ts';
import { openShared, withoutLimits } from './machines.ts';

const idle = (...machines: readonly Machine[]) => Promise.all(machines.map(({ worker }) => worker?.untilIdle()));

const [first, second] = shots(2) as [ShotSpec, ShotSpec];
const still: ShotSpec = { ...first, kind: 'image', model: 'image-demo', params: {} };
const film = (waitFor?: ShotSpec['waitFor']): ShotSpec => ({
  ...second,
  params: { ...second.params, first_frame: 'Shot://0001' },
  ...(waitFor && { waitFor }),
});

async function chain(...rows: readonly ShotSpec[]) {
  const shared = await openShared({ speed: { videoMs: 1000, imageMs: 1000, jitter: 0 } });
  const one = await shared.machine('one').start();
  const two = await shared.machine('two').start();
  await one.handOver(rows);
  await two.handOver(rows);
  await withoutLimits(shared, one);
  await one.work();
  await two.work();
  const filmRow = async () =>
    (await shared.studio.query(`SELECT state, waits, machine FROM dailies.takes WHERE shot_key = '0002'`))[0];
  const jobOf = (machine: Machine, key: string) => machine.jobs().find(({ shot }) => shot === key);
  const isSaved = (key: string) => expect.poll(() => jobOf(one, key)?.state, { timeout: 10_000 }).toBe('saved');
  const isSavedEverywhere = async (key: string) => {
    await isSaved(key);
    await expect.poll(() => jobOf(two, key)?.state, { timeout: 10_000 }).toBe('saved');
  };
  return { shared, one, two, filmRow, jobOf, isSavedEverywhere };
}

describe.runIf(hasPostgres)('a chain in the studio', () => {
  it('is handed to a machine row by row, also where a row comes before the one that it names', async () => {
    const { shared, filmRow, isSavedEverywhere } = await chain(film(), still);
    await isSavedEverywhere('0001');
    await isSavedEverywhere('0002');
    expect(await filmRow()).toMatchObject({ state: 'done', waits: false });
    expect([...shared.posts().values()]).toEqual([1, 1]);
  });

  it('waits for a pick: that of one machine lets any other send, and the pick is what is sent', async () => {
    const { shared, one, two, filmRow, jobOf } = await chain({ ...still, takes: 2 }, film('pick'));
    await expect.poll(() => one.takes().filter((take) => take.endsWith('saved')), { timeout: 10_000 }).toHaveLength(2);
    await expect.poll(() => two.takes().filter((take) => take.endsWith('saved')), { timeout: 10_000 }).toHaveLength(2);
    await idle(one, two);
    expect(await filmRow()).toMatchObject({ state: 'waiting', waits: true, machine: null });
    await expect.poll(() => jobOf(two, '0002')?.wait).toBe('pick');
    const stills = shared.posts().size;
    const [picked] = two.jobs().filter(({ shot, take }) => shot === '0001' && take === 1);
    await one.stop();
    two.engine.review.judge([picked?.id ?? ''], { flag: 'pick' });
    await expect.poll(() => jobOf(two, '0002')?.state, { timeout: 10_000 }).toBe('saved');
    expect(jobOf(two, '0002')?.from).toMatchObject([{ shot: '0001', take: 1 }]);
    expect(shared.posts().size).toBe(stills + 1);
  });

  it('waits for a release, which a machine gives that has no part in it', async () => {
    const { shared, one, two, filmRow, jobOf, isSavedEverywhere } = await chain(still, film('release'));
    await isSavedEverywhere('0001');
    await idle(one, two);
    expect(await filmRow()).toMatchObject({ state: 'waiting', waits: true });
    const job = jobOf(two, '0002');
    expect(job?.wait).toBe('release');
    expect(two.engine.jobs.release(job?.id ?? '', true)).toMatchObject({ ok: true });
    await isSavedEverywhere('0002');
    expect([...shared.posts().values()]).toEqual([1, 1]);
  });

  it('is given back by a machine that was handed it as for a pick that was taken back', async () => {
    const { shared, one, two, filmRow, isSavedEverywhere } = await chain(still, film('pick'));
    await isSavedEverywhere('0001');
    await idle(one, two);
    const posts = shared.posts().size;
    await shared.studio.query('UPDATE dailies.takes SET waits = false');
    await shared.studio.query(`SELECT dailies.boss_add(ARRAY(SELECT id FROM dailies.takes WHERE shot_key = '0002'))`);
    await expect.poll(async () => (await filmRow())?.['waits'], { timeout: 10_000 }).toBe(true);
    await idle(one, two);
    expect(await filmRow()).toMatchObject({ state: 'waiting', waits: true, machine: null });
    expect(shared.posts().size).toBe(posts);
  });
});
