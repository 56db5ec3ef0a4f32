import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ListSource } from '../../../src/contract/batch.ts';
import type { Drafts } from '../../../src/engine/batches/drafts.ts';
import { World } from '../../support/world.ts';

const LIST = 'shot,model,prompt,duration\n010,vgen-2.0-nt,A boat,5\n020,vgen-2.0-nt,A pier,6\n';

let world: World;
let drafts: Drafts;
let projectId: string;
let fromBatch: ListSource;

beforeEach(async () => {
  world = await World.open();
  drafts = (await world.start()).drafts;
  projectId = (await world.engine.projects.open(world.projectPath)).id;
  world.engine.queue.pause();
  const { id } = await openText('Keeper.csv');
  const { batch } = await drafts.start(id, 'Keeper', false);
  fromBatch = { type: 'batch', batchId: batch.id };
});

afterEach(() => world.close());

const openText = (name: string) => drafts.open(projectId, { type: 'text', name, text: LIST }, {});
const editFirst = (id: string, revision: number) =>
  drafts.edit(id, revision, { type: 'cells', cells: [{ row: 0, column: 0, value: '011' }] });
const listed = async () => (await drafts.list(projectId)).map(({ id }) => id);

describe('the lists of a project', () => {
  it('are checked after a restart as soon as they are listed, though nobody opens one', async () => {
    await openText('one.csv');
    await drafts.open(projectId, { type: 'text', name: 'two.csv', text: LIST.replace(',6', ',long') }, {});
    drafts = (await world.restart()).drafts;
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
    drafts = (await world.restart()).drafts;
    expect((await drafts.open(projectId, fromBatch, {})).id).toBe(first.id);
    await editFirst(first.id, first.revision);
    const second = await drafts.open(projectId, fromBatch, {});
    expect(second.id).not.toBe(first.id);
    expect(await listed()).toEqual([second.id, first.id]);
  });

  it('read the shots of a batch again when the batch has changed', async () => {
    const first = await drafts.open(projectId, fromBatch, {});
    const other = await drafts.open(projectId, { type: 'text', name: 'k.csv', text: LIST.replace('boat', 'ship') }, {});
    await drafts.start(other.id, 'Keeper', false);
    const second = await drafts.open(projectId, fromBatch, {});
    expect(second.id).not.toBe(first.id);
    expect((await drafts.rows(second.id, 0, 1)).rows[0]).toContain('A ship');
  });

  it('are fifty at most: what was started goes first, then what a batch says as well, then nothing', async () => {
    const copy = await drafts.open(projectId, fromBatch, {});
    for (let number = (await listed()).length; number < 50; number += 1) await openText(`${number}.csv`);
    expect(await listed()).toHaveLength(50);
    await openText('one more.csv');
    expect(await listed()).toHaveLength(50);
    expect(await listed()).not.toContain(copy.id);
    await expect(openText('too many.csv')).rejects.toMatchObject({ code: 'too_many_drafts' });
  });
});
