import { readdirSync, readFileSync, rmSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

const batches = () => world.engine.views.batches(world.projectId);
const batch = (name = 'Day 1') => {
  const found = batches().find((each) => each.name === name);
  if (!found) throw new Error(`no batch ${name}`);
  return found;
};
const fileOf = (id: string) => join(world.projectPath, '.dailies', 'batches', `${id}.json`);
const nameInFile = (id: string) => (JSON.parse(readFileSync(fileOf(id), 'utf8')) as { name: string }).name;

describe('a renamed batch', () => {
  it('has the name in the database and in its file, and is not made again under it', async () => {
    await world.run([shot(1), shot(2)]);
    const { id } = batch();
    await world.act('batches.rename', { batchId: id, name: '  First day ' });
    expect(batch('First day')).toMatchObject({ id, folder: 'Day 1', shots: 2 });
    expect(nameInFile(id)).toBe('First day');
    await world.run([shot(1), shot(2)], { name: 'First day' });
    expect(world.posts()).toHaveLength(2);
    await world.import([shot(3)], { name: 'Day 2' });
    await expect(world.act('batches.rename', { batchId: id, name: 'Day 2' })).rejects.toMatchObject({
      code: 'batch_exists',
    });
    await expect(world.act('batches.rename', { batchId: id, name: ' ' })).rejects.toMatchObject({
      code: 'name_missing',
    });
    const long = 'n'.repeat(201);
    await expect(world.act('batches.rename', { batchId: id, name: long })).rejects.toMatchObject({
      code: 'name_too_long',
    });
    await expect(world.import([shot(4)], { name: long })).rejects.toMatchObject({ code: 'name_too_long' });
    await world.openOn('elsewhere');
    expect(batches().map(({ name }) => name)).toContain('First day');
  });

  it('gets its file with the next start where it could not be written', async () => {
    await world.run([shot(1)]);
    const { id } = batch();
    const kept = readFileSync(fileOf(id), 'utf8');
    rmSync(fileOf(id));
    mkdirSync(fileOf(id));
    await world.engine.commands.run('batches.rename', { batchId: id, name: 'First day' }, 'command');
    expect(batch('First day').id).toBe(id);
    expect(world.log.lines.join('\n')).toContain('The file of a batch could not be written');
    rmSync(fileOf(id), { recursive: true });
    writeFileSync(fileOf(id), kept);
    await world.restart();
    await world.openProject();
    expect(nameInFile(id)).toBe('First day');
    expect(readdirSync(join(world.projectPath, '.dailies', 'batches'))).toHaveLength(1);
  });
});

describe('an archived batch', () => {
  it('takes no list and no new take until it is opened again', async () => {
    await world.import([shot(1)]);
    await expect(world.act('batches.archive', { batchId: batch().id })).rejects.toMatchObject({ code: 'batch_busy' });
    await world.settle();
    const { id } = batch();
    await world.act('batches.archive', { batchId: id });
    expect(batch().archivedAt).not.toBeNull();
    const archived = { code: 'batch_archived' };
    await expect(world.import([shot(1)], { again: true })).rejects.toMatchObject(archived);
    const take = { takeId: world.job('0001').id, changes: { cells: {} } };
    await expect(world.engine.review.another(take)).rejects.toMatchObject(archived);
    await expect(world.act('batches.rename', { batchId: id, name: 'other' })).rejects.toMatchObject(archived);
    await world.act('batches.unarchive', { batchId: id });
    expect(batch().archivedAt).toBeNull();
    await world.run([shot(1)], { again: true });
    expect(world.posts()).toHaveLength(2);
  });
});

describe('a duplicated batch', () => {
  it('is a list with a free name of its own, that would make its takes as another batch', async () => {
    await world.run([shot(1), shot(2)]);
    await world.import([shot(9)], { name: 'Day 1 copy' });
    const { id, projectId } = batch();
    const draft = await world.engine.drafts.open(projectId, { type: 'batch', batchId: id, copyAs: 'Day 1 copy' }, {});
    expect(draft).toMatchObject({ name: 'Day 1 copy 2', isNamed: true, rows: 2, startedAs: null });
    const plan = await world.engine.drafts.plan(draft.id, draft.name, false);
    expect(plan).toMatchObject({ newTakes: 2, added: ['0001', '0002'] });
    expect(
      batches()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['Day 1', 'Day 1 copy']);
  });
});

describe('notes on a batch', () => {
  it('are kept, and told to every window', async () => {
    await world.run([shot(1)]);
    const { id, projectId } = batch();
    const told: string[] = [];
    world.engine.subscribe((event) => told.push(JSON.stringify(event)));
    await world.act('batches.setNotes', { batchId: id, notes: ' The red door is too dark. ' });
    expect(told).toContain(JSON.stringify({ type: 'batches', projectId }));
    await world.restart();
    expect(batch().notes).toBe('The red door is too dark.');
  });
});
