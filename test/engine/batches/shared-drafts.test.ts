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
const prompt = (row: number, value: string): DraftEdit => ({
  type: 'cells',
  cells: [{ row, column: PROMPT, value }],
});
const prompts = async () => (await drafts.rows(id, 0, 100)).rows.map((row) => row[PROMPT]);

describe('a list that one window edits', () => {
  it('is changed by no other window, whatever that asks for', async () => {
    await drafts.claim(id, one.by);
    for (const refused of [
      drafts.edit(id, 0, prompt(0, 'A raft'), other),
      drafts.undo(id, other.by),
      drafts.redo(id, other.by),
      drafts.reread(id, { delimiter: ',' }, other.by),
    ]) {
      await expect(refused).rejects.toMatchObject({ code: 'edited_elsewhere' });
    }
    await drafts.edit(id, 0, prompt(0, 'A ship'), one);
    expect(await prompts()).toEqual(['A ship', 'A pier']);
  });

  it('says which window that is, and stays with it when another one only asks', async () => {
    expect(await drafts.get(id)).toMatchObject({ editedBy: null });
    expect(await drafts.claim(id, one.by)).toMatchObject({ editedBy: one.by });
    expect(await drafts.claim(id, other.by)).toMatchObject({ editedBy: one.by });
    await drafts.reread(id, { delimiter: ';' }, one.by);
    expect(await drafts.get(id)).toMatchObject({ editedBy: one.by });
  });

  it('is edited by another one once that takes it over, and undo goes on from there', async () => {
    await drafts.edit(id, 0, prompt(0, 'A ship'), one);
    expect(await drafts.claim(id, other.by, true)).toMatchObject({ editedBy: other.by });
    await expect(drafts.edit(id, 1, prompt(0, 'A raft'), one)).rejects.toMatchObject({ code: 'edited_elsewhere' });
    await drafts.undo(id, other.by);
    expect(await prompts()).toEqual(['A boat', 'A pier']);
  });

  it('is free once that window lets go of it, and goes to the next one that edits', async () => {
    await drafts.claim(id, one.by);
    drafts.release(id, other.by);
    expect(await drafts.get(id)).toMatchObject({ editedBy: one.by });
    drafts.release(id, one.by);
    expect(await drafts.edit(id, 0, prompt(0, 'A raft'), other)).toMatchObject({ editedBy: other.by });
  });

  it('is free when the last connection of that window has ended, as when it was closed or has crashed', async () => {
    const [reloaded, reloading] = [new AbortController(), new AbortController()];
    drafts.connected(one.by, reloading.signal);
    await drafts.claim(id, one.by);
    // A page that is loaded again connects before the end of its old connection is noticed.
    drafts.connected(one.by, reloaded.signal);
    reloading.abort();
    expect(await drafts.get(id)).toMatchObject({ editedBy: one.by });
    reloaded.abort();
    expect(await drafts.get(id)).toMatchObject({ editedBy: null });
  });

  it('has no text written into a list that was changed meanwhile', async () => {
    await drafts.edit(id, 0, { type: 'insert', at: 0, rows: [[]] }, other);
    await drafts.claim(id, one.by, true);
    await expect(drafts.edit(id, 0, prompt(1, 'A raft'), one)).rejects.toMatchObject({ code: 'draft_changed' });
    expect(await prompts()).toEqual(['', 'A boat', 'A pier']);
  });
});

describe('an edit that is sent again because its answer was lost', () => {
  it('is made once, also after a restart and when the list has gone to another window', async () => {
    const added: DraftEdit = { type: 'cells', cells: [], added: [['030'], ['040']] };
    const sent = { ...one, editId: 'an edit' };
    expect(await drafts.edit(id, 0, added, sent)).toMatchObject({ rows: 4, revision: 1 });
    expect(await drafts.edit(id, 0, added, sent)).toMatchObject({ rows: 4, revision: 1 });
    await drafts.claim(id, other.by, true);
    expect(await drafts.edit(id, 0, added, sent)).toMatchObject({ rows: 4, revision: 1 });
    drafts = (await world.restart()).drafts;
    expect(await drafts.edit(id, 0, added, sent)).toMatchObject({ rows: 4, revision: 1 });
  });
});

describe('a draft that was started', () => {
  it('says as which batch, until it is edited', async () => {
    const { batch } = await drafts.start(id, 'Day 1', false);
    expect(await drafts.get(id)).toMatchObject({ startedAs: batch.id });
    drafts = (await world.restart()).drafts;
    expect(await drafts.get(id)).toMatchObject({ startedAs: batch.id });
    expect(await drafts.edit(id, 0, prompt(0, 'A ship'), one)).toMatchObject({ startedAs: null, batchId: batch.id });
    const { projectId } = batch;
    expect(await drafts.open(projectId, { type: 'batch', batchId: batch.id }, {})).toMatchObject({ batchId: batch.id });
    const copy = await drafts.open(projectId, { type: 'batch', batchId: batch.id, copyAs: 'Day 2' }, {});
    expect(copy.batchId).toBeNull();
  });

  it('is not started when another window has edited it since it was looked at', async () => {
    await drafts.edit(id, 0, prompt(0, 'A ship'), other);
    await expect(drafts.start(id, 'Day 1', false, { revision: 0 })).rejects.toMatchObject({ code: 'draft_changed' });
    expect(world.jobs()).toEqual([]);
    expect(await drafts.start(id, 'Day 1', false, { revision: 1 })).toMatchObject({ newTakes: 2 });
  });
});
