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

const prompt = (row: number, value: string): DraftEdit => ({
  type: 'cells',
  cells: [{ row, column: PROMPT, value }],
});

describe('an edit that is sent again because its answer was lost', () => {
  it('is made once, also after a restart', async () => {
    const added: DraftEdit = { type: 'cells', cells: [], added: [['030'], ['040']] };
    const sent = 'an edit';
    expect(await drafts.edit(id, 0, added, sent)).toMatchObject({ rows: 4, revision: 1 });
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
    expect(await drafts.edit(id, 0, prompt(0, 'A ship'))).toMatchObject({ startedAs: null, batchId: batch.id });
    const { projectId } = batch;
    expect(await drafts.open(projectId, { type: 'batch', batchId: batch.id }, {})).toMatchObject({ batchId: batch.id });
    const copy = await drafts.open(projectId, { type: 'batch', batchId: batch.id, copyAs: 'Day 2' }, {});
    expect(copy.batchId).toBeNull();
  });

  it('is not started when another window has edited it since it was looked at', async () => {
    await drafts.edit(id, 0, prompt(0, 'A ship'));
    await expect(drafts.start(id, 'Day 1', false, { revision: 0 })).rejects.toMatchObject({ code: 'draft_changed' });
    expect(world.jobs()).toEqual([]);
    expect(await drafts.start(id, 'Day 1', false, { revision: 1 })).toMatchObject({ newTakes: 2 });
  });
});
