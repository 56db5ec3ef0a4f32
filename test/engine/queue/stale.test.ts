import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { starting, submitsOf } from '../library/media.ts';

let world: World;

const fast = { submit: 1000, poll: 1000, download: 1000 };
const prices = [{ model: '*', per: 'take' as const, price: 2 }];
const settings = { maxRate: fast, concurrency: { submit: 16, poll: 16, download: 16 }, prices };
forEachTest((opened) => (world = opened), { settings });

const still = (index: number, changes: Partial<ShotSpec> = {}): ShotSpec =>
  shot(index, { kind: 'image', model: 'image-demo', params: {}, ...changes });

const judge = (key: string, take: number, flag: 'pick' | 'reject' | null): void => {
  world.engine.review.judge([world.job(key, take).id], { flag });
};
const found = (text: string): Promise<string[]> =>
  world.engine.review.ids({ projectId: world.job('0001').projectId, sort: 'list', text });
const idOf = (key: string, take = 1): string => world.job(key, take).id;
const stale = (key: string, take = 1) => world.job(key, take).stale;

/** A still with two takes, the first of them picked, and a film that starts from it. */
async function filmOfPick(): Promise<void> {
  await world.run([still(1, { takes: 2 }), starting(2, 'Shot://0001', { waitFor: 'pick' })]);
  judge('0001', 1, 'pick');
  await world.comesTo({ saved: 3 });
}

describe('a take whose sources would be others now', () => {
  it('is stale while another take is picked, is found as such, and sends nothing for it', async () => {
    await filmOfPick();
    expect(stale('0002')).toBeUndefined();
    expect(await found('is:stale')).toEqual([]);
    const told: unknown[] = [];
    world.engine.subscribe((event) => event.type === 'job' && event.job.shot === '0002' && told.push(event.job.stale));

    judge('0001', 2, 'pick');
    expect(stale('0002')).toEqual({ why: 'picked', shot: '0001', take: 1, now: 2 });
    expect(await found('is:stale')).toEqual([idOf('0002')]);
    expect(await found('-is:stale kind:video')).toEqual([]);
    judge('0001', 1, 'pick');
    expect(stale('0002')).toBeUndefined();
    expect(told).toEqual([{ why: 'picked', shot: '0001', take: 1, now: 2 }, undefined]);

    judge('0001', 2, 'pick');
    await world.settle();
    expect(submitsOf(world)).toHaveLength(1);
    expect(world.counts()).toMatchObject({ saved: 3, unfinished: 0 });
    await world.stop();
    expect(world.manifest()).toContain(',picked; 0001 take 1; 0001 take 2');
  });

  it('is stale while its source is rejected or in the trash', async () => {
    await world.run([still(1), starting(2, 'Shot://0001')]);
    judge('0001', 1, 'reject');
    expect(stale('0002')).toEqual({ why: 'rejected', shot: '0001', take: 1 });
    judge('0001', 1, null);
    await world.act('takes.trash', { ids: [idOf('0001')] });
    expect(stale('0002')).toEqual({ why: 'trashed', shot: '0001', take: 1 });
    await world.act('takes.untrash', { ids: [idOf('0001')] });
    expect(stale('0002')).toBeUndefined();
  });

  it('is stale once a newer take of its source was asked for, and not by one that only ended later', async () => {
    await world.run([still(1, { takes: 2 }), starting(2, 'Shot://0001')]);
    expect(world.job('0002').from).toMatchObject([{ take: 1 }]);
    expect(stale('0002')).toBeUndefined();
    await world.act('takes.another', { takeId: idOf('0001'), changes: { cells: {} } });
    await world.comesTo({ saved: 4 });
    expect(stale('0002')).toEqual({ why: 'newer', shot: '0001', take: 1, now: 3 });
    judge('0001', 3, 'reject');
    expect(stale('0002')).toBeUndefined();
  });

  it('follows the text of the row of its source, and not its model or settings', async () => {
    const list = (changes: Partial<ShotSpec> = {}, film: Partial<ShotSpec> = {}): ShotSpec[] => [
      still(1, changes),
      starting(2, 'Shot://0001', film),
    ];
    await world.run(list());
    await world.run(list({}, { model: 'video-demo-fast' }));
    expect(stale('0002', 1)).toBeUndefined();
    await world.run(list({ prompt: 'At night' }));
    expect(stale('0002', 1)).toEqual({ why: 'reworded', shot: '0001', take: 1, now: 2 });
    await world.run(list());
    expect(stale('0002', 1)).toBeUndefined();
  });

  it('is stale once its row names another shot, file or frame, and not where the cell only reads otherwise', async () => {
    const list = (cell: string): ShotSpec[] => [still(1), still(3), starting(2, cell)];
    await world.run(list('Shot://0001'));
    await world.run(list('Shot://0001/1'));
    expect(stale('0002', 1)).toBeUndefined();
    await world.run(list('Shot://0003'));
    expect(stale('0002', 1)).toEqual({ why: 'row', shot: '0001', take: 1 });
    expect(stale('0002', 3)).toBeUndefined();
    await world.run(list('Shot://0001'));
    expect(stale('0002', 1)).toBeUndefined();
    expect(stale('0002', 3)).toEqual({ why: 'row', shot: '0003', take: 1 });
  });

  it('follows sources in another batch, and names it', async () => {
    await world.run([still(1, { takes: 2 })], { name: 'Stills' });
    judge('0001', 1, 'pick');
    await world.run([starting(2, 'Shot://Stills:0001')]);
    expect(stale('0002')).toBeUndefined();
    judge('0001', 2, 'pick');
    expect(stale('0002')).toEqual({ why: 'picked', shot: 'Stills:0001', take: 1, now: 2 });
    await world.stop();
    expect(world.manifest()).toContain(',picked; Stills:0001 take 1; Stills:0001 take 2');
  });

  it('does not follow what a person chose by hand, nor the row of a take that was made with changes', async () => {
    await world.run([still(1, { takes: 2 }), still(3, { takes: 2 }), starting(2, 'Shot://0001')]);
    const by = { derivation: { how: 'edit', source: { parameter: 'image', output: 1 } } } as const;
    await world.act('takes.another', { takeId: idOf('0001'), changes: { cells: { operation: 'edit' } }, ...by });
    await world.act('takes.another', { takeId: idOf('0002'), changes: { cells: { first_frame: 'Shot://0003' } } });
    await world.comesTo({ saved: 7 });
    expect(world.job('0001', 3).from).toMatchObject([{ how: 'edit', take: 1 }]);
    judge('0001', 2, 'pick');
    expect(stale('0001', 3)).toBeUndefined();
    expect(stale('0002', 2)).toBeUndefined();
    judge('0003', 1, 'pick');
    expect(stale('0002', 2)).toEqual({ why: 'picked', shot: '0003', take: 2, now: 1 });
  });
});

describe('making a stale take again', () => {
  const again = (ids: string[]) => world.act('takes.refresh', { ids });
  const plan = (ids: string[]) => world.engine.review.refreshPlan(ids);

  it('shows its price first, makes one take from the sources of now, and is not paid for twice', async () => {
    await filmOfPick();
    judge('0001', 2, 'pick');
    expect(plan([idOf('0002'), idOf('0001')])).toMatchObject({ newTakes: 1, price: 2, ids: [idOf('0002')], left: 1 });
    expect(submitsOf(world)).toHaveLength(1);
    expect(await again([idOf('0002'), idOf('0001')])).toMatchObject({ result: { takes: 1 } });
    expect(plan([idOf('0002')])).toMatchObject({ newTakes: 0, left: 1 });
    expect(await again([idOf('0002')])).toBeNull();
    await world.comesTo({ saved: 4 });
    expect(submitsOf(world)).toHaveLength(2);
    expect(world.job('0002', 2).from).toMatchObject([{ how: 'again' }, { how: 'reference', shot: '0001', take: 2 }]);
    expect(stale('0002', 2)).toBeUndefined();
    expect(await found('is:stale')).toEqual([idOf('0002', 1)]);
    // With the first pick the first take is fresh again, and stands for the second.
    judge('0001', 1, 'pick');
    expect(await found('is:stale')).toEqual([idOf('0002', 2)]);
    expect(plan([idOf('0002', 2)])).toMatchObject({ newTakes: 0 });
  });

  it('makes the row as the list has it now, unless that has a take of its own', async () => {
    await world.run([still(1), still(3), starting(2, 'Shot://0001')]);
    world.engine.queue.pause();
    await world.import([still(1), still(3), starting(2, 'Shot://0003')]);
    expect(plan([idOf('0002')])).toMatchObject({ newTakes: 0, left: 1 });
    await world.act('jobs.cancel', { ids: [idOf('0002', 2)] });
    expect(await again([idOf('0002')])).toMatchObject({ result: { takes: 1 } });
    world.engine.queue.resume();
    await world.comesTo({ saved: 4 });
    expect(world.job('0002', 3).from).toMatchObject([
      { how: 'again', take: 1 },
      { how: 'reference', shot: '0003' },
    ]);
  });

  it('can be undone before it is sent, and makes one take of each shot', async () => {
    await world.run([still(1, { takes: 2 }), starting(2, 'Shot://0001', { waitFor: 'pick', takes: 3 })]);
    judge('0001', 1, 'pick');
    await world.comesTo({ saved: 5 });
    judge('0001', 2, 'pick');
    const all = await found('is:stale');
    expect(all).toHaveLength(3);
    expect(plan(all)).toMatchObject({ newTakes: 1, left: 2 });
    const done = await again(all);
    expect(world.counts()).toMatchObject({ unfinished: 1 });
    await world.engine.commands.undo(done?.undo ?? '', 'window');
    await world.settle();
    expect(world.counts()).toMatchObject({ saved: 5, unfinished: 0, cancelled: 1 });
    expect(submitsOf(world)).toHaveLength(3);
  });
});
