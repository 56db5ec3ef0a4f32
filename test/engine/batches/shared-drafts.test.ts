import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DraftEdit } from '../../../src/contract/batch.ts';
import type { Drafts } from '../../../src/engine/batches/drafts.ts';
import { World } from '../../support/world.ts';

const LIST = 'shot;model;prompt;duration\n010;vgen-2.0-nt;A boat;5\n020;vgen-2.0-nt;A pier;6\n';
const PROMPT = 2;

let world: World;
let drafts: Drafts;
let id: string;

beforeEach(async () => {
  world = await World.open();
  drafts = (await world.start()).drafts;
  const projectId = (await world.engine.projects.open(world.projectPath)).id;
  ({ id } = await drafts.open(projectId, { type: 'text', name: 'day1.csv', text: LIST }, {}));
});

afterEach(() => world.close());

const one = { by: 'one window' };
const other = { by: 'another window' };
const prompt = (row: number, value: string, was?: string): DraftEdit => ({
  type: 'cells',
  cells: [{ row, column: PROMPT, value, ...(was !== undefined && { was }) }],
});
const rowAbove: DraftEdit = { type: 'insert', after: null, rows: [[]] };
const prompts = async () => (await drafts.rows(id, 0, 100)).rows.map((row) => row[PROMPT]);

describe('a draft that two windows edit', () => {
  it('has a text put into the row it was written for, wherever another window has moved that', async () => {
    await drafts.edit(id, 0, rowAbove, other);
    await drafts.edit(id, 0, prompt(1, 'A long pier', 'A pier'), one);
    expect(await prompts()).toEqual(['', 'A boat', 'A long pier']);
  });

  it('takes edits of different cells at once', async () => {
    await Promise.all([
      drafts.edit(id, 0, prompt(0, 'A ship', 'A boat'), one),
      drafts.edit(id, 0, prompt(1, 'A quay', 'A pier'), other),
    ]);
    expect(await prompts()).toEqual(['A ship', 'A quay']);
  });

  it('refuses a text for a cell that the other one has written into, and keeps what stands there', async () => {
    await drafts.edit(id, 0, prompt(0, 'A ship', 'A boat'), other);
    const late = drafts.edit(id, 0, prompt(0, 'A raft', 'A boat'), one);
    await expect(late).rejects.toMatchObject({ code: 'cell_changed' });
    expect(await prompts()).toEqual(['A ship', 'A pier']);
    // Both wrote the same: there is nothing to choose between.
    await drafts.edit(id, 0, prompt(0, 'A ship', 'A boat'), one);
  });

  it('refuses a text for a row that is gone, and the removal of a row the other one has edited', async () => {
    await drafts.edit(id, 0, prompt(0, 'A ship', 'A boat'), other);
    const removal = drafts.edit(id, 0, { type: 'remove', rows: [0] }, one);
    await expect(removal).rejects.toMatchObject({ code: 'row_changed' });
    await drafts.edit(id, 1, { type: 'remove', rows: [0] }, one);
    await expect(drafts.edit(id, 1, prompt(0, 'A raft'), other)).rejects.toMatchObject({ code: 'row_gone' });
    expect(await prompts()).toEqual(['A pier']);
  });

  it('takes no second choice of what a column means that was made on an older list', async () => {
    await drafts.edit(id, 0, { type: 'kind', kind: 'image' }, other);
    const late = drafts.edit(id, 0, { type: 'kind', kind: 'music' }, one);
    await expect(late).rejects.toMatchObject({ code: 'draft_changed' });
    expect(await drafts.edit(id, 0, { type: 'kind', kind: 'video' }, other)).toMatchObject({ kind: 'video' });
  });

  it('calls no row of a new reading as one of the old', async () => {
    await drafts.edit(id, 0, rowAbove, one);
    const reread = drafts.reread(id, { delimiter: ';' }, 0);
    await expect(reread).rejects.toMatchObject({ code: 'draft_changed' });
    await drafts.reread(id, { delimiter: ';' }, 1);
    expect((await drafts.rows(id, 0, 10)).ids).toEqual([3, 4]);
    await expect(drafts.edit(id, 2, prompt(1, 'A raft', 'A pier'), one)).rejects.toMatchObject({ code: 'row_gone' });
  });
});

describe('undo in a draft that two windows edit', () => {
  it('is refused for what the other one did, until it is asked for by its revision', async () => {
    await drafts.edit(id, 0, prompt(0, 'A ship'), one);
    await drafts.edit(id, 1, prompt(1, 'A quay'), other);
    await expect(drafts.undo(id, one.by)).rejects.toMatchObject({ code: 'not_yours' });
    await expect(drafts.undo(id, one.by, 1)).rejects.toMatchObject({ code: 'draft_changed' });
    expect(await prompts()).toEqual(['A ship', 'A quay']);
    await drafts.undo(id, one.by, 2);
    await expect(drafts.redo(id, other.by)).rejects.toMatchObject({ code: 'not_yours' });
    await drafts.undo(id, one.by);
    expect(await prompts()).toEqual(['A boat', 'A pier']);
  });

  it('knows whose step is whose after a restart', async () => {
    await drafts.edit(id, 0, prompt(0, 'A ship'), one);
    drafts = (await world.restart()).drafts;
    await expect(drafts.undo(id, other.by)).rejects.toMatchObject({ code: 'not_yours' });
    expect(await drafts.undo(id, one.by)).toMatchObject({ canUndo: false });
  });
});

describe('an edit that is sent again because its answer was lost', () => {
  it('is made once, and tells the same rows', async () => {
    const added: DraftEdit = { type: 'cells', cells: [], added: [['030'], ['040']] };
    const sent = { ...one, editId: 'an edit' };
    const first = await drafts.edit(id, 0, added, sent);
    expect(first).toMatchObject({ rows: 4, revision: 1, newRowsFrom: 2 });
    expect(await drafts.edit(id, 0, added, sent)).toMatchObject({ rows: 4, revision: 1, newRowsFrom: 2 });
    drafts = (await world.restart()).drafts;
    expect(await drafts.edit(id, 0, added, sent)).toMatchObject({ rows: 4, revision: 1, newRowsFrom: 2 });
    expect((await drafts.rows(id, 0, 10)).ids).toEqual([0, 1, 2, 3]);
  });
});

describe('a draft that was started', () => {
  it('says as which batch, until it is edited', async () => {
    const { batch } = await drafts.start(id, 'Day 1', false);
    expect(await drafts.get(id)).toMatchObject({ startedAs: batch.id });
    drafts = (await world.restart()).drafts;
    expect(await drafts.get(id)).toMatchObject({ startedAs: batch.id });
    expect(await drafts.edit(id, 0, prompt(0, 'A ship'), one)).toMatchObject({ startedAs: null });
  });

  it('is not started when another window has edited it since it was looked at', async () => {
    await drafts.edit(id, 0, prompt(0, 'A ship'), other);
    await expect(drafts.start(id, 'Day 1', false, { revision: 0 })).rejects.toMatchObject({ code: 'draft_changed' });
    expect(world.jobs()).toEqual([]);
    expect(await drafts.start(id, 'Day 1', false, { revision: 1 })).toMatchObject({ newTakes: 2 });
  });
});
