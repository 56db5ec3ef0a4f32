import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import {
  asMedium,
  files,
  formOf,
  namedIn,
  starting,
  submitsOf,
  uploadsOf,
  strangeAsset,
  expectSaved,
} from './media.ts';

let world: World;
afterEach(() => world.close());

const fast = { submit: 1000, poll: 1000, download: 1000 };
const settings = { maxRate: fast, concurrency: { submit: 16, poll: 16, download: 16 } };

/** Names as producers give them, and the form macOS gives them. */
const NAMES = [
  'plain.png',
  'with spaces (2).png',
  'Zoë Façade.png',
  'Zoë Façade.png'.normalize('NFD'),
  '夜の街.png',
  '🎬 take.png',
];

/** 40 files, 12 of them copies of others under other names. */
function fortyFiles(): Map<string, string> {
  const contents = new Map<string, string>();
  for (let index = 0; index < 28; index += 1) {
    contents.set(`refs/${index} ${NAMES[index % NAMES.length] ?? ''}`, `picture ${index}`);
  }
  for (let index = 0; index < 12; index += 1) {
    contents.set(`copies/${index} copy of ${NAMES[index % NAMES.length] ?? ''}`, `picture ${index}`);
  }
  return contents;
}

describe('a batch that names local files', () => {
  it('each shot goes straight from its assets to its file', async () => {
    world = await World.open({ settings, service: { speed: { videoMs: 0 } } });
    files(world, { 'a.png': 'picture' });
    const walked = new Map<string, string[]>();
    await world.start();
    world.engine.subscribe((event) => {
      if (event.type !== 'job') return;
      const states = walked.get(event.job.shot) ?? [];
      if (states.at(-1) !== event.job.state) walked.set(event.job.shot, [...states, event.job.state]);
    });
    await world.run([starting(1, 'a.png'), shot(2)]);
    const sent = ['submitting', 'accepted', 'downloading', 'saved'];
    const walks = [...walked.values()].map((states) => states.filter((state) => state !== 'polling'));
    expect(walks).toEqual([
      ['needs_assets', 'ready', ...sent],
      ['ready', ...sent],
    ]);
  });

  it('is put first in line, and taken back, before its media are there', async () => {
    world = await World.open({ settings });
    files(world, { 'a.png': 'one', 'b.png': 'another', 'c.png': 'a third' });
    await world.start();
    await world.import([starting(1, 'a.png'), starting(2, 'b.png'), starting(3, 'c.png')]);
    const { jobs } = world.engine;
    const [, second = '', third = ''] = world.jobs().map(({ id }) => id);
    expect(jobs.prioritise(third, 1000)).toMatchObject({ ok: true, job: { state: 'needs_assets', priority: 1000 } });
    expect(jobs.withdraw(second)).toMatchObject({ ok: true, job: { state: 'cancelled' } });
    await world.settle();
    expect(world.counts()).toMatchObject({ saved: 2, cancelled: 1 });
    expect(uploadsOf(world)).toHaveLength(2);
    expect(submitsOf(world)).toHaveLength(2);
  });

  it('uploads 28 contents of 40 files for 200 shots, each ready before it is named, and none a second time @night', async () => {
    world = await World.open({ settings, service: { speed: { videoMs: 0 } } });
    const contents = fortyFiles();
    files(world, Object.fromEntries(contents));
    const names = [...contents.keys()];
    const shots = Array.from({ length: 200 }, (_, index) => starting(index, names[index % names.length] ?? ''));
    await world.run(shots);

    expect(world.counts()).toMatchObject({ saved: 200, failed: 0, unknown: 0, unfinished: 0 });
    expect(uploadsOf(world)).toHaveLength(28);
    const sent = new Set(uploadsOf(world).map((entry) => formOf(entry).files[0]?.sha256));
    const written = [...contents].map(([name, text]) => asMedium(name, text));
    expect(sent).toEqual(new Set(written.map((bytes) => createHash('sha256').update(bytes).digest('hex'))));

    expect(submitsOf(world)).toHaveLength(200);
    for (const submit of submitsOf(world)) {
      const [id = ''] = namedIn(submit);
      const told = readyAt(id);
      expect(told).toBeLessThan(submit.n);
    }
    expect(world.log.lines.filter((line) => line.startsWith('error'))).toEqual([]);

    await world.run(
      shots.slice(0, 40).map((spec) => ({ ...spec, prompt: `${spec.prompt} again` })),
      { name: 'Day 2' },
    );
    expectSaved(world, 240, 28);
  });

  /** Number of the first request whose answer can have said that the asset was ready. */
  function readyAt(assetId: string): number {
    const asset = world.service.assets.assetsById.get(assetId);
    if (!asset) throw new Error(`no asset ${assetId}`);
    const { n } = world.service.ledger
      .gets(`/v1/assets/${assetId}`)
      .find((entry) => entry.at >= asset.createdAt + asset.syncMs) ?? { n: Number.POSITIVE_INFINITY };
    return n;
  }

  it('uploads nothing twice after a restart either', async () => {
    world = await World.open({ settings });
    files(world, { 'a.png': 'a', 'b.png': 'b' });
    await world.run([starting(1, 'a.png'), starting(2, 'b.png')]);
    await world.restart();
    await world.run([starting(3, 'a.png'), starting(4, 'b.png')], { name: 'Day 2' });
    expectSaved(world, 4, 2);
  });

  it('says of an upload what the reference shows for forms, and all there is of a video prepared for a CL model', async () => {
    world = await World.open({ settings });
    files(world, {
      'walk.mp4': 'walk',
      'face.png': 'face',
      'end.png': 'end',
      'rain.wav': 'rain',
      'house.png': 'house',
    });
    const list: ShotSpec[] = [
      shot(1, { params: { reference_videos: ['walk.mp4'], reference_images: ['house.png'], audio: 'rain.wav' } }),
      shot(2, { params: { first_frame: 'face.png', last_frame: 'end.png' } }),
    ];
    await world.run(list);
    expect(world.jobs().map((job) => job.failure?.message ?? job.state)).toEqual(['saved', 'saved']);
    const said = Object.fromEntries(
      uploadsOf(world).map((entry) => {
        const { metadata: _metadata, ...fields } = formOf(entry).fields;
        return [formOf(entry).files[0]?.fileName, fields];
      }),
    );
    expect(said).toEqual({
      'walk.mp4': {
        ...{ model: 'vgen-2.0-cl-fast', mode: 'asset' },
        ...{ type: 'video', purpose: 'reference_video', role: 'reference_video' },
      },
      'house.png': { type: 'image' },
      'rain.wav': { type: 'audio' },
      'face.png': { type: 'image' },
      'end.png': { type: 'image' },
    });
    const [first] = world.posts('0001').filter(({ path }) => path === '/v1/videos');
    expect(first?.body).toMatchObject({
      reference_video_urls: [expect.stringMatching(/^Asset:\/\//)],
      reference_image_urls: [expect.stringMatching(/^Asset:\/\//)],
      audio_url: expect.stringMatching(/^Asset:\/\//),
    });
  });

  it('takes the roles of the references column, and a file that one shot names twice once', async () => {
    world = await World.open({ settings: { ...settings, assumed: { uploadForm: 'all' } } });
    files(world, { 'face.png': 'face', 'walk.mp4': 'walk' });
    const references = [
      { media_type: 'image', role: 'reference_image', url: 'face.png', alias: 'anna' },
      { media_type: 'video', role: 'reference_video', url: 'walk.mp4' },
    ];
    await world.run([
      shot(1, { prompt: '@anna walks', params: { references } }),
      shot(2, { params: { first_frame: 'face.png', last_frame: 'face.png' } }),
    ]);
    expect(world.counts()).toMatchObject({ saved: 2 });
    expect(
      uploadsOf(world)
        .map((entry) => formOf(entry).fields.role)
        .toSorted(),
    ).toEqual(['first_frame', 'reference_image', 'reference_video']);
  });

  it('makes the group of a column once for all its shots, and puts their files into it @night', async () => {
    world = await World.open({ settings });
    const names = Array.from({ length: 10 }, (_, index) => `face ${index}.png`);
    files(world, Object.fromEntries(names.map((name) => [name, name])));
    const shots = Array.from({ length: 40 }, (_, index) =>
      starting(index, names[index % 10] ?? '', { group: index % 2 === 0 ? 'Hauptfigur Zoë' : ' hauptfigur zoë ' }),
    );
    await world.run(shots);
    expect(world.counts()).toMatchObject({ saved: 40 });
    expect(world.service.ledger.posts('/v1/asset-groups')).toHaveLength(1);
    const group = world.service.assets.groups().find(({ name }) => name === 'Hauptfigur Zoë');
    expect(new Set(uploadsOf(world).map((entry) => formOf(entry).fields.group_id))).toEqual(new Set([group?.id]));
    expect(uploadsOf(world)).toHaveLength(10);
    await world.run([starting(99, 'face 0.png', { group: group?.id ?? '' })], { name: 'Day 2' });
    expect(uploadsOf(world)).toHaveLength(10);
    expect(world.service.ledger.posts('/v1/asset-groups')).toHaveLength(1);
  });

  it('sends the same file apart for another model, role or group', async () => {
    world = await World.open({ settings });
    files(world, { 'a.png': 'a' });
    await world.run([
      starting(1, 'a.png'),
      starting(2, 'a.png', { model: 'vgen-2.0-cl' }),
      starting(3, 'a.png', { group: 'Foxes' }),
      shot(4, { params: { reference_images: ['a.png'] } }),
      starting(5, 'a.png'),
    ]);
    expectSaved(world, 5, 4);
  });

  it('leaves avatars, URLs and assets that the list names itself alone', async () => {
    world = await World.open({ settings });
    const made = strangeAsset(world, { syncMs: 5000 });
    await world.run([
      starting(1, `asset://${made.id}`),
      starting(2, 'https://media.example/a.png'),
      shot(3, { params: { avatar_asset_ids: ['avatar_7'] } }),
    ]);
    expect(uploadsOf(world)).toEqual([]);
    // Rule 3 of the reference: not before it is ready, and then by the same reference.
    expect(world.job('0001').state).toBe('saved');
    expect(namedIn(submitsOf(world).at(-1) ?? never())).toEqual([made.id]);
  });

  it('lets image edits carry their files themselves', async () => {
    world = await World.open({ settings });
    files(world, { 'a.png': pixel });
    await world.run([
      shot(1, {
        ...{ kind: 'image', model: 'image-demo', prompt: 'At night' },
        params: { operation: 'edit', image: 'a.png' },
      }),
    ]);
    expect(world.counts()).toMatchObject({ saved: 1 });
    expect(uploadsOf(world)).toEqual([]);
  });
});

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function never(): never {
  throw new Error('nothing was sent');
}
