import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { files } from '../library/media.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

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
