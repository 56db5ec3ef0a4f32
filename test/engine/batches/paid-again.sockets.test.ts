import { beforeEach, describe, expect, it } from 'vitest';
import { Settings } from '../../../src/contract/settings.ts';
import type { Drafts } from '../../../src/engine/commands/drafts.ts';
import { forEachTest, type World } from '../../support/world.ts';

let world: World;
let drafts: Drafts;
let projectId: string;

forEachTest((opened) => (world = opened));
beforeEach(async () => {
  drafts = (await world.start()).drafts;
  projectId = (await world.openProject()).id;
  world.engine.queue.pause();
});

const listOf = (prompts: Readonly<Record<string, string>>): string =>
  ['shot,model,prompt,duration', ...Object.entries(prompts).map(([key, prompt]) => `${key},vgen-2.0-nt,${prompt},5`)]
    .join('\n')
    .concat('\n');
const four = { '001': 'A boat', '002': 'A pier', '003': 'A gull', '004': 'A lamp' };
const open = (prompts: Readonly<Record<string, string>>, name = 'shots_v2.csv') =>
  drafts.open(projectId, { type: 'text', name, text: listOf(prompts) }, {});
async function made(name: string, prompts: Readonly<Record<string, string>> = four): Promise<void> {
  const { id } = await open(prompts, `${name}.csv`);
  await drafts.start(id, name, false);
}
async function told(prompts: Readonly<Record<string, string>>, name = 'shots_v2') {
  const { id } = await open(prompts);
  return (await drafts.plan(id, name, false)).paidAgain;
}

describe('a list whose shots were made in a batch already', () => {
  it('is told apart from a new one, with takes and money of both ways', async () => {
    const prices = [{ model: 'vgen-2.0-nt', per: 'take' as const, price: 2 }];
    world.engine.updateSettings(Settings.parse({ baseUrl: world.service.url, currency: 'USD', prices }));
    await made('Keeper');
    const cost = { currency: 'USD', unpriced: 0, leftOut: 0 };
    expect(await told({ ...four, '004': 'A long lamp' })).toEqual({
      reason: 'other_batch',
      batch: 'Keeper',
      shots: 4,
      ofShots: 4,
      takes: 3,
      needsAgreement: true,
      there: { name: 'Keeper', isNew: false, newTakes: 1, price: 2, ...cost },
      elsewhere: { name: 'shots_v2', isNew: true, newTakes: 4, price: 8, ...cost },
    });
  });

  it('is recognized when a spreadsheet program has rewritten its keys, and says what it leaves out', async () => {
    await made('Keeper');
    expect(await told({ 1: 'A boat', 2: 'A long pier', 9: 'A quay' })).toMatchObject({
      shots: 2,
      ofShots: 3,
      there: { name: 'Keeper', newTakes: 2, leftOut: 2 },
      elsewhere: { newTakes: 3 },
    });
  });

  it('names the way not taken, when it goes there: as what it is called itself', async () => {
    await made('Keeper');
    expect(await told(four, 'Keeper')).toMatchObject({
      takes: 0,
      needsAgreement: false,
      there: { name: 'Keeper', newTakes: 0 },
      elsewhere: { name: 'shots_v2', newTakes: 4 },
    });
  });

  it('names the batch where the fewest takes are new, also when it would go into another one that exists', async () => {
    await made('Keeper');
    await made('Retake', { ...four, '001': 'A ship', '002': 'A quay' });
    expect(await told({ ...four, '004': 'A long lamp' }, 'Retake')).toMatchObject({
      takes: 2,
      needsAgreement: true,
      there: { name: 'Keeper', newTakes: 1 },
      elsewhere: { name: 'Retake', isNew: false, newTakes: 3 },
    });
  });

  it.each([
    ['less than half of it is there', { '001': 'A boat', '005': 'A quay', '006': 'A sail' }, 'shots_v2'],
    ['nothing of it is made there: its keys alone are the same', { '001': 'One', '002': 'Two' }, 'shots_v2'],
    ['it goes into that batch under its own name', four, 'shots_v2'],
  ])('says nothing when %s', async (why, prompts, name) => {
    await made(why.startsWith('it goes') ? 'shots_v2' : 'Keeper');
    expect(await told(prompts, name)).toBeNull();
  });

  it('says nothing of a batch of another project', async () => {
    await made('Keeper');
    const other = await world.engine.projects.open(`${world.folder}/Other`);
    const { id } = await drafts.open(other.id, { type: 'text', name: 'shots_v2.csv', text: listOf(four) }, {});
    expect((await drafts.plan(id, 'shots_v2', false)).paidAgain).toBeNull();
  });
});

describe('a list whose batch has made its rows under other keys', () => {
  const renamed = { S1: 'A boat', S2: 'A pier', '003': 'A gull', '004': 'A lamp' };
  const moved = { reason: 'moved_rows', batch: 'Keeper', shots: 2, ofShots: 4, takes: 2, needsAgreement: true };

  it('asks before it makes them again, with an example', async () => {
    await made('Keeper');
    expect(await told(renamed, 'Keeper')).toEqual({ ...moved, example: { shot: 'S1', madeAs: '001' } });
  });

  it('says so without a question for one of many', async () => {
    await made('Keeper');
    expect(await told({ ...renamed, S2: 'A quay' }, 'Keeper')).toMatchObject({ shots: 1, needsAgreement: false });
  });

  it('says nothing when a person wants all of it again', async () => {
    await made('Keeper');
    const { id } = await open(renamed, 'Keeper.csv');
    expect((await drafts.plan(id, 'Keeper', true)).paidAgain).toBeNull();
  });
});

describe('a list whose rows the project has made', () => {
  it('is asked about wherever they are and whatever they are called', async () => {
    await made('Keeper');
    await made('Quay', { Q1: 'A quay', Q2: 'A sail', Q3: 'A rope', Q4: 'A crane', Q5: 'A bell', Q6: 'A chain' });
    const spread = { '001': 'A wall', '002': 'A boat', '003': 'A pier', Q7: 'A quay', Q8: 'A sail', X: 'A storm' };
    expect(await told(spread)).toEqual({
      ...{ reason: 'made_elsewhere', batch: 'Keeper', shots: 4, ofShots: 6, takes: 4, needsAgreement: true },
      example: { shot: '002', madeAs: '001' },
    });
    expect(await told({ ...spread, Q7: 'A cliff', Q8: 'A beach' })).toBeNull();
  });

  it('is not started when they were made after its plan was seen', async () => {
    const { id } = await open(four);
    const { paidAgain: seen, newTakes } = await drafts.plan(id, 'shots_v2', false);
    expect(seen).toBeNull();
    await made('Keeper');
    await expect(drafts.start(id, 'shots_v2', false, { newTakes, paidAgain: 0 })).rejects.toMatchObject({
      code: 'plan_changed',
    });
    expect((await drafts.start(id, 'shots_v2', false, { newTakes, paidAgain: 4 })).newTakes).toBe(4);
  });

  it('is not offered a batch that would make them again too', async () => {
    await made('Keeper');
    const above = { '000': 'A wall', '001': 'A wall', '002': 'A boat', '003': 'A pier', '004': 'A lamp' };
    expect(await told(above)).toMatchObject({ reason: 'other_batch', there: { name: 'Keeper', newTakes: 4 } });
    const shifted = { '001': 'A wall', '002': 'A boat', '003': 'A pier', '004': 'A lamp' };
    expect(await told(shifted)).toMatchObject({ reason: 'made_elsewhere', shots: 3, takes: 3 });
  });
});

describe('rows that ask for several takes', () => {
  const takesOf = (...takes: readonly number[]): string =>
    `shot,model,prompt,duration,takes\n${takes.map((count, row) => `${String(row)}x,vgen-2.0-nt,Wave ${String(row)},5,${String(count)}\n`).join('')}`;
  const openTakes = (name: string, ...takes: readonly number[]) =>
    drafts.open(projectId, { type: 'text', name, text: takesOf(...takes).replaceAll('x,', `${name},`) }, {});

  it('are paid for again only as often as they were made', async () => {
    await drafts.start((await openTakes('Keeper', 1, 2)).id, 'Keeper', false);
    const { id } = await openTakes('Other', 3, 2);
    const { newTakes, paidAgain } = await drafts.plan(id, 'Other', false);
    expect({ newTakes, paidAgain }).toMatchObject({
      newTakes: 5,
      paidAgain: { reason: 'made_elsewhere', shots: 2, takes: 3 },
    });
  });

  it('are asked about for what their batch lacks and another has', async () => {
    await drafts.start((await openTakes('Keeper', 2)).id, 'Keeper', false);
    await drafts.start((await openTakes('Other', 1)).id, 'Other', false);
    const more = await openTakes('Other', 3);
    expect(await drafts.plan(more.id, 'Other', false)).toMatchObject({
      newTakes: 2,
      paidAgain: { reason: 'made_elsewhere', shots: 1, takes: 2 },
    });
  });
});

describe('the name of a batch', () => {
  it('is that of its list until a person chooses one, which outlives the engine and another reading', async () => {
    const { id, revision } = await open(four);
    expect(await drafts.get(id)).toMatchObject({ name: 'shots_v2', isNamed: false });
    expect(await drafts.name(id, 'Keeper')).toMatchObject({ name: 'Keeper', isNamed: true, revision, canUndo: false });
    drafts = (await world.restart()).drafts;
    expect(await drafts.get(id)).toMatchObject({ name: 'Keeper', isNamed: true });
    expect(await drafts.reread(id, { delimiter: ';' })).toMatchObject({ name: 'Keeper', isNamed: true });
    drafts = (await world.restart()).drafts;
    expect(await drafts.get(id)).toMatchObject({ name: 'Keeper', isNamed: true });
  });

  it('is that of the batch, when its list is edited and run again', async () => {
    await made('Keeper');
    const [batch] = world.engine.stores.batches.list(projectId);
    const again = await drafts.open(projectId, { type: 'batch', batchId: batch?.id ?? '' }, {});
    expect(again).toMatchObject({ name: 'Keeper', isNamed: true });
    expect((await drafts.plan(again.id, 'Keeper', false)).paidAgain).toBeNull();
  });
});
