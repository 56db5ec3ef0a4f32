import { beforeEach, describe, expect, it } from 'vitest';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ListSource } from '../../../src/contract/batch.ts';
import type { DraftList } from '../../../src/contract/draft-list.ts';
import type { Drafts } from '../../../src/engine/commands/drafts.ts';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import { checkList } from '../../../src/engine/batches/validate.ts';
import { mergeLists } from '../../../src/engine/batches/written-list.ts';
import { startRun, textOfShots } from '../../../src/server/runs.ts';
import { forEachTest, type World } from '../../support/world.ts';

const LIST = 'Nr;Scene;Text;skip\n010;Pier;{hero} waits;\n020;Pier;{{hero}} is literal;\n030;Boat;Later;x\n;;;\n';
const HERO = 'a tall woman in a red coat';

const AS_WRITTEN = {
  headers: ['Nr', 'Scene', 'Text', 'skip'],
  defaults: { model: 'vgen-2.0-nt', duration: '5' },
  kind: 'video',
};

let world: World;
let drafts: Drafts;
let projectId: string;

forEachTest((opened) => (world = opened));
beforeEach(async () => {
  const engine = await world.start();
  drafts = engine.drafts;
  projectId = (await engine.projects.open(world.projectPath)).id;
  engine.queue.pause();
  await world.act('promptLibrary.setVariable', { projectId, name: 'hero', text: HERO });
});

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
    const engine = await world.start();
    drafts = engine.drafts;
    projectId = (await engine.projects.open(world.projectPath)).id;
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
