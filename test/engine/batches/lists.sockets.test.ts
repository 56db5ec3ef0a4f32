import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from 'vitest';
import { Settings } from '../../../src/contract/settings.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { Drafts } from '../../../src/engine/commands/drafts.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { Preset, type PresetFields } from '../../../src/contract/prompt-library.ts';
import type { DraftEdit, ListSource } from '../../../src/contract/batch.ts';
import type { DraftList } from '../../../src/contract/draft-list.ts';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import { checkList } from '../../../src/engine/batches/validate.ts';
import { mergeLists } from '../../../src/engine/batches/written-list.ts';
import { startRun, textOfShots } from '../../../src/server/runs.ts';
import { asMedium } from '../library/media.ts';
import { usualColumns } from '../../../src/contract/kinds/index.ts';
import { withDefaults } from '../../../src/engine/batches/draft.ts';

let world: World;
let engine: Engine;
let drafts: Drafts;
let projectId: string;
forEachTest((opened) => (world = opened));
beforeEach(async () => {
  engine = await world.start();
  ({ drafts } = engine);
  projectId = (await world.openProject()).id;
  engine.queue.pause();
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

const WITH_VARIABLES =
  'shot;model;prompt\n010;vgen-2.0-nt;{hero} at the pier\n020;vgen-2.0-nt;A gull {{over}} the sea\n';

const set = (name: string, text: string, of: string | null = projectId) =>
  world.act('promptLibrary.setVariable', { projectId: of, name, text });
const openList = () => engine.drafts.open(projectId, { type: 'text', name: 'day1.csv', text: WITH_VARIABLES }, {});
const promptsOf = (batch: string) =>
  world
    .jobs()
    .filter((job) => job.batch === batch)
    .map(({ prompt }) => prompt);

describe('variables of prompts', () => {
  it('are put in before a list is planned and started; its takes keep the text for good', async () => {
    await set('hero', 'A woman in red');
    const { id } = await openList();
    const plan = await engine.drafts.plan(id, 'Day 1', false);
    expect(plan).toMatchObject({ added: ['010', '020'], newTakes: 2 });
    await engine.drafts.start(id, 'Day 1', false, { texts: plan.texts });
    expect(promptsOf('Day 1')).toEqual(['A woman in red at the pier', 'A gull {over} the sea']);

    await set('hero', 'A man in blue');
    expect(promptsOf('Day 1')).toEqual(['A woman in red at the pier', 'A gull {over} the sea']);
    const changed = { changed: ['010'], unchanged: 1, newTakes: 1 };
    expect(await engine.drafts.plan(id, 'Day 1', false)).toMatchObject(changed);
  });

  it('that were changed after the plan was seen start nothing', async () => {
    await set('hero', 'A woman in red');
    const { id } = await openList();
    const { texts } = await engine.drafts.plan(id, 'Day 1', false);
    await set('hero', 'A man in blue', null);
    // The project's own counts, so the prompts are other ones only now.
    await set('hero', 'A child in green');
    await expect(engine.drafts.start(id, 'Day 1', false, { texts })).rejects.toMatchObject({ code: 'texts_changed' });
    expect(engine.stores.batches.list(projectId)).toEqual([]);
  });

  it('that are not there are defects of their rows, and nothing is stored', async () => {
    const text = WITH_VARIABLES + '030;vgen-2.0-nt;{sea} and {sky}\n';
    const { id } = await engine.drafts.open(projectId, { type: 'text', name: 'day1.csv', text }, {});
    const { defects } = await engine.drafts.defects(id);
    expect(defects).toMatchObject([
      { severity: 'error', rowIndex: 0, columnIndex: 2, problem: { key: 'defect.unknownVariable' } },
      { severity: 'error', rowIndex: 2, columnIndex: 2, problem: { values: { name: 'sea', others: 1 } } },
    ]);
    await expect(engine.drafts.plan(id, 'Day 1', false)).rejects.toMatchObject({ code: 'list_has_errors' });
    await expect(engine.drafts.start(id, 'Day 1', false)).rejects.toMatchObject({ code: 'list_has_errors' });
    const cells = { model: 'vgen-2.0-nt', kind: 'video', prompt: '{sea} at dawn' };
    expect(await engine.drafts.addShot(projectId, { cells, agreed: [] })).toMatchObject({
      ok: false,
      defects: [{ column: 'prompt', problem: { key: 'defect.unknownVariable' } }],
    });
    expect(engine.stores.batches.list(projectId)).toEqual([]);
  });

  it('hold in a take made from another one, which keeps braces that were sent as they are', async () => {
    await set('hero', 'A woman in red');
    const { id } = await openList();
    await engine.drafts.start(id, 'Day 1', false);
    const takeId = world.jobs().find(({ prompt }) => prompt.startsWith('A gull'))?.id ?? '';
    const another = (prompt?: string) =>
      engine.review.another({ takeId, changes: { cells: {}, ...(prompt !== undefined && { prompt }) } });
    await another();
    await another('{hero} and {{over}}');
    await expect(another('A gull {under} the sea')).rejects.toMatchObject({ code: 'does_not_fit' });
    expect(promptsOf('Day 1')).toEqual([
      'A woman in red at the pier',
      'A gull {over} the sea',
      'A gull {over} the sea',
      'A woman in red and {over}',
    ]);
  });

  it('are in no batch that is opened as a list: it has the prompts that were sent, and starts nothing again', async () => {
    await set('hero', 'A {woman} in red');
    const { id } = await openList();
    await engine.drafts.start(id, 'Day 1', false);
    const batchId = engine.stores.batches.list(projectId)[0]?.id ?? '';
    const again = await engine.drafts.open(projectId, { type: 'batch', batchId }, {});
    expect(await engine.drafts.plan(again.id, 'Day 1', false)).toMatchObject({ unchanged: 2, newTakes: 0 });
  });

  it('make a prompt too long for the service an error, before anything is paid for', async () => {
    await set('hero', 'x'.repeat(10_000));
    const text = `shot;model;prompt\n010;vgen-2.0-nt;${'{hero} '.repeat(4)}\n`;
    const { id } = await engine.drafts.open(projectId, { type: 'text', name: 'long.csv', text }, {});
    expect((await engine.drafts.defects(id)).defects).toMatchObject([{ severity: 'error', columnIndex: 2 }]);
  });

  it('hold in a described shot too', async () => {
    await set('hero', 'A woman in red', null);
    const cells = { model: 'vgen-2.0-nt', kind: 'video', prompt: '{hero} at sea' };
    const added = await engine.drafts.addShot(projectId, { cells, agreed: [] });
    expect(added.ok).toBe(true);
    expect(promptsOf('Single shots')).toEqual(['A woman in red at sea']);
  });

  it('outlive the engine, and one that is gone cannot be removed', async () => {
    await set('hero', 'A woman in red');
    engine = await world.restart();
    expect(engine.stores.variables.list(projectId)).toEqual([{ projectId, name: 'hero', text: 'A woman in red' }]);
    expect(engine.stores.variables.list(null)).toEqual([]);
    await world.act('promptLibrary.removeVariable', { projectId, name: 'hero' });
    await expect(world.act('promptLibrary.removeVariable', { projectId, name: 'hero' })).rejects.toMatchObject({
      code: 'unknown_variable',
    });
  });
});

describe('presets', () => {
  const fields = { projectId: null, kind: 'video' as const, name: 'Draft', cells: { size: '480p' } };
  const save = async (preset: PresetFields) => (await world.act('promptLibrary.savePreset', preset))?.result;

  it('are saved under a name, which one of the same kind takes over', async () => {
    const first = await save(fields);
    expect(Preset.parse(first)).toEqual(first);
    const second = await save({ ...fields, cells: { size: '720p' } });
    expect(second?.id).toBe(first?.id);
    expect(engine.stores.presets.list(projectId)).toEqual([second]);
  });

  it('are not renamed to what another one is called', async () => {
    const id = (await save(fields))?.id ?? '';
    await save({ ...fields, name: 'Final' });
    await expect(world.act('promptLibrary.renamePreset', { id, name: 'Final' })).rejects.toMatchObject({
      code: 'preset_name_taken',
    });
    const names = () => engine.stores.presets.list(null).map(({ name }) => name);
    await world.act('promptLibrary.renamePreset', { id, name: 'Rough' });
    expect(names()).toEqual(['Final', 'Rough']);
    await world.act('promptLibrary.removePreset', { id });
    expect(names()).toEqual(['Final']);
  });
});

const LIST = 'Nr;Scene;Text;skip\n010;Pier;{hero} waits;\n020;Pier;{{hero}} is literal;\n030;Boat;Later;x\n;;;\n';
const HERO = 'a tall woman in a red coat';

const AS_WRITTEN = {
  headers: ['Nr', 'Scene', 'Text', 'skip'],
  defaults: { model: 'vgen-2.0-nt', duration: '5' },
  kind: 'video',
};

const openText = (text: string) => drafts.open(projectId, { type: 'text', name: 'Night.csv', text }, {});

/** The list with a mapping, a kind and defaults, started as a batch. */
async function started() {
  const { id } = await openText(LIST);
  await drafts.edit(id, 0, { type: 'map', column: 0, to: 'shot' });
  await drafts.edit(id, 1, { type: 'default', column: 'model', value: 'vgen-2.0-nt' });
  await drafts.edit(id, 2, { type: 'default', column: 'duration', value: '5' });
  await drafts.edit(id, 3, { type: 'kind', kind: 'video' });
  return (await drafts.start(id, 'Night', false)).batch;
}

async function reopened(batchId: string, source: Partial<ListSource> = {}) {
  const view = await drafts.open(projectId, { type: 'batch', batchId, ...source } as ListSource, {});
  const { rows } = await drafts.rows(view.id, 0, 100);
  return { ...view, headers: view.columns.map(({ header }) => header), cells: rows };
}

const prompts = (batchId: string) => world.engine.stores.batches.currentShots(batchId).map(({ spec }) => spec.prompt);

describe('a batch that is opened as a list', () => {
  beforeEach(() => world.act('promptLibrary.setVariable', { projectId, name: 'hero', text: HERO }));

  it('is the list as it was written, not as it was sent', async () => {
    const batch = await started();
    expect(prompts(batch.id)).toEqual([`${HERO} waits`, '{hero} is literal']);
    const again = await reopened(batch.id);
    expect(again).toMatchObject({ ...AS_WRITTEN, batchId: batch.id });
    expect(again.columns[0]).toMatchObject({ column: 'shot' });
    expect(again.cells.slice(0, 3)).toEqual([
      ['010', 'Pier', '{hero} waits', ''],
      ['020', 'Pier', '{{hero}} is literal', ''],
      ['030', 'Boat', 'Later', 'x'],
    ]);
    expect(await drafts.plan(again.id, 'Night', false)).toMatchObject({ unchanged: 2, newTakes: 0 });
    await world.act('promptLibrary.setVariable', { projectId, name: 'hero', text: 'a boy' });
    expect(await drafts.plan(again.id, 'Night', false)).toMatchObject({ changed: ['010'], newTakes: 1 });
  });

  it('is so for a copy, after a rename and a restart, and in another data folder', async () => {
    const batch = await started();
    await world.act('batches.rename', { batchId: batch.id, name: 'Second night' });
    drafts = (await world.restart()).drafts;
    expect(await reopened(batch.id)).toMatchObject({ ...AS_WRITTEN, name: 'Second night' });
    expect(await reopened(batch.id, { copyAs: 'Copy' })).toMatchObject({ ...AS_WRITTEN, name: 'Copy', batchId: null });
    await world.stop();
    world.dataFolder = join(world.folder, 'other data');
    projectId = (await world.openProject()).id;
    ({ drafts } = world.engine);
    expect(await reopened(batch.id)).toMatchObject(AS_WRITTEN);
  });

  it('keeps that of the newest start, and none of an older copy of the folder', async () => {
    const batch = await started();
    const file = join(world.projectPath, '.dailies', 'lists', `${batch.id}.json`);
    const before = readFileSync(file);
    const { id, revision } = await reopened(batch.id);
    await drafts.edit(id, revision, { type: 'cells', cells: [{ row: 1, column: 2, value: 'The {hero} leaves' }] });
    world.clock.advance(1000);
    await drafts.start(id, 'Night', false);
    expect((await reopened(batch.id)).cells[1]).toEqual(['020', 'Pier', 'The {hero} leaves', '']);
    writeFileSync(file, before);
    const asSent = await reopened(batch.id);
    expect(asSent.headers).toContain('prompt');
    expect(asSent.cells.flat()).toContain(`The ${HERO} leaves`);
  });

  it('has the rows that were added to it, as they were written', async () => {
    const batch = await started();
    const added = await openText(
      'shot;prompt;model;mood\n040;{hero} sails;vgen-2.0-cl;calm\n020;{hero} swims;vgen-2.0-nt;\n',
    );
    await drafts.start(added.id, 'Night', false, { keepOthers: true });
    const again = await reopened(batch.id);
    expect(again.headers).toEqual(['Nr', 'Scene', 'Text', 'skip', 'model', 'mood', 'kind']);
    expect(again.cells).toEqual([
      ['010', 'Pier', '{hero} waits', '', '', '', ''],
      ['020', '', '{hero} swims', '', 'vgen-2.0-nt', '', 'video'],
      ['030', 'Boat', 'Later', 'x', '', '', ''],
      ['040', '', '{hero} sails', '', 'vgen-2.0-cl', 'calm', 'video'],
    ]);
  });

  it('is so when a command started it, with the kind that the command named', async () => {
    const table = await readTable({ bytes: Buffer.from('scene,model,prompt\nA,own-1,{hero}\n'), name: 'x.csv' });
    const variables = new Map([['hero', HERO]]);
    const { shots, rows } = await checkList(table, { listFolder: world.folder, kind: 'video', variables });
    const list = { kind: 'video' as const, headers: [...table.headers], rows: table.rows.map((row) => [...row]) };
    await startRun(
      { engine: world.engine, caller: 'command' },
      {
        ...{ project: world.projectPath, listFolder: world.folder, source: 'x.csv', name: 'x', again: false },
        ...{ shots: textOfShots(shots), rows: [...rows], texts: { hero: HERO }, list },
      },
    );
    const [batch] = world.engine.stores.batches.list(projectId);
    expect(await reopened(batch?.id ?? '')).toMatchObject({
      ...{ kind: 'video', headers: ['scene', 'model', 'prompt'], cells: [['A', 'own-1', '{hero}']] },
    });
  });

  it('is as it was sent where a shot came without a list', async () => {
    const cells = { kind: 'video', model: 'vgen-2.0-nt', prompt: 'One {hero}' };
    await drafts.addShot(projectId, { cells, agreed: [] });
    await drafts.addShot(projectId, { cells: { ...cells, prompt: 'Two', seconds: '5' }, agreed: [] });
    const [batch] = world.engine.stores.batches.list(projectId);
    expect(await reopened(batch?.id ?? '')).toMatchObject({
      headers: ['kind', 'model', 'prompt', 'shot', 'seconds'],
      cells: [
        ['video', 'vgen-2.0-nt', 'One {hero}', 'S001', ''],
        ['video', 'vgen-2.0-nt', 'Two', 'S002', '5'],
      ],
    });
  });
});

describe('two lists together', () => {
  const list = (headers: string[], rows: string[][], more: Partial<DraftList> = {}): DraftList => ({
    ...{ headers, rows, mapping: {}, kind: null, defaults: {}, ...more },
  });

  it('give every row its key, and the kind that its own list meant', () => {
    const own = list(
      ['prompt', 'model'],
      [
        ['A', 'm'],
        ['', ''],
        ['B', 'm'],
      ],
      { kind: 'image' },
    );
    const other = list(['shot', 'text'], [['C', 'Sing']], { mapping: { text: 'notes' }, kind: 'music' });
    const shot = { ...{ key: 'C', kind: 'music' as const, model: 'm', prompt: '', takes: 1 }, params: {}, extra: {} };
    const merged = mergeLists(own, other, [{ ...shot, columns: {}, priority: 0 }]);
    expect(merged).toEqual({
      ...own,
      headers: ['prompt', 'model', 'shot', 'text', 'kind'],
      mapping: { text: 'notes' },
      rows: [
        ['A', 'm', '0001'],
        ['B', 'm', '0002'],
        ['', '', 'C', 'Sing', 'music'],
      ],
    });
  });
});

describe('a list that is opened where it lies', () => {
  let folder: string;
  beforeEach(() => {
    folder = join(world.folder, 'lists');
    mkdirSync(folder);
  });

  const openAt = (path: string) => drafts.open(projectId, { type: 'path', path }, {});
  const problems = async (id: string) =>
    (await drafts.defects(id)).defects.filter(({ severity }) => severity === 'error');

  it('finds the local files beside it, also when it is read again another way', async () => {
    writeFileSync(join(folder, 'harbour.png'), asMedium('harbour.png', 'boat'));
    const list = join(folder, 'Day 1.csv');
    writeFileSync(list, 'shot,model,prompt,duration,first_frame\n010,vgen-2.0-nt,A boat,5,harbour.png\n');
    const draft = await openAt(list);
    expect(draft).toMatchObject({ name: 'Day 1', source: 'Day 1.csv', rows: 1 });
    expect(await problems(draft.id)).toEqual([]);
    await drafts.reread(draft.id, { encoding: 'utf-8' });
    expect(await problems(draft.id)).toEqual([]);
  });

  it.each([
    ['a relative path', () => 'list.csv', 'full path'],
    ['a file that is no list', () => '/etc/passwd', 'not a shot list'],
    ['a file that is not there', () => join(folder, 'gone.csv'), 'gone.csv was not found'],
    ['a path that ends early', () => join(folder, 'a\0.csv'), 'full path'],
    [
      'a folder with the name of a list',
      () => {
        mkdirSync(join(folder, 'b.csv'));
        return join(folder, 'b.csv');
      },
      'not a file',
    ],
    [
      'a pipe, without waiting for a writer',
      () => {
        execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
        return join(folder, 'pipe.csv');
      },
      'not a file',
    ],
    [
      'a link to a device',
      () => {
        symlinkSync('/dev/zero', join(folder, 'zero.csv'));
        return join(folder, 'zero.csv');
      },
      'not a file',
    ],
  ])('refuses %s', async (_what, path, problem) => {
    await expect(openAt(path())).rejects.toMatchObject({
      code: 'bad_list',
      text: expect.saying(new RegExp(problem)) as unknown,
    });
  });
});

const nothing = { mapping: {}, kind: null, defaults: {} };

describe('what a list says for rows that do not', () => {
  it('fills empty cells, and none that says something', () => {
    const lines = {
      headers: ['model', 'prompt', 'duration'],
      rows: [
        ['vgen-2.0-nt', 'A boat', ' '],
        ['vgen-2.0-nt', 'A pier', '6'],
        ['', 'A gull'],
      ],
    };
    const defaults = { duration: '5', model: 'vgen-2.0-cl', aspect_ratio: '16:9' };
    expect(withDefaults(lines, { ...nothing, defaults })).toEqual({
      headers: ['model', 'prompt', 'duration', 'aspect_ratio'],
      rows: [
        ['vgen-2.0-nt', 'A boat', '5', '16:9'],
        ['vgen-2.0-nt', 'A pier', '6', '16:9'],
        ['vgen-2.0-cl', 'A gull', '5', '16:9'],
      ],
    });
  });

  it('goes to rows whose kind knows it, under whatever header that is, and leaves blank rows blank', () => {
    const lines = {
      headers: ['kind', 'model', 'Seconds', 'resolution'],
      rows: [
        ['video', 'vgen-2.0-nt', '', ''],
        ['image', 'image-demo', '', ''],
        ['music', '', '', ''],
        ['', ' ', '', ''],
      ],
    };
    const defaults = { duration: '5', size: '720p', model: 'vgen-2.0-nt' };
    expect(withDefaults(lines, { ...nothing, defaults })).toEqual({
      headers: ['kind', 'model', 'Seconds', 'resolution', 'size'],
      rows: [
        ['video', 'vgen-2.0-nt', '5', '720p'],
        // For images, `resolution` is a field of its own.
        ['image', 'image-demo', '', '', '720p'],
        ['music', '', '', ''],
        ['', ' ', '', ''],
      ],
    });
  });

  it('leaves a list as it is where it says nothing', () => {
    const lines = { headers: ['model'], rows: [['']] };
    expect(withDefaults(lines, { ...nothing, defaults: { duration: ' ' } })).toEqual(lines);
  });

  it('can be what the kinds call usual', () => {
    expect(usualColumns(null).map(({ name }) => name)).toEqual([
      'model',
      'takes',
      'duration',
      'aspect_ratio',
      'size',
      'generate_audio',
      'n',
      'style',
      'instrumental',
      'system',
      'voice',
      'wait_for',
    ]);
    expect(usualColumns('music').map(({ name }) => name)).toEqual([
      'model',
      'takes',
      'style',
      'instrumental',
      'wait_for',
    ]);
  });
});

describe('the defaults of a draft', () => {
  const open = (text = 'shot,prompt\n010,A boat\n\n020,A pier\n') =>
    drafts.open(projectId, { type: 'text', name: 'day.csv', text }, {});
  const give = (column: string, value: string): DraftEdit => ({ type: 'default', column, value });

  it('count when the list is checked and started, are in what is saved, and can be taken back', async () => {
    const { id } = await open();
    expect((await drafts.defects(id)).defects).not.toEqual([]);
    await drafts.edit(id, 0, give('model', 'vgen-2.0-nt'));
    await drafts.edit(id, 1, give('duration', ' 5 '));
    expect(await drafts.edit(id, 2, give('takes', '2'))).toMatchObject({
      defaults: { model: 'vgen-2.0-nt', duration: '5', takes: '2' },
    });
    expect((await drafts.defects(id)).defects).toEqual([]);
    expect(
      (await drafts.save(id)).text
        .replace(/^\uFEFF/, '')
        .trim()
        .split('\r\n'),
    ).toEqual([
      'shot,prompt,model,takes,duration'.replace('takes,duration', 'duration,takes'),
      '010,A boat,vgen-2.0-nt,5,2',
      '020,A pier,vgen-2.0-nt,5,2',
    ]);
    expect(await drafts.plan(id, 'Day', false)).toMatchObject({ newTakes: 4, lines: [{ seconds: 20 }] });
    expect(await drafts.undo(id)).toMatchObject({ defaults: { model: 'vgen-2.0-nt', duration: '5' } });
    await drafts.edit(id, 4, give('duration', ''));
    drafts = (await world.restart()).drafts;
    expect(await drafts.get(id)).toMatchObject({ defaults: { model: 'vgen-2.0-nt' } });
    expect(await drafts.reread(id, { delimiter: ';' })).toMatchObject({ defaults: { model: 'vgen-2.0-nt' } });
  });

  it('are told of at their rows where they do not fit, at no column where the list has none', async () => {
    const { id } = await open('shot,model,prompt\n010,vgen-2.0-nt,A boat\n');
    await drafts.edit(id, 0, give('duration', '500'));
    expect((await drafts.defects(id)).defects).toMatchObject([{ rowIndex: 0, columnIndex: -1, column: 'duration' }]);
  });

  it('are remembered by the batch, for the rows that its list gets later', async () => {
    const { id } = await open();
    await drafts.edit(id, 0, give('model', 'vgen-2.0-nt'));
    await drafts.edit(id, 1, give('duration', '5'));
    const { batch } = await drafts.start(id, 'Day', false);
    const again = await drafts.open(projectId, { type: 'batch', batchId: batch.id }, {});
    expect(again.defaults).toEqual({ model: 'vgen-2.0-nt', duration: '5' });
    expect(await drafts.plan(again.id, 'Day', false)).toMatchObject({ unchanged: 2, newTakes: 0 });
    const shot = again.columns.findIndex(({ column }) => column === 'shot');
    const prompt = again.columns.findIndex(({ column }) => column === 'prompt');
    const row = again.columns.map((_each, index) => ({ [shot]: '030', [prompt]: 'A gull' })[index] ?? '');
    await drafts.edit(again.id, 0, { type: 'cells', cells: [], added: [row] });
    expect(await drafts.plan(again.id, 'Day', false)).toMatchObject({ added: ['030'], lines: [{ seconds: 5 }] });
  });

  it('are of the columns that the kinds call usual alone', async () => {
    const { id } = await open();
    await expect(drafts.edit(id, 0, give('prompt', 'A boat'))).rejects.toMatchObject({ code: 'not_there' });
  });
});
