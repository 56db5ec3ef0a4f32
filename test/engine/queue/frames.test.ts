import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { ffmpeg, framesOf } from '../../support/films.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { formOf, starting, submitsOf, uploadsOf } from '../library/media.ts';

let world: World;

const fast = { submit: 1000, poll: 1000, download: 1000 };
const settings = { maxRate: fast, concurrency: { submit: 16, poll: 16, download: 16 } };
forEachTest(
  (opened) => {
    world = opened;
    world.ffmpeg = ffmpeg;
  },
  { settings },
);

const film = (index: number): ShotSpec => shot(index, { params: { duration: 5 } });

const hash = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const frameFiles = (): string[] => readdirSync(join(world.projectPath, '.dailies', 'frames')).sort();
const uploaded = (): (string | undefined)[] => uploadsOf(world).map((entry) => formOf(entry).files[0]?.sha256);
const sourceOf = (key: string) => world.engine.review.details(world.job(key).id).recipe.from?.[0];

describe.runIf(ffmpeg !== null)('a shot that starts from a frame of another one', () => {
  it('waits for the film, sends its last frame as it is pinned, and says which it was', async () => {
    await world.run([starting(1, 'Shot://0002#last'), film(2)]);
    expect(world.counts()).toMatchObject({ saved: 2, failed: 0 });
    const source = world.job('0002');
    const path = join(world.projectPath, source.files[0] ?? '');
    const frames = framesOf(path);
    const number = frames.length - 1;
    expect(frameFiles()).toEqual([`${hash(readFileSync(path))}-${String(number)}.png`]);
    const picture = readFileSync(join(world.projectPath, '.dailies', 'frames', frameFiles()[0] ?? ''));
    expect((await sharp(picture).raw().toBuffer()).equals(frames[number] ?? Buffer.alloc(0))).toBe(true);
    expect(uploaded()).toEqual([hash(picture)]);

    const made = world.job('0001');
    expect(made.from).toEqual([
      { takeId: source.id, how: 'reference', output: 1, frame: number, shot: '0002', take: 1 },
    ]);
    expect(sourceOf('0001')).toEqual({
      ...{ takeId: source.id, how: 'reference', parameter: 'first_frame', cell: 'Shot://0002#last' },
      ...{ output: 1, frame: number, sha256: hash(picture) },
    });
    expect(world.sql('SELECT frame, sha256, attempt_id IS NOT NULL AS pinned FROM take_sources')).toEqual([
      { frame: number, sha256: hash(picture), pinned: 1 },
    ]);
    const { id } = made;
    await world.stop();
    expect(world.recipeOf(id)).toMatchObject({ from: [{ frame: number, sha256: hash(picture) }] });
    expect(world.manifest()).toContain(`0002 take 1 file 1 frame ${String(number)}`);
    await world.openOn('elsewhere');
    expect(world.job('0001').from).toEqual(made.from);
    expect(sourceOf('0001')?.sha256).toBe(hash(picture));
  });

  it('extracts a frame once for all that start from it', async () => {
    await world.run([
      film(1),
      ...[2, 3, 4].map((at) => starting(at, 'Shot://0001#last')),
      starting(5, 'Shot://0001#out'),
    ]);
    expect(world.counts()).toMatchObject({ saved: 5 });
    expect(frameFiles()).toHaveLength(1);
    // One content is one asset.
    expect(uploaded()).toHaveLength(1);
  });

  it('follows a chain through frames, and each is of the take before', async () => {
    await world.run([
      starting(4, 'Shot://0003#last'),
      starting(3, 'Shot://0002#1f'),
      starting(2, 'Shot://0001#first'),
      film(1),
    ]);
    expect(world.counts()).toMatchObject({ saved: 4 });
    for (const [key, before] of [
      ['0004', '0003'],
      ['0003', '0002'],
      ['0002', '0001'],
    ] as const)
      expect(world.job(key).from?.map(({ shot: of }) => of)).toEqual([before]);
  });

  it.each([
    ['Shot://0001#9999f', 'no_such_frame'],
    ['Shot://0001#999s', 'no_such_frame'],
  ])('%s fails at no charge', async (cell, code) => {
    await world.run([film(1), starting(2, cell)]);
    expect(world.job('0002')).toMatchObject({ state: 'rejected', failure: { code, cost: 'nothing' } });
    expect(submitsOf(world)).toHaveLength(1);
  });

  it('sends no frame that was changed, and extracts one again that is gone', async () => {
    await world.run([film(1), starting(2, 'Shot://0001#last')]);
    const file = join(world.projectPath, '.dailies', 'frames', frameFiles()[0] ?? '');
    rmSync(file);
    await world.run([film(1), starting(2, 'Shot://0001#last'), starting(3, 'Shot://0001#last')]);
    expect(world.counts()).toMatchObject({ saved: 3 });
    writeFileSync(file, 'something else');
    const before = uploaded();
    world.engine.review.judge([world.job('0003').id], { flag: 'reject' });
    await world.run([
      film(1),
      starting(4, 'Shot://0001#last', { params: { duration: 6, first_frame: 'Shot://0001#last' } }),
    ]);
    expect(uploaded().slice(before.length)).not.toContain(hash(Buffer.from('something else')));
  });

  it('fails at no charge when its film is in the trash', async () => {
    await world.run([film(1)]);
    await world.engine.trash.move('trashing', [world.job('0001').id], 'window');
    await world.run([film(1), starting(2, 'Shot://0001#last')]);
    expect(world.job('0002')).toMatchObject({
      state: 'rejected',
      failure: { code: 'takes_in_trash', cost: 'nothing' },
    });
  });
});

it.runIf(ffmpeg !== null)('waits without ffmpeg, says so, and goes on once there is one', async () => {
  world.ffmpeg = null;
  expect(await world.run([film(1), starting(2, 'Shot://0001#last')])).toEqual({ is: 'over' });
  expect(world.job('0002')).toMatchObject({ state: 'needs_assets', needsFrame: 'Shot://0001#last' });
  await world.pass(3_600_000);
  expect(submitsOf(world)).toHaveLength(1);
  world.ffmpeg = ffmpeg;
  await world.comesTo({ saved: 2 });
  expect(submitsOf(world)).toHaveLength(2);
});

it('in and out are those of the take, read by a window too, and takes from them alone are stale once they move', async () => {
  world.ffmpeg = null;
  await world.run([film(1)]);
  const { id } = world.job('0001');
  const mark = (marks: object) => world.engine.review.judge([id], { marks: [{ output: 1, ...marks }] });
  mark({ in: 2, out: 5 });
  await world.begin([
    film(1),
    starting(2, 'Shot://0001#in'),
    starting(3, 'Shot://0001#out'),
    starting(4, 'Shot://0001#1f'),
  ]);
  const { frames } = world.engine;
  await world.until('frames are wanted', () => frames.wanted().length === 3);
  expect(frames.wanted().map(({ frame }) => frame)).toEqual(['2f', '4f', '1f']);
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'grey' } })
    .png()
    .toBuffer();
  for (const [name, number] of [
    ['in', 2],
    ['4f', 4],
    ['1f', 1],
  ] as const)
    expect(await frames.give(id, 1, name, { number, picture })).toBe(true);
  expect(await frames.give(id, 1, 'out', { number: 5, picture })).toBe(false);
  await world.comesTo({ saved: 4 });
  const users = ['0002', '0003', '0004'];
  expect(users.map((key) => world.job(key).from?.[0]?.frame)).toEqual([2, 4, 1]);
  const stale = () => users.map((key) => world.job(key).stale?.why);
  expect(stale()).toEqual([undefined, undefined, undefined]);
  const { before } = mark({ in: 3 });
  expect(stale()).toEqual(['marked', undefined, undefined]);
  mark({ out: 6 });
  expect(stale()).toEqual(['marked', 'marked', undefined]);
  // Without one it is the last frame of the film.
  for (const [frames, why] of [
    [5, undefined],
    [9, 'marked'],
  ] as const) {
    mark({ out: null });
    world.engine.stores.outputs.saveFacts(id, 1, { frames });
    expect(stale()[1]).toBe(why);
  }
  mark({ out: 6 });
  world.engine.review.restore(before, { marks: [{ output: 1, in: 3 }] });
  expect(stale()).toEqual([undefined, 'marked', undefined]);
  await world.until('the manifest', () => /^0001,1,.*,2,6,,/m.test(world.manifest()));
});

describe('a shot of another batch', () => {
  it('is waited for, used, and kept from the trash while it is awaited', async () => {
    world = await World.open({ settings, service: { speed: { imageMs: 3_000_000 } } });
    const still = shot(1, { kind: 'image', model: 'image-demo', params: {} });
    await world.begin([still], { name: 'stills' });
    await world.begin([starting(1, 'Shot://stills:0001')], { name: 'films' });
    const waiting = () => world.jobs().find(({ batch }) => batch === 'films');
    await world.until('it waits', () => waiting()?.waitsFor === 'stills:0001');
    await world.comesTo({ saved: 2 });
    expect(waiting()?.from).toMatchObject([{ shot: '0001', take: 1, output: 1 }]);
    expect(submitsOf(world)).toHaveLength(1);
  });
});
