import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordShape } from '../../support/demo/service.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { unfamiliarFile } from '../../support/demo/unfamiliar.ts';
import { files } from '../library/media.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { someOf } from '../../support/chance.ts';

const MINUTE = 60_000;

let world: World;
forEachTest((opened) => (world = opened));

const rows: Readonly<Record<string, ShotSpec>> = {
  video: shot(1),
  image: shot(1, { kind: 'image', model: 'image-demo', params: {} }),
  imagine: shot(1, { kind: 'image', model: 'image-demo', params: { operation: 'imagine' } }),
  music: shot(1, { kind: 'music', model: 'music-demo', params: {} }),
  speech: shot(1, { kind: 'speech', model: 'speech-demo', params: { voice: 'alto' } }),
  text: shot(1, { kind: 'text', model: 'chat-demo', params: {} }),
  presenter: shot(1, {
    kind: 'presenter',
    model: 'presenter-demo',
    prompt: '',
    params: { avatar: 'keeper.png', audio: 'line.wav' },
  }),
};

/** Every answer about the task, or with the result, has another shape; its submit too, unless `answers` says less. */
async function open(shape: RecordShape, answers: 'GET' | 'POST' | undefined = undefined): Promise<void> {
  files(world, { 'keeper.png': 'keeper', 'line.wav': 'line' });
  const path = /^\/(?:v1\/(?!assets)|jobimg\/)/;
  const match = { path, times: 'always', ...(answers && { method: answers }) } as const;
  world.fault(match, { fault: 'record-shape', ...shape });
}

const saved = (name: string): Buffer => readFileSync(join(world.projectPath, name));
const kept = () => readdirSync(join(world.dataFolder, 'answers'));

/** The address of the only result of a task, as the service shows it. */
async function addressOf(taskId: string, path = '/v1/tasks/ID'): Promise<string> {
  const headers = { authorization: `Bearer ${world.service.apiKey}` };
  const text = await (await fetch(`${world.service.url}${path.replace('ID', taskId)}`, { headers })).text();
  return /"(http[^"]+\/media\/[^"]+)"/.exec(text)?.[1] ?? '';
}

/** The bytes of the only result, as the service itself gives them. */
async function atTheService(kind: string): Promise<Buffer> {
  world.service.faults.clear();
  const post = world.posts().find(({ taskId }) => taskId !== null);
  const paths: Record<string, string> = { image: '/v1/images/tasks/ID', imagine: '/jobimg/task/ID/fetch' };
  return bytes(await fetch(await addressOf(post?.taskId ?? '', paths[kind])));
}
const bytes = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

it.each(
  someOf<[keyof typeof rows, RecordShape][]>([
    ['music', { wrapper: 'data[]', place: 'result_url' }],
    ['music', { wrapper: 'data[]', place: 'output[].url' }],
    ['music', { wrapper: 'data[]', place: 'audioUrl', silent: true }],
    ['music', { wrapper: 'data', place: 'audio_url', silent: true }],
    ['music', { wrapper: 'list', place: 'url' }],
    ['music', { wrapper: 'data.data[]', place: 'data.output[].url', silent: true }],
    ['video', { wrapper: 'data', place: 'output[].url' }],
    ['video', { wrapper: 'output', place: 'video_url' }],
    ['video', { wrapper: 'result', place: 'metadata.url', silent: true }],
    ['video', { place: 'data', silent: true }],
    ['image', { wrapper: 'data', place: 'imageUrls' }],
    ['image', { wrapper: 'data[]', place: 'result[]', silent: true }],
    ['imagine', { wrapper: 'data', place: 'data.output[].url' }],
    ['presenter', { wrapper: 'data', place: 'output[].url' }],
    ['presenter', { wrapper: 'data', place: 'data.result_url', silent: true }],
    ['speech', {}],
    ['speech', { wrapper: 'data' }],
    ['text', { wrapper: 'data' }],
    ['text', { wrapper: 'data.data[]' }],
  ]),
)('a result is saved, byte for byte and paid for once, however its record is shown %s %j', async (kind, shape) => {
  await open(shape);
  await world.run([rows[kind] ?? shot(1)]);
  const {
    state,
    files: [file = ''],
  } = world.job('0001');
  expect(state).toBe('saved');
  expect(kept()).toEqual([]);
  expect(world.service.ledger.commits).toBe(1);
  if (kind === 'text') expect(saved(file).toString()).toContain('“Shot 1”');
  else expect(saved(file).equals(await atTheService(kind))).toBe(true);
});

describe('a result inside the answer about its task', () => {
  const picture = async (): Promise<Buffer> => {
    const { bytes: png } = unfamiliarFile('png');
    const body = { data: { status: 'succeeded', output: [{ b64_json: png.toString('base64') }] } };
    world.fault({ path: '/v1/images/tasks/*', times: 'always' }, { fault: 'status', status: 200, body });
    await world.import([rows['image'] ?? shot(1)]);
    return png;
  };

  it('is unpacked from there, and the answer is kept until then', async () => {
    const png = await picture();
    await world.settle();
    expect(saved('Day 1/0001_t1.png').equals(png)).toBe(true);
    world.has({ '0001': 'saved', posts: 1 });
    expect(kept()).toEqual([]);
  });

  it('is unpacked from the project where the data folder takes nothing', async () => {
    const png = await picture();
    renameSync(join(world.dataFolder, 'answers'), join(world.dataFolder, 'away'));
    await world.comesTo({ '0001': 'saved' });
    expect(saved('Day 1/0001_t1.png').equals(png)).toBe(true);
    expect(world.posts()).toHaveLength(1);
  });
});

it('a submit that is answered with the finished record, and names no task, is the result', async () => {
  await world.run([shot(2)]);
  const done = { status: 'SUCCESS', result_url: await addressOf(world.job('0002').taskId ?? '') };
  world.fault(
    { method: 'POST', path: '/v1/videos' },
    { fault: 'status', status: 200, body: { code: 'success', data: [done] }, commit: true },
  );
  await world.run([shot(1)], { name: 'Day 2' });
  expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 2/0001_t1.mp4'] });
  expect(world.posts('0001')).toHaveLength(1);
  expect(kept()).toEqual([]);
});

describe('a finished task in whose answer no result can be read', () => {
  const unread = async (): Promise<void> => {
    await open({ place: 'nowhere', wrapper: 'data' }, 'GET');
    await world.begin([rows['video'] ?? shot(1)]);
    await world.until('an answer without a result', () => world.job('0001').keptAnswer !== undefined);
  };

  it('keeps its answer and is asked for ten minutes, and is then a decision', async () => {
    await unread();
    expect(world.job('0001')).toMatchObject({
      state: 'polling',
      standing: 'unfinished',
      failure: { code: 'result_unread', cost: 'charged' },
    });
    expect(await world.settle()).toEqual({ is: 'over' });
    const { standing, paused, keptAnswer } = world.job('0001');
    expect({ standing, paused }).toEqual({ standing: 'unknown', paused: 'deadline' });
    expect(readFileSync(keptAnswer?.file ?? '', 'utf8')).toContain('"outcome"');
    expect(keptAnswer?.addresses).toContainEqual(expect.stringContaining('/media/'));
    const asked = world.service.ledger.gets().length;
    await world.restart();
    await world.settle();
    await world.pass(60 * MINUTE);
    expect(world.service.ledger.gets()).toHaveLength(asked);
    expect(world.job('0001').keptAnswer).toEqual(keptAnswer);
  });

  it('ends with the address that a person names, fetched like any result', async () => {
    await unread();
    await world.settle();
    const { id, keptAnswer } = world.job('0001');
    const url = keptAnswer?.addresses.find((each) => each.includes('/media/'));
    expect(world.engine.jobs.resolve(id, { action: 'accept', url })).toMatchObject({ ok: true });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved', paused: null, files: ['Day 1/0001_t1.mp4'] });
    expect(saved('Day 1/0001_t1.mp4').equals(await atTheService('video'))).toBe(true);
    expect(world.posts()).toHaveLength(1);
    expect(kept()).toEqual([]);
  });

  it('is asked again when a person says so, and saved once it shows its result', async () => {
    await unread();
    await world.settle();
    world.service.faults.clear();
    expect(world.engine.jobs.retry(world.job('0001').id)).toMatchObject({ ok: true });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved' });
    expect(world.posts()).toHaveLength(1);
    expect(kept()).toEqual([]);
  });

  it('is saved by itself where its address comes within these minutes', async () => {
    await unread();
    world.service.faults.clear();
    await world.comesTo({ '0001': 'saved' });
    expect(kept()).toEqual([]);
  });

  it('of two keeps the other one, whose result can be read', async () => {
    world.fault({ method: 'POST' }, { fault: 'music-tasks', as: 'ids', ends: ['succeeded', 'succeeded'] });
    await world.begin([rows['music'] ?? shot(1)]);
    await world.until('acceptance', () => world.service.tasks.size === 2);
    const [, other] = world.service.tasks.list();
    world.fault(
      { method: 'GET', path: `/v1/tasks/${other?.id ?? ''}`, times: 'always' },
      { fault: 'record-shape', place: 'nowhere' },
    );
    await world.settle();
    const { id, standing, keptAnswer } = world.job('0001');
    expect(standing).toBe('unknown');
    const url = keptAnswer?.addresses.find((each) => each.includes(other?.id ?? ''));
    world.engine.jobs.resolve(id, { action: 'accept', url });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: expect.objectContaining({ length: 2 }) });
    expect(world.posts()).toHaveLength(1);
  });

  it('can be written off, and stopped being followed', async () => {
    await unread();
    await world.settle();
    const { id, keptAnswer } = world.job('0001');
    expect(world.engine.jobs.resolve(id, { action: 'resubmit' })).toMatchObject({ ok: false });
    expect(world.engine.jobs.resolve(id, { action: 'lost' })).toMatchObject({ ok: true });
    expect(world.job('0001')).toMatchObject({ state: 'result_lost', failure: { cost: 'charged' } });
    expect(existsSync(keptAnswer?.file ?? '')).toBe(true);
  });
});
