import fc from 'fast-check';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DraftEdit, ListSource } from '../../../src/contract/batch.ts';
import { sayText } from '../../../src/contract/messages/words.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { estimate } from '../../../src/engine/batches/price.ts';
import { contentHash } from '../../../src/engine/batches/plan-import.ts';
import { shotsAsTable } from '../../../src/engine/batches/written-list.ts';
import { checkList } from '../../../src/engine/batches/validate.ts';
import { columnThatSends } from '../../../src/engine/kinds/extra-fields.ts';
import { csvText } from '../../../src/engine/batches/csv-text.ts';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import type { Drafts } from '../../../src/engine/commands/drafts.ts';
import { Settings } from '../../../src/contract/settings.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { asMedium } from '../library/media.ts';

const LIST = 'shot;model;prompt;duration\n010;vgen-2.0-nt;A boat;5\n020;vgen-2.0-nt;A pier;6\n';

let world: World;
let drafts: Drafts;
let projectId: string;

forEachTest((opened) => (world = opened));
beforeEach(async () => {
  drafts = (await world.start()).drafts;
  projectId = (await world.openProject()).id;
});

const openText = (text = LIST, name = 'day1.csv') => drafts.open(projectId, { type: 'text', name, text }, {});
const openFile = (content: Uint8Array, name = 'day1.csv') =>
  drafts.open(projectId, { type: 'file', name, content: Buffer.from(content).toString('base64') }, {});
const cell = (row: number, column: number, value: string): DraftEdit => ({
  type: 'cells',
  cells: [{ row, column, value }],
});
const rowsOf = async (id: string) => (await drafts.rows(id, 0, 100)).rows;
const errorsOf = async (id: string) =>
  (await drafts.defects(id)).defects.filter(({ severity }) => severity === 'error');
const draftsFolder = () => join(world.projectPath, '.dailies', 'drafts');
const restart = async () => {
  drafts = (await world.restart()).drafts;
};

describe('a draft', () => {
  it('holds the list as it was read, and its defects', async () => {
    const draft = await openText();
    expect(draft).toMatchObject({
      name: 'day1',
      source: 'day1.csv',
      delimiter: ';',
      encoding: 'utf-8',
      rows: 2,
      kind: null,
    });
    expect(await rowsOf(draft.id)).toEqual([
      ['010', 'vgen-2.0-nt', 'A boat', '5'],
      ['020', 'vgen-2.0-nt', 'A pier', '6'],
    ]);
  });

  it('has the prompt and settings of a take in a row for its file, wherever that lies by now', async () => {
    await world.run([
      shot(1, { kind: 'image', model: 'image-demo', params: {} }),
      shot(2, { columns: { scene: 'Sea' }, params: { duration: 5, first_frame: 'Shot://0001' }, takes: 2 }),
    ]);
    const [still, film] = [world.job('0001'), world.job('0002')].map(({ id }) => {
      const [{ file = '' } = {}] = world.engine.stores.outputs.outputs(id);
      return join(world.projectPath, file);
    });
    const elsewhere = join(world.folder, 'dropped');
    mkdirSync(elsewhere);
    copyFileSync(film ?? '', join(elsewhere, 'b.mp4'));
    writeFileSync(join(elsewhere, 'a.png'), asMedium('a.png', 'a'));
    const draft = await drafts.open(projectId, { type: 'media', paths: [elsewhere] }, {});
    expect(draft).toMatchObject({ name: 'dropped', kind: 'video', rows: 2 });
    const headers = draft.columns.map(({ header }) => header);
    const rows = (await rowsOf(draft.id)).map((row) => Object.fromEntries(row.map((text, at) => [headers[at], text])));
    expect(rows).toMatchObject([
      { shot: 'a', first_frame: join(elsewhere, 'a.png'), prompt: '' },
      {
        shot: '0002',
        model: 'vgen-2.0-cl-fast',
        prompt: 'Shot 2',
        duration: '5',
        first_frame: still,
        takes: '1',
        scene: 'Sea',
      },
    ]);
  });

  it('is read again another way from the bytes it came from', async () => {
    const draft = await openFile(Buffer.from('shot,model,prompt\n1,vgen-2.0-nt,Caf\xE9\n', 'latin1'));
    const again = await drafts.reread(draft.id, { encoding: 'windows-1251' });
    expect(again).toMatchObject({ id: draft.id, encoding: 'windows-1251', revision: 1, canUndo: false });
    expect((await rowsOf(draft.id))[0]?.[2]).toBe('Cafй');
  });

  it('of a template cannot be read again, and says so', async () => {
    const { id } = await drafts.open(projectId, { type: 'template', kind: 'video' }, {});
    await expect(drafts.reread(id, {})).rejects.toMatchObject({ code: 'no_source' });
  });

  it('that cannot be read says why in its defects, and can be read another way', async () => {
    const { id } = await openFile(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), 'old.xls');
    expect(await errorsOf(id)).toMatchObject([{ rowIndex: -1, problem: expect.saying(/\.xls/) as unknown }]);
  });

  it('outlives its engine with its edits, its undo and its redo', async () => {
    const { id } = await openText();
    await drafts.edit(id, 0, cell(0, 2, 'A ship'));
    await drafts.edit(id, 1, { type: 'remove', rows: [1] });
    await drafts.undo(id);
    await restart();
    expect(await drafts.get(id)).toMatchObject({ revision: 3, rows: 2, canUndo: true, canRedo: true });
    expect((await rowsOf(id))[0]?.[2]).toBe('A ship');
    await drafts.undo(id);
    expect((await rowsOf(id))[0]?.[2]).toBe('A boat');
    await drafts.redo(id);
    expect(await drafts.redo(id)).toMatchObject({ rows: 1, canRedo: false });
  });

  it('takes new texts and rows below others as one step, which one undo takes back after a restart too', async () => {
    const { id } = await openText();
    const cells = [{ row: 0, column: 2, value: 'A ship' }];
    const below = [
      { row: 1, cells: ['020-2'] },
      { row: 0, cells: ['010-2'] },
      { row: 0, cells: ['010-3'] },
    ];
    expect(await drafts.edit(id, 0, { type: 'cells', cells, below })).toMatchObject({ rows: 5 });
    await restart();
    expect((await rowsOf(id)).map(([shot]) => shot)).toEqual(['010', '010-2', '010-3', '020', '020-2']);
    expect((await rowsOf(id))[0]?.[2]).toBe('A ship');
    expect(await drafts.undo(id)).toMatchObject({ rows: 2, canUndo: false });
  });

  it('whose last edit was cut off by a power cut has every edit before it, and takes others', async () => {
    const { id } = await openText();
    await drafts.edit(id, 0, cell(0, 2, 'A ship'));
    appendFileSync(join(draftsFolder(), `${id}.edits`), '{"edit":{"type":"cel');
    await restart();
    expect(await drafts.get(id)).toMatchObject({ revision: 1 });
    await drafts.edit(id, 1, cell(1, 2, 'A quay'));
    await restart();
    expect((await rowsOf(id)).map((row) => row[2])).toEqual(['A ship', 'A quay']);
  });

  it('refuses an edit of what is not there, and stays as it was', async () => {
    const { id } = await openText();
    const wrong: DraftEdit[] = [
      cell(9, 0, 'x'),
      cell(0, 9, 'x'),
      { type: 'remove', rows: [2] },
      { type: 'insert', at: 3, rows: [[]] },
      { type: 'insert', at: 0, rows: [['1', '2', '3', '4', '5']] },
      { type: 'cells', cells: [], below: [{ row: 2, cells: [] }] },
      { type: 'cells', cells: [], below: [{ row: 0, cells: ['1', '2', '3', '4', '5'] }] },
      { type: 'add_column', header: 'Shot' },
      { type: 'map', column: 9, to: 'prompt' },
    ];
    for (const edit of wrong) await expect(drafts.edit(id, 0, edit)).rejects.toMatchObject({ name: 'Error' });
    expect(await drafts.get(id)).toMatchObject({ revision: 0, canUndo: false });
  });

  it('maps a column to another meaning, and one without a header too', async () => {
    const { id } = await openText('shot,prompt,,words\n1,A boat,vgen-2.0-nt,x\n');
    const mapped = await drafts.edit(id, 0, { type: 'map', column: 2, to: 'model' });
    expect(mapped.columns[2]).toEqual({ header: 'Column 3', column: 'model', isExtra: false });
    expect(await errorsOf(id)).toEqual([]);
    const kept = await drafts.edit(id, 1, { type: 'map', column: 2, to: null });
    expect(kept.columns[2]?.column).toBeNull();
    expect(await errorsOf(id)).toMatchObject([{ column: 'model' }]);
  });

  it('points to the cell of a defect, wherever edits have moved it', async () => {
    const { id } = await openText();
    await drafts.edit(id, 0, cell(1, 3, '99'));
    expect(await errorsOf(id)).toMatchObject([{ rowIndex: 1, columnIndex: 3, shot: '020' }]);
    await drafts.edit(id, 1, { type: 'insert', at: 0, rows: [[], []] });
    expect(await errorsOf(id)).toMatchObject([{ rowIndex: 3, columnIndex: 3, row: 5 }]);
  });

  it('keeps a mistake of the file with its row until the row is edited', async () => {
    const { id } = await openText('shot,model,prompt\n1,vgen-2.0-nt,"A "boat"\n2,vgen-2.0-nt,A pier\n');
    const before = await errorsOf(id);
    expect(before.length).toBeGreaterThan(0);
    const row = before[0]?.rowIndex ?? -1;
    await drafts.edit(id, 0, { type: 'insert', at: 0, rows: [[]] });
    expect((await errorsOf(id)).map(({ rowIndex }) => rowIndex)).toContain(row + 1);
  });

  it('finds it at once when asked to check again, and says where relative paths start', async () => {
    const { id } = await openText('shot,kind,model,prompt,operation,image\n1,image,image-demo,x,edit,ref.png\n');
    const [missing] = await errorsOf(id);
    expect(missing?.remedy).saying(new RegExp(`Relative paths start at ${world.projectPath}\\.`));
    writeFileSync(join(world.projectPath, 'ref.png'), asMedium('ref.png', 'picture'));
    const { defects } = await drafts.defects(id, true);
    expect(defects.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('has its models compared with those of the account, once a person asked for them', async () => {
    const warned = async (id: string) =>
      (await drafts.defects(id, true)).defects.filter(({ column }) => column === 'model').map(({ value }) => value);
    const { id } = await openText('kind,model,prompt\nimage,image-demo,a\nvideo,vgen-9,b\n');
    expect(await warned(id)).toEqual(['image-demo', 'vgen-9']);
    await world.whilePumping(world.engine.models());
    expect(await warned(id)).toEqual(['vgen-9']);
  });

  it('has its values compared with what the service lists for their models, which stops nothing', async () => {
    await world.close();
    world = await World.open({ service: { modelList: 'nested' } });
    drafts = (await world.start()).drafts;
    projectId = (await world.openProject()).id;
    writeFileSync(join(world.projectPath, 'ref.png'), asMedium('ref.png', 'picture'));
    await world.whilePumping(world.engine.models());
    const { id } = await openText('kind,model,operation,image\nimage,image-demo-pro,variation,ref.png\n');
    expect((await drafts.defects(id, true)).defects).toMatchObject([
      {
        severity: 'warning',
        row: 2,
        column: 'operation',
        problem: expect.saying(
          'This is not among what the service lists for image-demo-pro: generate, edit.',
        ) as unknown,
      },
    ]);
  });

  it('is saved as a list that reads the same', async () => {
    const { id } = await openText();
    await drafts.edit(id, 0, cell(0, 2, 'Two lines,\nand "quotes"; =1+1'));
    const { fileName, text } = await drafts.save(id);
    expect(fileName).toBe('day1.csv');
    const again = await openText(text);
    expect(await rowsOf(again.id)).toEqual(await rowsOf(id));
  });
});

describe('the drafts of a project', () => {
  it('are listed, newest first, without those that were started', async () => {
    const first = await openText();
    const second = await openText(LIST, 'day2.csv');
    await drafts.start(first.id, 'Day 1', false);
    expect((await drafts.list(projectId)).map(({ id }) => id)).toEqual([second.id]);
    await restart();
    expect((await drafts.list(projectId)).map(({ id }) => id)).toEqual([second.id]);
    expect(await drafts.get(first.id)).toMatchObject({ id: first.id });
  });

  it('are gone when they are discarded, and come back whole', async () => {
    const { id, projectId } = await openFile(Buffer.from(LIST));
    const edited = await drafts.edit(id, 0, cell(0, 2, 'x'));
    await drafts.discard(id);
    await restart();
    await expect(drafts.get(id)).rejects.toMatchObject({ code: 'unknown_draft' });
    expect(await drafts.list(projectId)).toEqual([]);
    expect(await drafts.restore(projectId, id)).toMatchObject({ id, revision: edited.revision });
    expect((await drafts.rows(id, 0, 1)).rows[0]?.[2]).toBe('x');
    await expect(drafts.restore(projectId, '../../etc/passwd')).rejects.toMatchObject({ code: 'unknown_draft' });
  });

  it('that were discarded make room first', async () => {
    const first = await openText();
    await drafts.start(first.id, 'Day 1', false);
    const discarded = await openText();
    await drafts.discard(discarded.id);
    for (let number = 3; number <= 51; number += 1) await openText();
    expect(await drafts.get(first.id)).toMatchObject({ id: first.id });
    await expect(drafts.restore(projectId, discarded.id)).rejects.toMatchObject({ code: 'unknown_draft' });
  });

  it('are passed over where they are broken, and never removed', async () => {
    await openText();
    writeFileSync(join(draftsFolder(), 'broken.json'), '{"format":1');
    const { id } = await openText();
    writeFileSync(join(draftsFolder(), `${id}.edits`), '');
    // Longer than a text can be, and empty.
    truncateSync(join(draftsFolder(), `${id}.edits`), 600_000_000);
    await restart();
    expect(await drafts.list(projectId)).toHaveLength(1);
    expect(await openText()).toMatchObject({ rows: 2 });
    expect(existsSync(join(draftsFolder(), 'broken.json'))).toBe(true);
  });

  it('are passed over where a link or a folder is in the place of one', async () => {
    const { id } = await openText();
    const outside = join(world.folder, 'outside.json');
    writeFileSync(outside, readFileSync(join(draftsFolder(), `${id}.json`)));
    symlinkSync(outside, join(draftsFolder(), 'link.json'));
    mkdirSync(join(draftsFolder(), 'folder.json'));
    writeFileSync(join(draftsFolder(), 'edited.json'), readFileSync(outside, 'utf8').replace(id, 'edited'));
    symlinkSync(outside, join(draftsFolder(), 'edited.edits'));
    await restart();
    expect(await drafts.list(projectId)).toMatchObject([{ id }]);
    await expect(drafts.get('link')).rejects.toMatchObject({ code: 'project_link' });
    expect(await openText()).toMatchObject({ rows: 2 });
  });

  it('are read up to a number that no project has @night', async () => {
    const { id } = await openText();
    const text = readFileSync(join(draftsFolder(), `${id}.json`), 'utf8');
    for (let number = 0; number < 300; number += 1)
      writeFileSync(join(draftsFolder(), `${String(number)}.json`), text.replace(id, String(number)));
    await restart();
    expect(await drafts.list(projectId)).toHaveLength(200);
    await expect(openText()).rejects.toMatchObject({ code: 'too_many_drafts' });
  });

  it('are not written through a planted link', async () => {
    const elsewhere = join(world.folder, 'elsewhere');
    mkdirSync(elsewhere);
    rmSync(draftsFolder(), { recursive: true, force: true });
    symlinkSync(elsewhere, draftsFolder());
    await expect(openText()).rejects.toMatchObject({ code: 'project_link' });
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe('a column of a draft', () => {
  const open = (text = 'shot,model,words,durration\n010,vgen-2.0-nt,A boat,5\n020,vgen-2.0-nt\n') => openText(text);
  const rename = (column: number, header: string): DraftEdit => ({ type: 'rename_column', column, header });
  const remove = (column: number): DraftEdit => ({ type: 'remove_column', column });
  const headersOf = async (id: string) => (await drafts.get(id)).columns.map(({ header, column }) => [header, column]);

  it('that is renamed is what its new header says, and still means what it was mapped to', async () => {
    const { id } = await open();
    await drafts.edit(id, 0, { type: 'map', column: 2, to: 'prompt' });
    await drafts.edit(id, 1, rename(3, ' duration '));
    await drafts.edit(id, 2, rename(2, 'What is seen'));
    expect(await headersOf(id)).toEqual([
      ['shot', 'shot'],
      ['model', 'model'],
      ['What is seen', 'prompt'],
      ['duration', 'duration'],
    ]);
    const { defects } = await drafts.defects(id);
    expect(defects).toMatchObject([{ rowIndex: 1, column: 'What is seen' }]);
  });

  it('that is removed takes its cells and its mapping along, and undo brings all of it back', async () => {
    const { id } = await open();
    await drafts.edit(id, 0, { type: 'map', column: 2, to: 'prompt' });
    await drafts.edit(id, 1, remove(2));
    await restart();
    expect(await headersOf(id)).toEqual([
      ['shot', 'shot'],
      ['model', 'model'],
      ['durration', null],
    ]);
    expect((await drafts.rows(id, 0, 2)).rows).toEqual([
      ['010', 'vgen-2.0-nt', '5'],
      ['020', 'vgen-2.0-nt', ''],
    ]);
    expect((await drafts.defects(id)).defects.map(({ problem }) => sayText(problem)).join()).not.toContain('to map');
    await drafts.undo(id);
    expect((await drafts.rows(id, 0, 1)).rows[0]?.[2]).toBe('A boat');
    expect((await headersOf(id))[2]).toEqual(['words', 'prompt']);
  });

  it('that is removed leaves a mistake of the file with its row', async () => {
    const { id } = await open('shot,model,prompt,x\n1,vgen-2.0-nt,"A "boat",y\n2,vgen-2.0-nt,A pier,z\n');
    const before = (await drafts.defects(id)).defects.filter(({ severity }) => severity === 'error');
    expect(before).not.toEqual([]);
    await drafts.edit(id, 0, remove(3));
    const after = (await drafts.defects(id)).defects.filter(({ severity }) => severity === 'error');
    expect(after.map(({ problem }) => problem)).toEqual(before.map(({ problem }) => problem));
  });

  it('is refused a header that another one has, or none, and the last one stays', async () => {
    const { id } = await open('prompt,model\nA boat,vgen-2.0-nt\n');
    await expect(drafts.edit(id, 0, rename(0, 'Model'))).rejects.toMatchObject({ code: 'header_taken' });
    await expect(drafts.edit(id, 0, rename(0, ' '))).rejects.toMatchObject({ code: 'no_header' });
    await expect(drafts.edit(id, 0, rename(0, 'Prompt'))).resolves.toMatchObject({ revision: 1 });
    await drafts.edit(id, 1, remove(1));
    await expect(drafts.edit(id, 2, remove(0))).rejects.toMatchObject({ code: 'last_column' });
  });

  it('that was removed meanwhile is not written to by place', async () => {
    const { id } = await open();
    await drafts.edit(id, 0, remove(1));
    const cells = [{ row: 0, column: 2, value: 'A ship' }];
    await expect(drafts.edit(id, 0, { type: 'cells', cells })).rejects.toMatchObject({
      code: 'draft_changed',
    });
  });
});

it('an edit that is sent again because its answer was lost is made once, also after a restart', async () => {
  const { id } = await openText();
  const added: DraftEdit = { type: 'cells', cells: [], added: [['030'], ['040']] };
  const sent = 'an edit';
  expect(await drafts.edit(id, 0, added, sent)).toMatchObject({ rows: 4, revision: 1 });
  expect(await drafts.edit(id, 0, added, sent)).toMatchObject({ rows: 4, revision: 1 });
  await restart();
  expect(await drafts.edit(id, 0, added, sent)).toMatchObject({ rows: 4, revision: 1 });
});

describe('a draft that was started', () => {
  it('says as which batch, until it is edited', async () => {
    const { id } = await openText();
    const { batch } = await drafts.start(id, 'Day 1', false);
    expect(await drafts.get(id)).toMatchObject({ startedAs: batch.id });
    await restart();
    expect(await drafts.get(id)).toMatchObject({ startedAs: batch.id });
    expect(await drafts.edit(id, 0, cell(0, 2, 'A ship'))).toMatchObject({ startedAs: null, batchId: batch.id });
    expect(await drafts.open(projectId, { type: 'batch', batchId: batch.id }, {})).toMatchObject({ batchId: batch.id });
    const copy = await drafts.open(projectId, { type: 'batch', batchId: batch.id, copyAs: 'Day 2' }, {});
    expect(copy.batchId).toBeNull();
  });

  it('is not started when another window has edited it since it was looked at', async () => {
    const { id } = await openText();
    await drafts.edit(id, 0, cell(0, 2, 'A ship'));
    await expect(drafts.start(id, 'Day 1', false, { revision: 0 })).rejects.toMatchObject({ code: 'draft_changed' });
    expect(world.jobs()).toEqual([]);
    expect(await drafts.start(id, 'Day 1', false, { revision: 1 })).toMatchObject({ newTakes: 2 });
  });
});

describe('the lists of a project beside a batch', () => {
  const listed = async () => (await drafts.list(projectId)).map(({ id }) => id);
  let fromBatch: ListSource;

  beforeEach(async () => {
    world.engine.queue.pause();
    const { id } = await openText();
    const { batch } = await drafts.start(id, 'Keeper', false);
    fromBatch = { type: 'batch', batchId: batch.id };
  });

  it('are checked after a restart as soon as they are listed, though nobody opens one', async () => {
    await openText(LIST, 'one.csv');
    await openText(LIST.replace(';6', ';long'), 'two.csv');
    await restart();
    const checked = async () =>
      (await drafts.list(projectId)).map(({ name, errors, checkedRevision }) => ({ name, errors, checkedRevision }));
    await expect.poll(checked).toEqual([
      { name: 'two', errors: 1, checkedRevision: 0 },
      { name: 'one', errors: 0, checkedRevision: 0 },
    ]);
  });

  it('hold the shots of a batch once, however often they are asked for, as long as nothing was done to them', async () => {
    const first = await drafts.open(projectId, fromBatch, {});
    expect((await drafts.open(projectId, fromBatch, {})).id).toBe(first.id);
    await restart();
    expect((await drafts.open(projectId, fromBatch, {})).id).toBe(first.id);
    await drafts.edit(first.id, first.revision, cell(0, 0, '011'));
    const second = await drafts.open(projectId, fromBatch, {});
    expect(second.id).not.toBe(first.id);
    expect(await listed()).toEqual([second.id, first.id]);
  });

  it('read the shots of a batch again when the batch has changed', async () => {
    const first = await drafts.open(projectId, fromBatch, {});
    const other = await openText(LIST.replace('boat', 'ship'));
    await drafts.start(other.id, 'Keeper', false);
    const second = await drafts.open(projectId, fromBatch, {});
    expect(second.id).not.toBe(first.id);
    expect((await drafts.rows(second.id, 0, 1)).rows[0]).toContain('A ship');
  });

  it('are fifty at most: what was started goes first, then what a batch says as well, then nothing', async () => {
    const copy = await drafts.open(projectId, fromBatch, {});
    for (let number = (await listed()).length; number < 50; number += 1) await openText();
    expect(await listed()).toHaveLength(50);
    await openText();
    expect(await listed()).toHaveLength(50);
    expect(await listed()).not.toContain(copy.id);
    await expect(openText()).rejects.toMatchObject({ code: 'too_many_drafts' });
  });
});

describe('starting a draft', () => {
  it('makes no more takes than the plan had that a person saw, though its batch was changed since', async () => {
    const { id } = await openText();
    expect(await drafts.start(id, 'Day 1', false, { newTakes: 2 })).toMatchObject({ newTakes: 2 });
    await world.settle();
    world.engine.queue.pause();
    const seen = await drafts.plan(id, 'Day 1', false);
    expect(seen.newTakes).toBe(0);
    const refused = { code: 'plan_changed' };
    await expect(drafts.start(id, 'Day 1', true, { newTakes: seen.newTakes })).rejects.toMatchObject(refused);
    const [batch] = world.engine.stores.batches.list(projectId);
    await world.act('batches.rename', { batchId: batch?.id ?? '', name: 'Day one' });
    await expect(drafts.start(id, 'Day 1', false, { newTakes: seen.newTakes })).rejects.toMatchObject(refused);
    expect(world.engine.stores.batches.list(projectId)).toHaveLength(1);
    expect(world.jobs()).toHaveLength(2);
    expect(await drafts.start(id, 'Day one', true, { newTakes: 2 })).toMatchObject({ newTakes: 2 });
  });

  it('is planned with its new takes, their cost and their uploads', async () => {
    world.engine.updateSettings(
      Settings.parse({
        baseUrl: world.service.url,
        currency: 'USD',
        prices: [{ model: 'vgen-2.0-*', per: 'second', price: 0.1 }],
      }),
    );
    const { id } = await openText();
    const plan = await drafts.plan(id, 'Day 1', false);
    expect(plan).toMatchObject({ added: ['010', '020'], newTakes: 2, currency: 'USD', unpriced: 0, uploads: [] });
    expect(plan.lines).toMatchObject([{ kind: 'video', model: 'vgen-2.0-nt', takes: 2, seconds: 11 }]);
    expect(plan.price).toBeCloseTo(1.1);
    expect(world.engine.stores.batches.list(projectId)).toEqual([]);
  });

  it('again makes new and changed shots alone, as planned', async () => {
    const { id } = await openText();
    expect(await drafts.start(id, 'Day 1', false)).toMatchObject({ newTakes: 2 });
    await world.settle();
    world.engine.queue.pause();
    await drafts.edit(id, 0, cell(1, 2, 'A long pier'));
    const plan = await drafts.plan(id, 'Day 1', false);
    expect(plan).toMatchObject({ added: [], changed: ['020'], unchanged: 1, removed: [], newTakes: 1 });
    expect(await drafts.start(id, 'Day 1', false)).toMatchObject({ newTakes: 1 });
    // What waits is not asked for twice.
    expect(await drafts.plan(id, 'Day 1', true)).toMatchObject({ newTakes: 1 });
    expect(await drafts.start(id, 'Day 1', true)).toMatchObject({ newTakes: 1 });
  });

  it('with a cap sends no more than that, and the next plan says what of it is used', async () => {
    const { id } = await openText();
    expect(await drafts.plan(id, 'Day 1', false)).toMatchObject({ cap: null, withoutPrice: ['vgen-2.0-nt'] });
    await expect(drafts.start(id, 'Day 1', false, { cap: { money: 5 } })).rejects.toMatchObject({ code: 'no_price' });
    expect(world.engine.stores.batches.list(projectId)).toEqual([]);
    await drafts.start(id, 'Day 1', false, { cap: { takes: 1 } });
    expect(await world.settle()).toMatchObject({ is: 'halted', gate: { reason: 'cap_reached' } });
    expect(world.posts()).toHaveLength(1);
    const { cap } = await drafts.plan(id, 'Day 1', false);
    expect(cap).toMatchObject({ cap: { money: null, takes: 1 }, spent: { takes: 1 } });
  });

  it('twice at once makes its takes once', async () => {
    const { id } = await openText();
    const [first, second] = await Promise.all([drafts.start(id, 'Day 1', false), drafts.start(id, 'Day 1', false)]);
    expect([first?.newTakes, second?.newTakes]).toEqual([2, 0]);
  });

  it('is refused while an error is open, and for a list without shots', async () => {
    const wrong = await openText('shot,model,prompt\n1,,A boat\n');
    await expect(drafts.start(wrong.id, 'Day 1', false)).rejects.toMatchObject({ code: 'list_has_errors' });
    const skipped = await openText('shot,model,prompt,skip\n1,vgen-2.0-nt,A boat,yes\n');
    await expect(drafts.plan(skipped.id, 'Day 1', false)).rejects.toMatchObject({ code: 'list_is_empty' });
    expect(world.jobs()).toEqual([]);
  });

  it('from a batch gives back its list', async () => {
    const first = await openText('shot,model,prompt,duration,param.seed,Scene\n007,vgen-2.0-nt,A boat,5,42,Harbour\n');
    const { batch } = await drafts.start(first.id, 'Day 1', false);
    const again = await drafts.open(projectId, { type: 'batch', batchId: batch.id }, {});
    expect(again).toMatchObject({ name: 'Day 1', rows: 1 });
    expect(await drafts.plan(again.id, 'Day 1', false)).toMatchObject({ unchanged: 1, changed: [], newTakes: 0 });
    // It goes where it came from, by whichever name.
    const other = await openText('shot,model,prompt\n1,vgen-2.0-nt,A gull\n');
    await world.act('batches.rename', { batchId: batch.id, name: 'Night one' });
    expect(await drafts.get(again.id)).toMatchObject({ name: 'Night one', isNamed: true });
    expect(await drafts.get(other.id)).toMatchObject({ name: other.name });
  });
});

describe('a batch as a list', () => {
  const words = fc.stringMatching(/^[A-Za-z][A-Za-z ,"';|é\n]{0,20}[a-z]$/);
  // A field that a column sends under any of its names is refused: "length" is the duration.
  const addedName = fc
    .stringMatching(/^[a-z]{3,6}$/)
    .filter((name) => !['model', 'prompt'].includes(name) && columnThatSends(name, 'video') === undefined);
  const shot: fc.Arbitrary<ShotSpec> = fc.record({
    key: fc.stringMatching(/^[0-9A-Z]{1,4}$/),
    kind: fc.constant('video' as const),
    model: fc.constant('vgen-2.0-nt'),
    prompt: words,
    takes: fc.integer({ min: 1, max: 5 }),
    params: fc.record(
      { duration: fc.integer({ min: 4, max: 15 }), aspect_ratio: fc.constant('16:9'), watermark: fc.boolean() },
      { requiredKeys: [] },
    ),
    extra: fc.dictionary(addedName, fc.stringMatching(/^[a-z0-9]{1,6}$/), { maxKeys: 2 }),
    columns: fc.dictionary(fc.stringMatching(/^Z[a-z]{3,6}q$/), words, { maxKeys: 2 }),
    priority: fc.integer({ min: -5, max: 5 }),
  });

  it('has no formula for a spreadsheet program, and every cell as it was once it is read', async () => {
    const start = fc.constantFrom('=', '+', '-', '@', "'", "'=", ' =', '＝', '-3', '');
    const cell = fc.tuple(start, fc.stringMatching(/^[a-z0-9()]{1,8}$/)).map(([before, text]) => before + text);
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 4 }), async (cells) => {
        const text = csvText(
          ['shot', 'prompt'],
          cells.map((each, row) => [String(row), each]),
        );
        expect(text).not.toMatch(/,\s*[=+@＝](?!\d+\r)|,-\D/);
        const table = await readTable({ bytes: Buffer.from(text) });
        expect(table.rows.map(([, prompt]) => prompt)).toEqual(cells);
      }),
    );
  });

  it('reads as the shots it was made of', async () => {
    const lists = fc.uniqueArray(shot, { selector: ({ key }) => key, minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(lists, async (shots) => {
        const { headers, rows } = shotsAsTable(shots);
        const table = await readTable({ bytes: Buffer.from(csvText(headers, rows)) });
        const read = await checkList(table, { listFolder: '/' });
        expect(read.defects.filter(({ severity }) => severity === 'error')).toEqual([]);
        expect(read.shots.map(contentHash)).toEqual(shots.map(contentHash));
        expect(read.shots.map(({ key, takes, priority }) => ({ key, takes, priority }))).toEqual(
          shots.map(({ key, takes, priority }) => ({ key, takes, priority })),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('an estimate', () => {
  const video = (change: Partial<ShotSpec> = {}): ShotSpec => ({
    key: '1',
    kind: 'video',
    model: 'vgen-2.0-nt',
    prompt: 'x',
    takes: 1,
    params: { duration: 5 },
    extra: {},
    columns: {},
    priority: 0,
    ...change,
  });
  const still = video({ kind: 'image', model: 'image-demo', params: { n: 4 } });
  const prices = (...lines: Settings['prices']) => Settings.parse({ prices: lines, currency: 'EUR' });

  it.each([
    ['take', 3],
    ['second', 15],
    ['output', 3],
  ] as const)('of three takes of five seconds by the %s', (per, price) => {
    const told = estimate([{ shot: video(), takes: 3 }], prices({ model: 'vgen-2.0-nt', per, price: 1 }));
    expect(told).toMatchObject({ price, unpriced: 0, newTakes: 3, currency: 'EUR' });
  });

  it('counts the images of a take', () => {
    expect(estimate([{ shot: still, takes: 2 }], prices({ model: 'image-*', per: 'output', price: 0.5 })).price).toBe(
      4,
    );
  });

  it('takes the first line that fits, and says what no line fits', () => {
    const settings = prices(
      { model: 'vgen-*', per: 'take', price: 1 },
      { model: 'vgen-2.0-nt', per: 'take', price: 9 },
    );
    const told = estimate(
      [
        { shot: video(), takes: 1 },
        { shot: still, takes: 2 },
      ],
      settings,
    );
    expect(told).toMatchObject({ price: 1, unpriced: 2 });
    expect(told.lines.find(({ kind }) => kind === 'image')?.price).toBeNull();
  });

  it('has no price by the second for a length that the model chooses', () => {
    const open = video({ params: { duration: -1 } });
    const told = estimate([{ shot: open, takes: 1 }], prices({ model: '*', per: 'second', price: 1 }));
    expect(told).toMatchObject({ price: null, unpriced: 1, lines: [{ seconds: null }] });
  });
});
