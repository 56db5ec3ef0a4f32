import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DraftEdit } from '../../../src/contract/batch.ts';
import { usualColumns } from '../../../src/contract/kinds/index.ts';
import { withDefaults } from '../../../src/engine/batches/draft.ts';
import type { Drafts } from '../../../src/engine/commands/drafts.ts';
import { World } from '../../support/world.ts';

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
    ]);
    expect(usualColumns('music').map(({ name }) => name)).toEqual(['model', 'takes', 'style', 'instrumental']);
  });
});

describe('the defaults of a draft', () => {
  let world: World;
  let drafts: Drafts;
  let projectId: string;

  beforeEach(async () => {
    world = await World.open();
    drafts = (await world.start()).drafts;
    projectId = (await world.openProject()).id;
    world.engine.queue.pause();
  });

  afterEach(() => world.close());

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
