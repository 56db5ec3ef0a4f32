import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { files, uploadsOf } from '../library/media.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { startDemoService } from '../../../src/demo/service.ts';

let world: World;
forEachTest((opened) => (world = opened));

const line = (index: number, params: ShotSpec['params'] = {}): ShotSpec =>
  shot(index, { kind: 'speech', model: 'speech-demo', params: { voice: 'alto', ...params } });

describe('a line of speech', () => {
  it('is saved in each format as what it is, and paid for once', async () => {
    const shots = ['mp3', 'opus', 'aac', 'flac'].map((format, index) => line(index + 1, { response_format: format }));
    await world.run(shots);
    await world.run(shots);
    expect(
      world
        .jobs()
        .flatMap(({ files: saved }) => saved)
        .toSorted(),
    ).toEqual(['Day 1/0001_t1.mp3', 'Day 1/0002_t1.opus', 'Day 1/0003_t1.aac', 'Day 1/0004_t1.flac']);
    const manifest = world.manifest();
    expect(manifest.match(/speech-demo/g)).toHaveLength(4);
    expect(world.service.ledger.commits).toBe(4);
  });

  it.each([
    ['a web page', { fault: 'html', commit: true }],
    ['a text', { fault: 'not-json' }],
  ] as const)('is kept and shown when %s came in its place', async (_what, fault) => {
    world.fault({ method: 'POST' }, fault);
    await world.run([line(1)]);
    const { state, failure, keptAnswer } = world.job('0001');
    expect({ state, cost: failure?.cost }).toEqual({ state: 'submit_unknown', cost: 'maybe' });
    expect(readFileSync(keptAnswer?.file ?? '').length).toBeGreaterThan(0);
  });

  it('is fetched when its answer names an address', async () => {
    world = await World.open({ service: { asyncImages: true } });
    await world.run([shot(2, { kind: 'music', model: 'music-demo', params: {} })]);
    const { json } = await taskOf(world, world.job('0002').taskId ?? '');
    const url = json.output[0]?.url;
    world.fault({ kind: 'speech' }, { fault: 'status', status: 200, body: { url }, commit: true });
    await world.run([line(1)], { name: 'Day 2' });
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 2/0001_t1.mp3'] });
  });
});

async function taskOf({ service }: World, id: string): Promise<{ json: { output: { url: string }[] } }> {
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const response = await fetch(`${service.url}/v1/tasks/${id}`, { headers });
  return { json: (await response.json()) as { output: { url: string }[] } };
}

const presenter = (changes: ShotSpec['params'] = {}): ShotSpec =>
  shot(1, {
    kind: 'presenter',
    model: 'presenter-demo',
    prompt: '',
    params: { avatar: 'keeper.png', audio: 'line.wav', authorization: 'consent.mp4', ...changes },
  });

describe('a presenter', () => {
  const bring = () => files(world, { 'keeper.png': 'keeper', 'line.wav': 'line', 'consent.mp4': 'consent' });

  it('has its files uploaded by purpose, shows its progress, and is saved', async () => {
    world = await World.open({ service: { speed: { presenterMs: 60_000, jitter: 0 } } });
    bring();
    await world.start();
    const progress = new Set<string>();
    world.engine.subscribe((event) => {
      if (event.type === 'job' && event.job.progress) progress.add(event.job.progress);
    });
    await world.run([presenter()]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp4'] });
    expect([...progress].every((each) => /^\d+%$/.test(each)) && progress.size).toBeGreaterThan(1);
    expect(
      world.service.assets
        .assets()
        .map(({ type, purpose }) => [type, purpose])
        .toSorted(),
    ).toEqual([
      ['audio', null],
      ['image', 'digital_human_avatar'],
      ['video', 'digital_human_authorization'],
    ]);
    const [post] = world.service.ledger.posts('/v1/tasks');
    expect(post?.body).toMatchObject({ audio_url: expect.stringMatching(/^Asset:/) });
    expect(world.service.ledger.commits).toBe(1);
  });

  it('that fails says why in the words of the service', async () => {
    bring();
    world.fault(
      { path: '/v1/tasks' },
      { fault: 'outcome', end: 'failed', message: 'The authorization does not show the person.' },
    );
    await world.run([presenter()]);
    expect(world.job('0001')).toMatchObject({
      state: 'remote_failed',
      failure: { message: expect.saying(/does not show the person/) },
    });
  });
});

/** A row that says its operation and model alone. */
const making = (index: number, operation: string, changes: Partial<ShotSpec> = {}): ShotSpec =>
  shot(index, {
    ...{ kind: 'presenter', model: `presenter-${operation}-demo`, prompt: '', params: { operation } },
    ...changes,
  });

const film = (index: number, params: ShotSpec['params']): ShotSpec =>
  shot(index, { kind: 'presenter', model: 'presenter-demo', prompt: '', params });

const saved = (key: string): unknown =>
  JSON.parse(readFileSync(join(world.projectPath, world.job(key).files[0] ?? ''), 'utf8'));

const bodiesOf = (model: string) =>
  world.service.ledger
    .posts('/v1/tasks')
    .map(({ body }) => body as Record<string, unknown>)
    .filter((body) => body.model === model);

describe('a digital human task', () => {
  it('of audio saves its sound', async () => {
    await world.run([making(1, 'audio')]);
    await world.run([making(1, 'audio')]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp3'], medium: 'sound' });
    expect(world.job('0001').remarks).toBeUndefined();
    expect(bodiesOf('presenter-audio-demo')).toEqual([{ model: 'presenter-audio-demo' }]);
    expect(world.service.ledger.commits).toBe(1);
  });

  it.each([
    ['voice', 'digital_human_voice', { voice_id: 1042, language: 'en' }],
    ['avatar', 'digital_human_avatar', { created_at: expect.any(Number) as unknown }],
  ])('of %s saves its record, whose asset is in the library under its purpose', async (operation, purpose, more) => {
    await world.run([making(1, operation, { params: { operation, presenter_name: 'Ada' } })]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.json'] });
    expect(world.job('0001').remarks).toBeUndefined();
    const record = saved('0001') as Record<string, string>;
    const id = record[`${operation}_asset_id`] ?? '';
    expect(record).toEqual({
      id: expect.any(String) as unknown,
      [`${operation}_asset_id`]: id,
      name: 'Ada',
      status: 'ready',
      ...more,
    });
    expect(world.engine.library.asset(id)).toMatchObject({ id, name: 'Ada', uploadedFor: { purpose } });
    await world.whilePumping(world.engine.library.sync());
    expect(world.engine.library.asset(id)).toMatchObject({
      readiness: 'ready',
      uploadedFor: { purpose },
      groupName: 'Default',
    });
    expect(uploadsOf(world)).toEqual([]);
    expect(bodiesOf(`presenter-${operation}-demo`)).toEqual([{ model: `presenter-${operation}-demo`, name: 'Ada' }]);
    expect(world.service.ledger.commits).toBe(1);
  });

  it('keeps action and data with its take, and shows them', async () => {
    files(world, { 'keeper.png': 'keeper' });
    await world.run([making(1, 'voice'), film(2, { avatar: 'keeper.png', audio: 'https://media.example/line.mp3' })]);
    const data = expect.objectContaining({ voice_id: 1042, status: 'ready' }) as unknown;
    const voice = world.job('0001').id;
    expect(world.engine.review.details(voice).recipe.extras?.task).toEqual({ action: 'digital_human_voice', data });
    await world.stop();
    await world.start();
    expect(world.recipe('0001').extras).toMatchObject({
      task: { action: 'digital_human_voice', data },
      asset: { purpose: 'digital_human_voice' },
    });
    expect(world.recipe('0002').extras?.task).toEqual({ action: 'digital_human_video', data: {} });
  });

  it('makes an avatar and a voice that later rows name by Shot://, and by their ids', async () => {
    await world.run([
      film(1, { avatar: 'Shot://0002', voice_asset: 'Shot://0003', audio: 'Shot://0004' }),
      making(2, 'avatar'),
      making(3, 'voice'),
      making(4, 'audio', { params: { operation: 'audio', voice_asset: 'Shot://0003' } }),
    ]);
    expect(world.counts()).toMatchObject({ saved: 4 });
    const { avatar_asset_id: avatar } = saved('0002') as Record<string, string>;
    const { voice_asset_id: voice } = saved('0003') as Record<string, string>;
    const [made] = bodiesOf('presenter-demo');
    expect(made).toMatchObject({
      avatar_asset_id: avatar,
      voice_asset_id: voice,
      audio_url: expect.stringMatching(/^Asset:/) as unknown,
    });
    expect(bodiesOf('presenter-audio-demo')).toEqual([{ model: 'presenter-audio-demo', voice_asset_id: voice }]);
    // The sound of the audio task is the one file that went up.
    expect(uploadsOf(world)).toHaveLength(1);
    expect(
      world
        .job('0001')
        .from?.map(({ shot: key }) => key)
        .toSorted(),
    ).toEqual(['0002', '0003', '0004']);
    await world.run([film(5, { avatar: `Asset://${avatar ?? ''}`, audio: 'https://media.example/line.mp3' })], {
      name: 'Day 2',
    });
    expect(world.job('0005').state).toBe('saved');
    expect(bodiesOf('presenter-demo')[1]).toMatchObject({ avatar_asset_id: avatar });
  });

  it('whose asset another account made is not named, at no charge', async () => {
    await world.run([making(2, 'avatar')]);
    const other = await startDemoService({ clock: world.clock, media: 'tiny' });
    onTestFinished(() => other.stop());
    await world.restart({ baseUrl: other.url });
    await world.run([making(2, 'avatar'), film(1, { avatar: 'Shot://0002', audio: 'https://media.example/line.mp3' })]);
    expect(world.job('0001')).toMatchObject({
      state: 'rejected',
      failure: { cost: 'nothing', message: expect.saying(/generated with another address or key/) as unknown },
    });
    expect(other.ledger.posts()).toEqual([]);
  });

  it('without an asset in its record is saved, and a row that names it fails at no charge', async () => {
    const body = { task_id: 't', status: 'SUCCESS', action: 'avatar', data: { id: 'av1', name: 'Ada' } };
    world.fault({ method: 'GET', path: '/v1/tasks/*', times: 'always' }, { fault: 'status', status: 200, body });
    await world.run([making(2, 'avatar'), film(1, { avatar: 'Shot://0002', audio: 'https://media.example/line.mp3' })]);
    expect(saved('0002')).toEqual({ id: 'av1', name: 'Ada' });
    expect(world.job('0001')).toMatchObject({
      state: 'rejected',
      failure: { cost: 'nothing', message: expect.saying(/does not contain an asset/) as unknown },
    });
    expect(world.service.ledger.commits).toBe(1);
  });

  it('that shows a result beside its record saves both', async () => {
    await world.run([making(2, 'audio')]);
    const headers = { authorization: `Bearer ${world.service.apiKey}` };
    const sound = await fetch(`${world.service.url}/v1/tasks/${world.job('0002').taskId ?? ''}`, { headers });
    const { result_url } = (await sound.json()) as { result_url: string };
    const body = { task_id: 't', status: 'SUCCESS', result_url, data: { voice_asset_id: 'v1', voice_id: 7 } };
    world.fault({ method: 'GET', path: '/v1/tasks/*', times: 'always' }, { fault: 'status', status: 200, body });
    await world.run([making(1, 'voice')], { name: 'Day 2' });
    expect(world.job('0001').files).toEqual(['Day 2/0001_t1_1.json', 'Day 2/0001_t1_2.mp3']);
    expect(saved('0001')).toEqual({ voice_asset_id: 'v1', voice_id: 7 });
  });

  const voice = { voice_asset_id: 'v1', voice_id: 7, language: 'zh', name: 'Li' };
  const done = { task_id: 't', status: 'SUCCESS' };
  it.each([
    ['the task itself', { ...done, ...voice }],
    ['data', { ...done, data: voice }],
    ['voice in data', { ...done, data: { voice } }],
    ['a list in data', { ...done, data: [voice] }],
    ['a task in data', { code: 'success', data: { ...done, data: voice } }],
  ])('of a voice is read from %s', async (_where, body) => {
    world.fault({ method: 'GET', path: '/v1/tasks/*', times: 'always' }, { fault: 'status', status: 200, body });
    await world.run([making(1, 'voice')]);
    expect(saved('0001')).toMatchObject(voice);
    expect(world.engine.library.asset('v1')).toMatchObject({ reference: 'Asset://v1', name: 'Li' });
    expect(world.posts()).toHaveLength(1);
  });
});
