import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/contract/events.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const HOUR = 3_600_000;

let world: World;
forEachTest((opened) => (world = opened));

const place = (name: string): string => join(world.folder, name);
const onlyProject = () => {
  const [project] = world.engine.stores.projects.list();
  if (!project) throw new Error('there is no project');
  return project;
};
const rename = (name: string) =>
  world.whilePumping(world.act('projects.rename', { projectId: onlyProject().id, name }));
const nameInFolder = (folder: string) =>
  (JSON.parse(readFileSync(join(folder, '.dailies', 'project.json'), 'utf8')) as { name: string }).name;

const speech = (index: number) =>
  shot(index, { kind: 'speech', model: 'speech-demo', params: { voice: 'alto', response_format: 'flac' } });

describe('a renamed project', () => {
  it('has its folder and every path that leads into it under the new name, and goes on there', async () => {
    const list = join(world.projectPath, 'lists');
    mkdirSync(list);
    await world.run([shot(1)]);
    const project = await world.openProject();
    const agreed = [realpathSync(list)];
    const more = { project, name: 'Day 2', listFolder: list, source: 'b.csv', shots: [shot(2)], again: false, agreed };
    await world.engine.batches.start(more);
    const told: EngineEvent[] = [];
    world.engine.subscribe((event) => told.push(event));

    await rename('Film: the end');

    const folder = place('Film_ the end');
    expect(onlyProject()).toEqual({ id: project.id, name: 'Film: the end', path: folder });
    expect(existsSync(place('film'))).toBe(false);
    expect(nameInFolder(folder)).toBe('Film: the end');
    expect(told).toContainEqual({ type: 'project', projectId: project.id });
    expect(world.engine.stores.batches.named(project.id, 'Day 2')?.listFolder).toBe(join(folder, 'lists'));
    expect(world.engine.stores.batches.named(project.id, 'Day 1')?.listFolder).toBe(world.folder);
    expect(world.sql('SELECT path FROM agreed_paths')).toContainEqual({ path: join(folder, 'lists') });
    expect(world.sql('SELECT COUNT(*) AS count FROM project_renames')).toEqual([{ count: 0 }]);

    await world.settle();
    await world.restart();
    expect(world.counts()).toMatchObject({ saved: 2, failed: 0 });
    expect(readdirSync(join(folder, 'Day 2')).some((file) => file.endsWith('.mp4'))).toBe(true);
    expect(world.posts()).toHaveLength(2);
    expect(
      world.sql(`SELECT actor, facts ->> '$.before' AS before FROM history WHERE code = 'project.renamed'`),
    ).toEqual([{ actor: 'window', before: 'film' }]);
  });

  it('is refused where the name is taken, where the folder is a link, and without a name; nothing changes', async () => {
    await world.run([shot(1)]);
    mkdirSync(place('taken'));
    await expect(rename('taken')).rejects.toMatchObject({ code: 'folder_exists' });
    await expect(rename('  ')).rejects.toMatchObject({ code: 'name_missing' });
    await expect(rename('n'.repeat(201))).rejects.toMatchObject({ code: 'name_too_long' });
    expect(onlyProject()).toMatchObject({ name: 'film', path: world.projectPath });

    await world.stop();
    renameSync(world.projectPath, place('real'));
    symlinkSync(place('real'), world.projectPath);
    await world.start();
    await expect(rename('other')).rejects.toMatchObject({ code: 'project_is_link' });
    expect(onlyProject()).toMatchObject({ name: 'film', path: world.projectPath });
    expect(nameInFolder(place('real'))).toBe('film');
  });

  it('waits for a request that was begun, and begins no other', async () => {
    await worldWithAnswersAfter(20_000);
    const renamed = world.act('projects.rename', { projectId: onlyProject().id, name: 'second name' });
    await world.import([speech(2)], { name: 'Day 2' });
    await world.pass(10_000);
    expect(world.posts()).toHaveLength(1);
    expect(onlyProject().name).toBe('film');
    await world.whilePumping(renamed);
    await world.comesTo({ saved: 2, posts: 2 });
    expect(onlyProject().name).toBe('second name');
  });

  it('gives up where a request does not end, and has its old name', async () => {
    await worldWithAnswersAfter(60_000);
    await expect(rename('second name')).rejects.toMatchObject({ code: 'project_working' });
    await world.settle();
    expect(onlyProject()).toMatchObject({ name: 'film', path: world.projectPath });
    world.has({ saved: 1, posts: 1 });
  });

  /** One request is under way. */
  async function worldWithAnswersAfter(speechMs: number): Promise<void> {
    world = await World.open({ service: { speed: { speechMs } } });
    await world.begin([speech(1)]);
    await world.until('a request under way', () => world.engine.queue.status().underWay.submit === 1);
  }
});

describe('a rename that was cut off', () => {
  const intent = (to: string) =>
    world.sql(
      `INSERT INTO project_renames SELECT id, path, ?, name, 'new name', 'command', 5 FROM projects`,
      place(to),
    );

  it('is ended where the folder has its new name already', async () => {
    await world.run([shot(1)]);
    await world.stop();
    intent('new name');
    renameSync(world.projectPath, place('new name'));
    await world.start();
    expect(onlyProject()).toMatchObject({ name: 'new name', path: place('new name') });
    expect(nameInFolder(place('new name'))).toBe('new name');
    expect(world.counts()).toMatchObject({ saved: 1, failed: 0 });
  });

  it('is taken back where it has not, and waits while the disk is away', async () => {
    await world.run([shot(1)]);
    await world.stop();
    intent('new name');
    const file = join(world.projectPath, '.dailies', 'project.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"film"', '"new name"'));
    renameSync(world.projectPath, place('unplugged'));
    await world.restart();
    expect(world.sql('SELECT COUNT(*) AS count FROM project_renames')).toEqual([{ count: 1 }]);
    await world.stop();
    renameSync(place('unplugged'), world.projectPath);
    await world.start();
    expect(onlyProject()).toMatchObject({ name: 'film', path: world.projectPath });
    expect(nameInFolder(world.projectPath)).toBe('film');
    expect(world.sql('SELECT COUNT(*) AS count FROM project_renames')).toEqual([{ count: 0 }]);
    expect(world.counts()).toMatchObject({ saved: 1, failed: 0 });
  });
});

describe('an archived project', () => {
  it('is off the list, read only, and nothing of it goes on until it is opened again', async () => {
    world.fault({ method: 'POST', prompt: 'Shot 2', times: 'always' }, { fault: 'status', status: 400 });
    await world.run([shot(1), shot(2)]);
    const { id } = onlyProject();
    await world.act('projects.archive', { projectId: id });
    expect(world.engine.stores.projects.list()).toEqual([]);
    expect(await world.engine.views.projects()).toEqual([]);
    expect(await world.engine.views.archived()).toMatchObject([{ id, name: 'film' }]);
    const archived = { code: 'project_archived' };
    await expect(world.openProject()).rejects.toMatchObject(archived);
    await expect(world.act('projects.rename', { projectId: id, name: 'other' })).rejects.toMatchObject(archived);
    await expect(
      world.engine.review.another({ takeId: world.job('0001').id, changes: { cells: {} } }),
    ).rejects.toMatchObject(archived);
    const verdict = { ids: [world.job('0001').id], verdict: { rating: 5 }, by: '' };
    await expect(world.act('takes.judge', verdict)).rejects.toMatchObject(archived);
    expect(world.engine.jobs.retry(world.job('0002').id)).toMatchObject({ ok: false });
    await world.restart();
    await world.comesTo({ posts: 2 });

    await world.act('projects.unarchive', { projectId: id });
    expect(onlyProject().id).toBe(id);
    expect(world.engine.jobs.retry(world.job('0002').id)).toMatchObject({ ok: true });
    await world.comesTo({ posts: 3 });
  });

  it('is refused while a take is under way or undecided', async () => {
    world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'outcome', end: 'succeeded', takesMs: HOUR });
    world.fault({ method: 'POST', prompt: 'Shot 2' }, { fault: 'reset', commit: true });
    await world.begin([shot(1), shot(2)]);
    await world.until(
      'one under way and one undecided',
      () => world.job('0001').taskId !== undefined && world.job('0002').state === 'submit_unknown',
    );
    const { id } = onlyProject();
    await expect(world.act('projects.archive', { projectId: id })).rejects.toMatchObject({ code: 'project_busy' });
    await world.settle();
    await expect(world.act('projects.archive', { projectId: id })).rejects.toMatchObject({ code: 'project_busy' });
    world.engine.jobs.resolve(world.job('0002').id, { action: 'lost' });
    await world.act('projects.archive', { projectId: id });
    expect(world.engine.stores.projects.list()).toEqual([]);
  });
});
