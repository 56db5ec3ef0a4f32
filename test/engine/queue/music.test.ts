import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { startDemoService } from '../../../src/demo/service.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { files, uploadsOf } from '../library/media.ts';
import type { Fault } from '../../support/demo/service.ts';

let world: World;
forEachTest((opened) => (world = opened));

const song = (index: number, changes: Partial<ShotSpec> = {}): ShotSpec =>
  shot(index, { kind: 'music', model: 'music-demo', params: {}, ...changes });

const continuing = (index: number, cell: string): ShotSpec =>
  song(index, { params: { extend_take: cell, continue_at: 6 } });

/** The body of the only submit of a shot. */
const sentFor = (key: string): unknown => {
  const posts = world.posts(key);
  expect(posts).toHaveLength(1);
  return posts[0]?.body;
};

describe('music that continues another take', () => {
  it('waits for it and is sent with the id of its task', async () => {
    await world.run([continuing(1, 'Shot://0002'), song(2)]);
    expect(world.counts()).toMatchObject({ saved: 2 });
    const { id, taskId } = world.job('0002');
    expect(sentFor('0001')).toMatchObject({ task_id: taskId, continue_at: 6 });
    expect(world.job('0001').from).toEqual([{ takeId: id, how: 'reference', shot: '0002', take: 1 }]);
    expect(uploadsOf(world)).toEqual([]);
    const made = world.job('0001').id;
    await world.stop();
    expect(world.recipeOf(made).from).toMatchObject([
      { takeId: id, parameter: 'extend_take', cell: 'Shot://0002', text: taskId },
    ]);
  });

  it('continues the pick rather than the newest take', async () => {
    await world.run([song(2, { takes: 2 })]);
    const first = world.job('0002', 1);
    world.engine.review.judge([first.id], { flag: 'pick' });
    await world.run([song(2, { takes: 2 }), continuing(1, 'Shot://0002')]);
    expect(sentFor('0001')).toMatchObject({ task_id: first.taskId });
  });

  it('takes the id of a task as it is', async () => {
    await world.run([song(2)]);
    const { taskId = '' } = world.job('0002');
    await world.run([song(2), continuing(1, taskId)]);
    expect(sentFor('0001')).toMatchObject({ task_id: taskId });
    expect(world.job('0001')).toMatchObject({ state: 'saved' });
  });

  it('is sent once with the same task when Dailies is killed before it is sent', async () => {
    await world.begin([continuing(1, 'Shot://0002'), song(2)]);
    await world.until('the other is saved', () => world.job('0002').state === 'saved');
    await world.kill();
    await world.start();
    await world.settle();
    expect(sentFor('0001')).toMatchObject({ task_id: world.job('0002').taskId });
  });

  it('fails without a request when the task was made with another address of the service', async () => {
    await world.run([song(2)]);
    const other = await startDemoService({ clock: world.clock, media: 'tiny' });
    onTestFinished(() => other.stop());
    await world.restart({ baseUrl: other.url });
    await world.run([song(2), continuing(1, 'Shot://0002')]);
    expect(world.job('0001')).toMatchObject({
      state: 'rejected',
      failure: { cost: 'nothing', message: expect.saying(/generated with another address or key/) as unknown },
    });
    expect(other.ledger.posts()).toEqual([]);
    await world.restart();
    world.engine.jobs.retry(world.job('0001').id);
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved' });
  });

  it('fails without a charge when the service does not know the task, and says so', async () => {
    await world.run([continuing(1, 'task_unknown')]);
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { cost: 'nothing' } });
    expect(world.job('0001').failure?.message).saying(/task_unknown/);
  });
});

describe('a take that continues another one of its own shot', () => {
  const further = async (takeId: string, seconds: string): Promise<string> => {
    const { id } = await world.engine.review.another({
      ...{ takeId, changes: { cells: { continue_at: seconds } } },
      derivation: { how: 'extend', source: { parameter: 'extend_take', output: 1 } },
    });
    await world.settle();
    return id;
  };

  it('is sent with its task and the second, once, and remembers where it came from', async () => {
    await world.run([song(1)]);
    const first = world.job('0001', 1);
    await further(first.id, '4.5');
    const made = world.job('0001', 2);
    expect(made).toMatchObject({ state: 'saved', from: [{ takeId: first.id, how: 'extend', output: 1, take: 1 }] });
    const posts = world.posts('0001');
    expect(posts).toHaveLength(2);
    expect(posts[1]?.body).toMatchObject({ task_id: first.taskId, continue_at: 4.5 });
  });

  it('continues the newer take where that one is continued in its turn, and the same one where it is made again', async () => {
    await world.run([song(1)]);
    await further(world.job('0001', 1).id, '4');
    await further(world.job('0001', 2).id, '9');
    expect(world.posts('0001')[2]?.body).toMatchObject({ task_id: world.job('0001', 2).taskId, continue_at: 9 });
    await world.engine.review.another({ takeId: world.job('0001', 2).id, changes: { cells: {} } });
    await world.settle();
    expect(world.posts('0001')[3]?.body).toMatchObject({ task_id: world.job('0001', 1).taskId, continue_at: 4 });
  });
});

it('music made from audio uploads the file first and names its asset', async () => {
  files(world, { 'cello.wav': 'a cello' });
  await world.run([song(1, { params: { audio: 'cello.wav', source_audio: 'https://a.example/b.mp3' } })]);
  expect(world.job('0001')).toMatchObject({ state: 'saved' });
  expect(uploadsOf(world)).toHaveLength(1);
  expect(sentFor('0001')).toMatchObject({
    audioUrl: expect.stringMatching(/^Asset:\/\//),
    sourceAudioUrl: 'https://a.example/b.mp3',
  });
});

const lyrics = (changes: Partial<ShotSpec> = {}): ShotSpec =>
  shot(1, { kind: 'music', model: 'lyrics-demo', params: { operation: 'lyrics' }, ...changes });

const savedText = (key = '0001'): string =>
  readFileSync(join(world.projectPath, world.job(key).files[0] ?? ''), 'utf8');

describe('a row of lyrics', () => {
  it('is saved as the text of its task, and paid for once', async () => {
    await world.run([lyrics()]);
    await world.run([lyrics()]);
    const take = world.job('0001');
    expect(take).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.md'], medium: 'words' });
    expect(take.remarks).toBeUndefined();
    expect(savedText()).toMatch(/^\[Verse\]\n[^]*\[Chorus\]\nShot 1\n/);
    expect(world.posts().map(({ path, body }) => [path, body])).toEqual([
      ['/v1/tasks', { model: 'lyrics-demo', prompt: 'Shot 1' }],
    ]);
    expect(world.service.ledger.commits).toBe(1);
  });

  it('is sung by another row that names it in lyrics', async () => {
    const song = shot(2, {
      ...{ kind: 'music', model: 'music-demo', prompt: '' },
      params: { lyrics: 'Shot://0001', custom_mode: true, style: 'folk' },
    });
    await world.run([song, lyrics()]);
    expect(world.counts()).toMatchObject({ saved: 2 });
    expect(world.posts().at(-1)?.body).toMatchObject({ model: 'music-demo', prompt: savedText().trim() });
  });

  it('is saved from its kept answer after a kill, without another look at its task', async () => {
    world = await World.open({ service: { speed: { musicMs: 60_000, jitter: 0 } } });
    await world.begin([lyrics()]);
    await world.until('its task runs', () => world.job('0001').state === 'polling');
    world.freeBytes = 0;
    await world.until('its task is done', () => world.job('0001').state === 'downloading');
    await world.kill();
    world.freeBytes = 1000 ** 4;
    const asked = world.service.ledger.received;
    await world.start();
    await world.comesTo({ '0001': 'saved' });
    expect(savedText()).toContain('[Chorus]');
    expect([world.service.ledger.received, readdirSync(join(world.dataFolder, 'answers'))]).toEqual([asked, []]);
  });

  it('goes where the settings say, and is asked about where music is', async () => {
    world = await World.open({ settings: { paths: { lyricsSubmit: '/v1/music', musicTask: '/v1/music/{task_id}' } } });
    await world.run([lyrics()]);
    expect(world.job('0001').state).toBe('saved');
    expect(world.posts().map(({ path }) => path)).toEqual(['/v1/music']);
  });

  const text = 'A light for others\nAll night long';
  it.each([
    ['a record in data', { code: 'success', data: { task_id: 't', status: 'SUCCESS', text } }],
    ['a list in data', { code: 'success', data: [{ task_id: 't', status: 'succeeded', lyrics: text }] }],
    ['data of a record', { data: { task_id: 't', status: 'SUCCESS', data: { text, title: 'Light' } } }],
    ['a list of a record', { data: { task_id: 't', status: 'SUCCESS', data: [{ lyric: text }] } }],
    ['the task', { id: 't', status: 'succeeded', lyrics: text }],
    ['an output', { id: 't', status: 'succeeded', output: [{ type: 'text', text }] }],
    ['a result', { id: 't', status: 'succeeded', result: { content: text } }],
    ['a text in data', { id: 't', status: 'succeeded', data: text }],
  ])('is read from %s', async (_where, body) => {
    world.fault({ method: 'GET', path: '/v1/tasks/*', times: 'always' }, { fault: 'status', status: 200, body });
    await world.run([lyrics()]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.md'] });
    expect(savedText()).toBe(text);
    expect(world.posts()).toHaveLength(1);
  });

  it('has a file of each text that its task brought', async () => {
    const data = ['One', 'Two'].map((each) => ({ task_id: 't', status: 'SUCCESS', text: `${each} verse` }));
    world.fault(
      { method: 'GET', path: '/v1/tasks/*', times: 'always' },
      { fault: 'status', status: 200, body: { code: 'success', data } },
    );
    await world.run([lyrics()]);
    expect(world.job('0001').files).toEqual(['Day 1/0001_t1_1.md', 'Day 1/0001_t1_2.md']);
  });

  it('keeps what came at an address instead of a text, and says that it is something else', async () => {
    await world.run([lyrics({ model: 'music-demo' })]);
    expect(world.job('0001')).toMatchObject({ files: ['Day 1/0001_t1.mp3'], remarks: ['other_medium'] });
  });
});

type Shown = Extract<Fault, { fault: 'music-tasks' }>;

const parted = shot(1, { kind: 'music', model: 'music-demo' });

const recipeFile = (): string => {
  const folder = join(world.projectPath, '.dailies', 'takes');
  return join(folder, readdirSync(folder)[0] ?? '');
};

async function openWith(as: Shown['as'], ends: Shown['ends']): Promise<void> {
  world.fault({ method: 'POST' }, { fault: 'music-tasks', as, ends });
}

describe.each(['ids', 'records'] as const)('a song that the service makes in several parts, shown as %s', (as) => {
  it('is saved with every part, once all are done', async () => {
    await openWith(as, ['succeeded', 'succeeded', 'succeeded']);
    await world.run([parted]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: expect.objectContaining({ length: 3 }) });
    expect(world.posts()).toHaveLength(1);
  });

  it('keeps the parts that are done when another failed', async () => {
    await openWith(as, ['succeeded', 'failed', 'succeeded']);
    await world.run([parted]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: expect.objectContaining({ length: 2 }) });
  });

  it('has failed when every part has, with the reason', async () => {
    await openWith(as, ['failed', 'failed']);
    await world.run([parted]);
    expect(world.job('0001')).toMatchObject({
      state: 'remote_failed',
      failure: { message: expect.saying(/This part was refused\./) },
    });
  });

  it('is not done while a part still runs', async () => {
    await openWith(as, ['succeeded', 'never']);
    await world.begin([parted]);
    await world.pass(3_600_000);
    expect(world.job('0001')).toMatchObject({ state: 'polling', remoteStatus: 'running' });
  });
});

it('a song is saved by the music operation of its own, where the settings name its paths', async () => {
  const paths = { musicSubmit: '/v1/music', musicTask: '/v1/music/{task_id}' };
  world = await World.open({ settings: { paths } });
  await world.run([parted]);
  expect(world.job('0001')).toMatchObject({ state: 'saved', taskId: expect.stringMatching(/^task_/) as unknown });
  expect(world.posts().map(({ path }) => path)).toEqual(['/v1/music']);
});

it('several tasks of one take are all followed again after a restart, and on another machine', async () => {
  await openWith('ids', ['succeeded', 'succeeded']);
  await world.begin([parted]);
  await world.until('acceptance', () => world.job('0001').taskId !== undefined);
  await world.stop();
  const recipe = JSON.parse(readFileSync(recipeFile(), 'utf8')) as { otherTaskIds?: string[] };
  expect(recipe.otherTaskIds).toHaveLength(1);
  await world.openOn('other');
  await world.settle();
  expect(world.job('0001')).toMatchObject({ state: 'saved', files: expect.objectContaining({ length: 2 }) });
  expect(world.posts()).toHaveLength(1);
});
