import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Unfamiliar, unfamiliarFile } from '../../support/demo/unfamiliar.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { files, namedIn, uploadsOf } from '../library/media.ts';
import type { Fault } from '../../support/demo/service.ts';
import { readStatistics } from '../../../src/engine/queries/statistics.ts';

let world: World;
forEachTest((opened) => (world = opened));

const always = { path: '/media/*', times: 'always' } as const;
const downloads = () => world.service.ledger.downloads().length;
const inProject = (...path: string[]) => join(world.projectPath, ...path);

async function runWith(format: Unfamiliar, kind: 'video' | 'image' | 'music' = 'video'): Promise<void> {
  world.fault(always, { fault: 'format', as: format });
  const models = { video: 'vgen-2.0-cl-fast', image: 'image-demo', music: 'music-demo' };
  await world.run([shot(1, { kind, model: models[kind], ...(kind !== 'video' && { params: {} }) })]);
  await world.engine.batches.written();
}

describe('a result in a format that cannot be checked', () => {
  it.each<[Unfamiliar, string]>([
    ['avif', 'avif'],
    ['svg', 'svg'],
    ['zip', 'zip'],
    // The path of its address ends in .png, and nothing says otherwise.
    ['noise', 'png'],
  ])('is kept at once under its own extension, and marked: %s', async (format, extension) => {
    await runWith(format, 'image');
    const file = `Day 1/0001_t1.${extension}`;
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: [file] });
    expect(world.job('0001').remarks).toContain('not_verified');
    expect(readFileSync(inProject(file)).equals(unfamiliarFile(format).bytes)).toBe(true);
    expect(downloads()).toBe(1);
    expect(world.recipe().outputs).toMatchObject([{ file, format: extension, verified: false }]);
    expect(world.manifest()).toContain('not_verified');
  });

  it.each<[Unfamiliar, string]>([
    ['aac', 'aac'],
    ['wav-streamed', 'wav'],
  ])('is no such result where a look shows that it is whole: %s', async (format, extension) => {
    await runWith(format, 'music');
    const files = [`Day 1/0001_t1.${extension}`];
    expect(world.job('0001')).toMatchObject({ state: 'saved', files });
    expect(world.job('0001').remarks).toBeUndefined();
    expect(world.recipe().outputs).toMatchObject([{ format: extension, verified: true }]);
    expect(downloads()).toBe(1);
  });

  it('stays marked in another data folder', async () => {
    await runWith('avif', 'image');
    await world.openOn('other');
    expect(world.job('0001')).toMatchObject({ state: 'saved', remarks: ['not_verified'] });
  });
});

it('a result of another medium than was asked for is kept, and the take says so', async () => {
  await runWith('png');
  expect(world.job('0001')).toMatchObject({
    state: 'saved',
    files: ['Day 1/0001_t1.png'],
    remarks: ['other_medium'],
  });
  expect(world.manifest()).toContain('other_medium');
  expect(world.posts()).toHaveLength(1);
});

it('a file that is never whole is fetched again, and is kept beside the take when nothing better comes', async () => {
  world.fault(always, { fault: 'format', as: 'cut-png' });
  await world.run([shot(1, { kind: 'image', model: 'image-demo', params: {} })]);
  const { id, state, failure } = world.job('0001');
  expect(state).toBe('download_blocked');
  const kept = inProject('.dailies', 'parts', `${id}_1.damaged`);
  expect(failure?.message).toMatchObject({ values: { kept: [kept] } });
  expect(existsSync(kept)).toBe(true);
  expect(downloads()).toBeGreaterThan(4);

  world.service.faults.clear();
  world.engine.jobs.retry(id);
  await world.comesTo({ '0001': 'saved' });
  expect(readdirSync(inProject('.dailies', 'parts'))).toEqual([]);
  expect(world.posts()).toHaveLength(1);
});

it('says that another model made a take, wherever it is shown and on another machine', async () => {
  const made = { fault: 'other-model', model: 'vgen-2.0-nt-fast' } as const;
  world.fault({ method: 'GET', path: '/v1/videos/*', times: 'always' }, made);
  await world.run([shot(1)]);
  const shown = {
    state: 'saved',
    remarks: ['other_model'],
    notice: {
      code: 'other_model',
      cost: 'charged',
      message: expect.saying(/vgen-2\.0-nt-fast .*vgen-2\.0-cl-fast/) as unknown,
    },
  };
  expect(world.job('0001')).toMatchObject(shown);
  const recipes = join(world.projectPath, '.dailies', 'takes');
  expect(readFileSync(join(recipes, readdirSync(recipes)[0] ?? ''), 'utf8')).toContain('"modelUsed"');
  await world.stop();
  expect(world.manifest()).toContain('other_model');
  await world.openOn('second');
  expect(world.job('0001')).toMatchObject(shown);
});

it('says nothing of a task whose request named no model', async () => {
  const named = { fault: 'other-model', model: 'image-demo' } as const;
  world.fault({ method: 'GET', path: '/jobimg/task/*', times: 'always' }, named);
  await world.run([
    shot(1, { kind: 'image', model: 'jobimg', params: { operation: 'imagine' } }),
    shot(2, { kind: 'image', model: 'image-demo', params: {} }),
  ]);
  expect(world.jobs().map(({ state, remarks }) => [state, remarks])).toEqual([
    ['saved', undefined],
    ['saved', undefined],
  ]);
});

const references = [
  { media_type: 'image', role: 'reference_image', url: 'https://media.example/hero.png', alias: 'hero' },
];
const film = shot(1, { prompt: '@hero walks', params: { duration: 5, references } });
const submits = { method: 'POST', path: '/v1/videos' };
const statusAsked = { method: 'GET', path: '/v1/videos/*', times: 'always' as const };

describe('a reference that the service did not bind', () => {
  it('is told with the take, which is paid for and saved all the same, and what another would cost', async () => {
    world.fault(submits, { fault: 'binding', status: 'failed' });
    world.fault(statusAsked, { fault: 'binding', status: 'failed' });
    await world.run([film]);
    const { state, notice } = world.job('0001');
    expect(state).toBe('saved');
    expect(notice).toMatchObject({
      code: 'reference_not_bound',
      cost: 'charged',
      message: expect.saying(/@hero \(reference_image\)/),
      remedy: expect.saying(/charged again/),
    });
    expect(world.recipe()).toMatchObject({ state: 'saved', unbound: ['@hero (reference_image)'] });
    expect(world.service.ledger.commits).toBe(1);
  });

  it('is known on another machine that opens the folder', async () => {
    world.fault(submits, { fault: 'binding', status: 'failed' });
    world.fault(statusAsked, { fault: 'binding', status: 'failed' });
    await world.run([film]);
    await world.openOn('second');
    expect(world.job('0001').notice?.code).toBe('reference_not_bound');
  });

  it('is forgotten when the finished task lists it as bound', async () => {
    world.fault(submits, { fault: 'binding', status: 'failed' });
    await world.run([film]);
    expect(world.job('0001').state).toBe('saved');
    expect(world.job('0001').notice).toBeUndefined();
  });

  it('is seen when only the finished task says so', async () => {
    world.fault(statusAsked, { fault: 'binding', status: 'failed' });
    await world.run([film]);
    expect(world.job('0001').notice?.code).toBe('reference_not_bound');
  });
});

it('uploads voices and images of a row and sends each voice with its image', async () => {
  files(world, { 'keeper.png': 'a keeper', 'keeper.wav': 'a voice' });
  const params = { reference_images: ['keeper.png'], reference_voices: ['keeper.wav'] };
  await world.run([shot(1, { params })]);
  expect(world.job('0001')).toMatchObject({ state: 'saved' });
  expect(uploadsOf(world)).toHaveLength(2);
  const [post] = world.posts('0001');
  expect(post?.body).toMatchObject({ images: [{ role: 'reference_image' }] });
  expect(post && namedIn(post)).toHaveLength(2);
});

it('takes rows of both routes in one list', async () => {
  await world.run([
    shot(1, { params: { frames: 96 } }),
    shot(2, {
      params: { duration: 5, route: 'compatible', videos: ['https://a.example/a.mp4'] },
      model: 'vgen-2.5-gl-a',
    }),
    shot(3, {
      params: { duration: 5, input_reference: 'https://a.example/a.png', input_reference_role: 'last_frame' },
    }),
  ]);
  expect(world.counts()).toMatchObject({ saved: 3 });
  expect(world.posts('0001')[0]?.body).toMatchObject({ frames: 96 });
  expect(world.posts().filter(({ path }) => path === '/api/v3/contents/generations/tasks')).toHaveLength(1);
  expect(world.posts('0003')[0]?.body).toMatchObject({ input_reference_role: 'last_frame' });
});

const pictures = (n: number) => shot(1, { kind: 'image', model: 'image-demo', params: { n } });
const savedPictures = () =>
  readdirSync(world.projectPath, { recursive: true }).filter((name) => String(name).endsWith('.png'));
const askedFor = (output: number) =>
  world.service.ledger.downloads().filter(({ path }) => path.endsWith(`/${String(output)}.png`)).length;
const media = (output: number) => ({ path: `/media/*/${String(output)}.png` });

/** What the service holds as one output, by its own account. */
async function held(output: number): Promise<Buffer> {
  world.service.faults.clear();
  const task = world.service.tasks.list()[0];
  const headers = { authorization: `Bearer ${world.service.apiKey}` };
  const answer = await fetch(`${world.service.url}/v1/images/tasks/${task?.id ?? ''}`, { headers });
  const { output: list } = (await answer.json()) as { output: { url: string }[] };
  return Buffer.from(await (await fetch(list[output - 1]?.url ?? '')).arrayBuffer());
}

async function expectRightFiles(count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const file = readFileSync(join(world.projectPath, 'Day 1', `0001_t1_${String(number)}.png`));
    expect(file.equals(await held(number)), `file ${String(number)}`).toBe(true);
  }
}

describe('a take of several files', () => {
  it('asks for every file though the first one fails, and shows the good ones at once', async () => {
    const down = world.fault({ ...media(1), times: 'always' }, { fault: 'status', status: 503 });
    await world.begin([pictures(3)]);
    await world.until('two files are there', () => savedPictures().length === 2);
    await world.pass(10 * 60_000);
    expect(world.job('0001')).toMatchObject({
      standing: 'unfinished',
      files: ['Day 1/0001_t1_2.png', 'Day 1/0001_t1_3.png'],
    });
    expect([askedFor(2), askedFor(3)]).toEqual([1, 1]);
    const projectId = world.job('0001').projectId;
    const { takes } = await world.engine.review.list(
      { projectId, standing: 'saved', sort: 'list' },
      { start: 0, count: 9 },
    );
    expect(takes.map(({ outputs }) => outputs.map(({ number }) => number))).toEqual([[2, 3]]);

    world.service.faults.remove(down);
    await world.comesTo({ '0001': 'saved' });
    await expectRightFiles(3);
    expect(world.posts()).toHaveLength(1);
  });

  it('says that two of three are saved when one is lost, and asks for it again free of charge', async () => {
    const gone = world.fault({ ...media(2), times: 'always' }, { fault: 'html' });
    expect(await world.run([pictures(3)])).toEqual({ is: 'over' });
    const { id, state, failure, files } = world.job('0001');
    expect({ state, files }).toEqual({
      state: 'download_blocked',
      files: ['Day 1/0001_t1_1.png', 'Day 1/0001_t1_3.png'],
    });
    expect(failure?.message).saying(/^2 of 3 outputs saved\. File 2 of 3 was not downloaded/);
    expect(failure?.remedy).saying(/downloading it again is free/);

    world.service.faults.remove(gone);
    expect(world.engine.jobs.retry(id)).toMatchObject({ ok: true });
    await world.comesTo({ '0001': 'saved' });
    await expectRightFiles(3);
    expect([askedFor(1), askedFor(3)]).toEqual([2, 2]);
    expect(world.posts()).toHaveLength(1);
  });

  it.each([
    { what: 'in another order', order: [3, 1, 2] },
    { what: 'without one that is here', order: [3, 2] },
  ])('keeps each file at its place when its addresses are named again $what', async ({ order }) => {
    world.fault(media(2), { fault: 'expired' });
    world.fault(media(3), { fault: 'status', status: 503 });
    await world.begin([pictures(3)]);
    await world.until('the first file is there', () => savedPictures().length === 1);
    world.fault({ method: 'GET', path: '/v1/*', times: 'always' }, { fault: 'results', order });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved' });
    expect(savedPictures()).toHaveLength(3);
    await expectRightFiles(3);
    expect(world.posts()).toHaveLength(1);
  });

  it('saves no picture twice and loses none when new addresses tell nothing of their order', async () => {
    world.fault(media(2), { fault: 'expired' });
    await world.begin([pictures(2)]);
    await world.until('the first file is there', () => savedPictures().length === 1);
    const moved: Fault = { fault: 'results', order: [2, 1], moved: true };
    world.fault({ method: 'GET', path: '/v1/*', times: 'always' }, moved);
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved' });
    expect(savedPictures()).toHaveLength(2);
    const numbers = world.service.ledger.downloads().map(({ path }) => /\/(\d)\.png/.exec(path)?.[1]);
    // The second one in vain, without the key and with it; then the first one under its address, and at last itself.
    expect(numbers).toEqual(['1', '2', '2', '1', '2']);
    await expectRightFiles(2);
  });

  it('fetches just the missing file after its project was opened in another data folder', async () => {
    const gone = world.fault({ ...media(2), times: 'always' }, { fault: 'html' });
    await world.run([pictures(3)]);
    await world.stop();
    world.service.faults.remove(gone);
    await world.openOn('other');
    await world.comesTo({ '0001': 'saved' });
    expect([askedFor(1), askedFor(3)]).toEqual([1, 1]);
    expect(savedPictures()).toHaveLength(3);
    await expectRightFiles(3);
    expect(world.posts()).toHaveLength(1);
  });
});

const medianTime = async () => (await readStatistics(world.engine.stores.ledger, {}, 'day', '')).all.medianMs;
const fileOf = (key: string) => join(world.projectPath, world.job(key).files[0] ?? '');

describe('a saved take whose file is gone', () => {
  it('is saved no longer, and fetched again from its task without a new charge', async () => {
    await world.run([shot(1), shot(2)]);
    const file = fileOf('0001');
    rmSync(file);
    await world.openProject();
    expect(world.job('0001')).toMatchObject({
      state: 'result_lost',
      standing: 'failed',
      failure: {
        code: 'files_gone',
        cost: 'charged',
        message: expect.saying('Day 1/0001_t1.mp4 is no longer in the project folder.'),
      },
    });
    expect(world.job('0002').state).toBe('saved');

    expect(world.engine.jobs.retry(world.job('0001').id)).toMatchObject({ ok: true });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp4'] });
    expect(existsSync(file)).toBe(true);
    expect(world.posts()).toHaveLength(2);
  });

  it('is not made again when its list is run again', async () => {
    await world.run([shot(1)]);
    rmSync(fileOf('0001'));
    await world.run([shot(1)]);
    world.has({ saved: 0, failed: 1, posts: 1 });
  });

  it('is saved again once the file is back', async () => {
    await world.run([shot(1)]);
    const { id } = world.job('0001');
    const file = fileOf('0001');
    const took = await medianTime();
    expect(took).toBeGreaterThan(0);
    renameSync(file, `${file}.aside`);
    await world.engine.jobs.lookAtFiles([id]);
    expect(world.job('0001').state).toBe('result_lost');
    await world.pass(600_000);
    renameSync(`${file}.aside`, file);
    await world.engine.jobs.lookAtFiles([id]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp4'] });
    expect(await medianTime()).toBe(took);

    // Another data folder has the times from the recipe.
    await world.openOn('other');
    expect(await medianTime()).toBe(took);
  });

  it('is noticed at the next start', async () => {
    await world.run([shot(1)]);
    rmSync(fileOf('0001'));
    await world.restart();
    await world.until('the look', () => world.job('0001').state === 'result_lost');
  });

  it('stays saved while the whole project is away, and when a person has rejected it', async () => {
    await world.run([shot(1), shot(2)]);
    const away = `${world.projectPath} away`;
    renameSync(world.projectPath, away);
    const ids = world.jobs().map(({ id }) => id);
    await world.engine.jobs.lookAtFiles(ids);
    expect(world.counts()).toMatchObject({ saved: 2, failed: 0 });
    renameSync(away, world.projectPath);
    await world.engine.review.judge([world.job('0002').id], { flag: 'reject' });
    rmSync(fileOf('0002'));
    await world.engine.jobs.lookAtFiles(ids);
    expect(world.counts()).toMatchObject({ saved: 2, failed: 0 });
  });
});
