import type { Text } from '../../../src/contract/messages/message.ts';
import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAgreed } from '../../../src/engine/library/needs.ts';
import { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { asMedium, files, formOf, starting, submitsOf, uploadsOf, expectSaved } from './media.ts';

let world: World;
/** A picture in a folder that no list and no project is in. */
let secret: string;
beforeEach(async () => {
  world = await World.open();
  secret = join(realpathSync(dirname(world.folder)), `${world.folder.split('/').at(-1) ?? ''}-ssh`, 'id.png');
  mkdirSync(dirname(secret));
  writeFileSync(secret, asMedium('id.png', 'a private picture'));
});
afterEach(async () => {
  await world.close();
});

const refusal = { code: 'files_outside', text: expect.saying(/\(shot 0001\)/) as Text };

const editing = (image: string) =>
  shot(1, { kind: 'image', model: 'image-demo', params: { operation: 'edit', image } });

describe('a file outside the folders of the list and the project', () => {
  it('is sent only once a person has agreed to it, and nothing is stored before', async () => {
    await world.start();
    await expect(world.import([starting(1, secret)])).rejects.toMatchObject(refusal);
    await expect(world.import([editing(secret)])).rejects.toMatchObject(refusal);
    expect(world.jobs()).toEqual([]);

    await world.run([starting(1, secret)], { agreed: [secret] });
    expectSaved(world, 1, 1);
    await world.restart();
    await world.run([starting(1, secret), starting(2, secret)]);
    expect(world.counts()).toMatchObject({ saved: 2 });
  });

  it('is agreed to for one project only', async () => {
    await world.run([starting(1, secret)], { agreed: [secret] });
    world.projectPath = join(world.folder, 'another film');
    await expect(world.import([starting(1, secret)])).rejects.toMatchObject(refusal);
  });

  it('is one that a link beside the list leads to', async () => {
    await world.start();
    symlinkSync(secret, join(world.folder, 'hero.png'));
    symlinkSync(dirname(secret), join(world.folder, 'refs'));
    await expect(world.import([starting(1, 'hero.png')])).rejects.toMatchObject(refusal);
    await expect(world.import([starting(1, 'refs/id.png')])).rejects.toMatchObject({
      text: expect.saying(new RegExp(secret)) as Text,
    });
  });

  it('is not uploaded where a link has taken the place of a picture since', async () => {
    await world.start();
    files(world, { 'a.png': 'a', 'b.png': 'b' });
    await world.import([starting(1, 'a.png'), { ...editing('b.png'), key: '0002' }]);
    for (const name of ['a.png', 'b.png']) {
      renameSync(join(world.folder, name), join(world.folder, `old ${name}`));
      symlinkSync(secret, join(world.folder, name));
    }
    await world.settle();
    expect(world.service.ledger.posts()).toEqual([]);
    for (const key of ['0001', '0002']) {
      expect(world.job(key)).toMatchObject({
        state: 'rejected',
        failure: {
          cost: 'nothing',
          message: expect.saying(new RegExp(`${secret} .*was not allowed to be sent`)) as Text,
          remedy: expect.saying(/allow it to be sent/) as Text,
        },
      });
    }
  });

  it('is not smuggled in by a foreign project, whose batch names its folder as that of the list', async () => {
    await world.start();
    files(world, { 'id.png': 'theirs', 'b.png': 'b' });
    world.fault({ method: 'POST', times: 'always' }, { fault: 'status', status: 400 });
    await world.run([starting(1, 'id.png'), { ...editing('b.png'), key: '0002' }]);
    expect(world.counts()).toMatchObject({ failed: 2 });
    await world.stop();
    const batches = join(world.projectPath, '.dailies', 'batches');
    for (const name of readdirSync(batches)) {
      const file = JSON.parse(readFileSync(join(batches, name), 'utf8')) as object;
      writeFileSync(join(batches, name), JSON.stringify({ ...file, listFolder: dirname(secret) }));
    }
    world.moveTo('victim');
    writeFileSync(join(dirname(secret), 'b.png'), asMedium('b.png', 'another'));
    const sent = uploadsOf(world).length;
    const posts = world.service.ledger.posts().length;
    world.service.faults.clear();
    const victim = await world.start();
    const { id: projectId } = await victim.projects.open(world.projectPath);

    expect(world.jobs()).toHaveLength(2);
    for (const { id } of world.jobs()) expect(victim.jobs.retry(id)).toMatchObject({ ok: true });
    await world.settle();
    expect(world.counts()).toMatchObject({ failed: 2 });
    expect(uploadsOf(world)).toHaveLength(sent);
    expect(world.service.ledger.posts()).toHaveLength(posts);

    const [batch] = victim.stores.batches.list(projectId);
    const { drafts } = victim;
    const draft = await drafts.open(projectId, { type: 'batch', batchId: batch?.id ?? '' }, {});
    const { outside } = await drafts.plan(draft.id, 'Day 2', false);
    expect(outside).toEqual([
      { path: secret, shots: ['0001'] },
      { path: join(dirname(secret), 'b.png'), shots: ['0002'] },
    ]);
    await expect(drafts.start(draft.id, 'Day 2', false)).rejects.toMatchObject(refusal);
    await drafts.start(draft.id, 'Day 2', false, { agreed: outside.map(({ path }) => path) });
    expect((await drafts.plan(draft.id, 'Day 3', false)).outside).toEqual([]);
    await world.settle();
    expect(world.counts()).toMatchObject({ saved: 2, failed: 2 });
  });

  it('is not looked at for a foreign project whose list lay on another machine: Windows would log in there', async () => {
    await world.start();
    files(world, { 'id.png': 'theirs', 'film/id.png': 'theirs' });
    await world.run([starting(1, 'id.png')]);
    await world.stop();
    const [name = ''] = readdirSync(join(world.projectPath, '.dailies', 'batches'));
    const file = join(world.projectPath, '.dailies', 'batches', name);
    const batch = JSON.parse(readFileSync(file, 'utf8')) as object;
    const share = `/${dirname(secret)}`;
    writeFileSync(file, JSON.stringify({ ...batch, listFolder: share }));
    world.moveTo('victim');
    const { projects, stores, drafts } = await world.start();
    const { batches } = stores;
    const { id: projectId, path } = await projects.open(world.projectPath);
    const [adopted] = batches.list(projectId);
    expect(batches.named(projectId, 'Day 1')?.listFolder).toBe(path);
    const draft = await drafts.open(projectId, { type: 'batch', batchId: adopted?.id ?? '' }, {});
    const list = join(path, '.dailies', 'drafts', `${draft.id}.json`);
    writeFileSync(list, readFileSync(list, 'utf8').replace(JSON.stringify(path), JSON.stringify(share)));
    await world.restart();
    expect((await world.engine.drafts.plan(draft.id, 'Day 2', false)).outside).toEqual([]);
  });

  it('is none of those below the folder of a list that a person opens, or below the project’s', async () => {
    const { drafts, projects } = await world.start();
    const { id } = await projects.open(world.projectPath);
    const list = `model;prompt;first_frame\nvgen-2.0-nt;A boat;id.png\nvgen-2.0-nt;A pier;${world.projectPath}/a.png\n`;
    files(world, { 'film/a.png': 'a' });
    writeFileSync(join(dirname(secret), 'list.csv'), list);
    const draft = await drafts.open(id, { type: 'path', path: join(dirname(secret), 'list.csv') }, {});
    expect((await drafts.plan(draft.id, 'Day 1', false)).outside).toEqual([]);
    await drafts.start(draft.id, 'Day 1', false);
    await world.settle();
    const uploaded = uploadsOf(world).map((entry) => formOf(entry).files[0]?.fileName);
    expect(uploaded.sort()).toEqual(['a.png', 'id.png']);
    expect(submitsOf(world)).toHaveLength(2);
  });

  it('is none of those that a person made a list of; what lies beside them is one', async () => {
    const { drafts, projects } = await world.start();
    const { id } = await projects.open(world.projectPath);
    const beside = join(dirname(secret), 'other.png');
    writeFileSync(beside, asMedium('other.png', 'other'));
    const draft = await drafts.open(id, { type: 'media', paths: [secret] }, {});
    expect(draft).toMatchObject({ name: 'id', rows: 1 });
    const outside = async () => (await drafts.plan(draft.id, 'Day 1', false)).outside.map(({ path }) => path);
    const prompt = draft.columns.findIndex(({ column }) => column === 'prompt');
    const model = draft.columns.findIndex(({ column }) => column === 'model');
    const frame = draft.columns.findIndex(({ column }) => column === 'first_frame');
    let { revision } = draft;
    const fill = async (column: number, text: string) => {
      ({ revision } = await drafts.edit(draft.id, revision, {
        type: 'cells',
        cells: [{ row: 0, column, value: text }],
      }));
    };
    await fill(prompt, 'A boat');
    await fill(model, 'vgen-2.0-nt');
    expect(await outside()).toEqual([]);
    await fill(frame, beside);
    expect(await outside()).toEqual([beside]);
  });
});

describe('a folder', () => {
  it('agrees to what is below it, and to nothing else', () => {
    expect(isAgreed('/lists/day/a.png', new Set(['/lists']), '/home/ana')).toBe(true);
    expect(isAgreed('/lists/..a.png', new Set(['/lists']), '/home/ana')).toBe(true);
    expect(isAgreed('/lists2/a.png', new Set(['/lists']), '/home/ana')).toBe(false);
    expect(isAgreed('/a.png', new Set(['/lists']), '/home/ana')).toBe(false);
    expect(isAgreed('/home/ana/film/a.png', new Set(['/home/ana/film']), '/home/ana')).toBe(true);
  });

  it.each(['/', '/home', '/home/ana'])('that holds the whole home agrees to nothing: %s', (folder) => {
    expect(isAgreed('/home/ana/.ssh/id.png', new Set([folder]), '/home/ana')).toBe(false);
  });
});
