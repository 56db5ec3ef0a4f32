import { beforeEach, describe, expect, it } from 'vitest';
import { Preset, type PresetFields } from '../../../src/contract/prompt-library.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { forEachTest, type World } from '../../support/world.ts';

const LIST = 'shot;model;prompt\n010;vgen-2.0-nt;{hero} at the pier\n020;vgen-2.0-nt;A gull {{over}} the sea\n';

let world: World;
let engine: Engine;
let projectId: string;

forEachTest((opened) => (world = opened));
beforeEach(async () => {
  engine = await world.start();
  projectId = (await engine.projects.open(world.projectPath)).id;
});

const set = (name: string, text: string, of: string | null = projectId) =>
  world.act('promptLibrary.setVariable', { projectId: of, name, text });
const open = () => engine.drafts.open(projectId, { type: 'text', name: 'day1.csv', text: LIST }, {});
const promptsOf = (batch: string) =>
  world
    .jobs()
    .filter((job) => job.batch === batch)
    .map(({ prompt }) => prompt);

describe('variables of prompts', () => {
  it('are put in before a list is planned and started; its takes keep the text for good', async () => {
    await set('hero', 'A woman in red');
    const { id } = await open();
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
    const { id } = await open();
    const { texts } = await engine.drafts.plan(id, 'Day 1', false);
    await set('hero', 'A man in blue', null);
    // The project's own counts, so the prompts are other ones only now.
    await set('hero', 'A child in green');
    await expect(engine.drafts.start(id, 'Day 1', false, { texts })).rejects.toMatchObject({ code: 'texts_changed' });
    expect(engine.stores.batches.list(projectId)).toEqual([]);
  });

  it('that are not there are defects of their rows, and nothing is stored', async () => {
    const text = LIST + '030;vgen-2.0-nt;{sea} and {sky}\n';
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
    const { id } = await open();
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
    const { id } = await open();
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
