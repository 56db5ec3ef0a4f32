import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DraftEdit } from '../../../src/contract/batch.ts';
import type { Drafts } from '../../../src/engine/batches/drafts.ts';
import { sayText } from '../../../src/contract/messages/words.ts';
import { World } from '../../support/world.ts';

let world: World;
let drafts: Drafts;
let projectId: string;

beforeEach(async () => {
  world = await World.open();
  drafts = (await world.start()).drafts;
  projectId = (await world.engine.projects.open(world.projectPath)).id;
});

afterEach(() => world.close());

const open = (text = 'shot,model,words,durration\n010,vgen-2.0-nt,A boat,5\n020,vgen-2.0-nt\n') =>
  drafts.open(projectId, { type: 'text', name: 'day.csv', text }, {});
const rename = (column: number, header: string): DraftEdit => ({ type: 'rename_column', column, header });
const remove = (column: number): DraftEdit => ({ type: 'remove_column', column });
const headersOf = async (id: string) => (await drafts.get(id)).columns.map(({ header, column }) => [header, column]);

describe('a column of a draft', () => {
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
    drafts = (await world.restart()).drafts;
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
