import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { formOf, namedIn, starting, submitsOf, uploadsOf } from '../library/media.ts';

let world: World;

const fast = { submit: 1000, poll: 1000, download: 1000 };
const settings = { maxRate: fast, concurrency: { submit: 16, poll: 16, download: 16 } };
forEachTest((opened) => (world = opened), { settings });

const still = (index: number, changes: Partial<ShotSpec> = {}): ShotSpec =>
  shot(index, { kind: 'image', model: 'image-demo', params: {}, ...changes });

const contentOf = (file: string): string =>
  createHash('sha256')
    .update(readFileSync(join(world.projectPath, file)))
    .digest('hex');

/** Content of each upload, in order. */
const uploaded = (): (string | undefined)[] => uploadsOf(world).map((entry) => formOf(entry).files[0]?.sha256);

describe('a shot that names another one', () => {
  it('waits for its take, uploads that file, and is sent with it', async () => {
    await world.start();
    const waited = new Set<string | undefined>();
    world.engine.subscribe(
      (event) => event.type === 'job' && event.job.shot === '0001' && waited.add(event.job.waitsFor),
    );
    expect(await world.run([starting(1, 'Shot://0002'), still(2)])).toEqual({ is: 'over' });

    expect(world.counts()).toMatchObject({ saved: 2 });
    expect(waited).toContain('0002');
    const source = world.job('0002');
    expect(uploaded()).toEqual([contentOf(source.files[0] ?? '')]);
    expect(submitsOf(world).map(namedIn)).toEqual([[expect.any(String)]]);
    // The POST of the still was answered long before that of the video.
    expect(world.posts('0002')[0]?.n).toBeLessThan(submitsOf(world)[0]?.n ?? 0);

    const made = world.job('0001');
    expect(made.from).toEqual([{ takeId: source.id, how: 'reference', output: 1, shot: '0002', take: 1 }]);
    const sha256 = contentOf(source.files[0] ?? '');
    await world.stop();
    expect(world.recipeOf(made.id)).toMatchObject({
      shot: { params: { first_frame: 'Shot://0002' } },
      from: [{ takeId: source.id, how: 'reference', parameter: 'first_frame', cell: 'Shot://0002', output: 1, sha256 }],
      assets: [{ parameter: 'first_frame', path: 'Shot://0002', sha256 }],
    });
    const manifest = world.manifest();
    expect(manifest).toContain('0002 take 1 file 1');
  });

  it('names an output by its number, in lists and references too', async () => {
    const references = [{ media_type: 'image', role: 'reference_image', url: 'Shot://0001/2', alias: 'hero' }];
    await world.run([
      still(1, { params: { n: 3 } }),
      shot(2, { params: { reference_images: ['Shot://0001/3', 'Shot://0001'] } }),
      shot(3, { params: { references } }),
    ]);
    expect(world.counts()).toMatchObject({ saved: 3 });
    const { files } = world.job('0001');
    expect(new Set(uploaded())).toEqual(new Set(files.map(contentOf)));
    expect(world.job('0002').from?.map(({ output }) => output)).toEqual([1, 3]);
    expect(world.job('0003').from?.map(({ output }) => output)).toEqual([2]);
    // A window shows the same files beside the cells that name them.
    const { drafts } = world.engine;
    const { id } = await drafts.open(
      world.job('0001').projectId,
      { type: 'batch', batchId: world.job('0001').batchId },
      {},
    );
    const take = { takeId: world.job('0001').id, kind: 'image', format: 'png' };
    expect(await drafts.shots(id, ['0001/3', '1', '0001/9', 'nobody'])).toEqual([
      { ...take, number: 3 },
      { ...take, number: 1 },
      null,
      null,
    ]);
  });

  it('sends an image with an edit as the file of the take', async () => {
    await world.run([
      still(1),
      still(2, { prompt: 'Make it night', params: { operation: 'edit', image: 'Shot://0001' } }),
    ]);
    expect(world.counts()).toMatchObject({ saved: 2 });
    expect(uploadsOf(world)).toEqual([]);
    const edit = world.posts().find(({ path }) => path.includes('/edits'));
    expect(formOf(edit).files[0]?.sha256).toBe(contentOf(world.job('0001').files[0] ?? ''));
  });

  it("is sent after every shot it names, whatever the list's order @night", async () => {
    world = await World.open({ settings, service: { speed: { videoMs: 0 } } });
    await world.start();
    const graph = fc.array(fc.uniqueArray(fc.nat({ max: 7 }), { maxLength: 3 }), { minLength: 8, maxLength: 8 });
    let lists = 0;
    const sentInOrder = async (named: readonly (readonly number[])[]): Promise<void> => {
      lists += 1;
      const name = `List ${String(lists)}`;
      const prompt = (at: number): string => `${name}, shot ${String(at)}`;
      const keyOf = (at: number): string => String(at).padStart(4, '0');
      // A shot names only those with a smaller number: no circle. The list has them the other way round.
      const sources = named.map((shots, at) => shots.filter((other) => other < at));
      const shots = sources.map((names, at) => {
        const videos = names.map((other) => `Shot://${keyOf(other)}`);
        return shot(at, { prompt: prompt(at), params: videos.length === 0 ? {} : { reference_videos: videos } });
      });
      await world.run(shots.reverse(), { name });
      const sent = submitsOf(world).map(({ body }) => (body as { prompt: string }).prompt);
      sources.forEach((names, at) => {
        expect(sent.filter((each) => each === prompt(at))).toHaveLength(1);
        for (const other of names) expect(sent.indexOf(prompt(other))).toBeLessThan(sent.indexOf(prompt(at)));
      });
    };
    await fc.assert(fc.asyncProperty(graph, sentInOrder), { numRuns: 6, endOnFailure: true });
    expect(world.counts()).toMatchObject({ failed: 0, unknown: 0, unfinished: 0 });
  });

  it('may be prompted by a text shot, whose words it keeps whatever becomes of the file', async () => {
    world.fault({ method: 'POST', path: '/v1/images/*' }, { fault: 'status', status: 400 });
    const writer = shot(1, { kind: 'text', model: 'chat-demo', params: {}, prompt: 'A tagline' });
    await world.run([still(2, { prompt: 'Shot://0001' }), writer]);
    const file = join(world.projectPath, world.job('0001').files[0] ?? '');
    const words = readFileSync(file, 'utf8').trim();
    expect(words).toContain('A tagline');
    appendFileSync(file, 'Something else.');
    world.engine.jobs.retry(world.job('0002').id);
    await world.comesTo({ saved: 2 });
    const sent = world.posts().filter(({ path }) => path.startsWith('/v1/images/'));
    expect(sent).toHaveLength(2);
    expect(sent[1]?.body).toEqual(sent[0]?.body);
    expect(sent[0]?.body).toMatchObject({ prompt: words });
    const { id } = world.job('0002');
    await world.stop();
    expect(world.recipeOf(id)).toMatchObject({
      shot: { prompt: 'Shot://0001' },
      from: [{ how: 'reference', parameter: 'prompt', cell: 'Shot://0001', text: words }],
    });
  });

  it('takes the pick before the newest take, and never what a person rejected', async () => {
    await world.run([still(1, { takes: 3 })]);
    const takes = [1, 2, 3].map((take) => world.job('0001', take));
    const named = async (index: number): Promise<number | undefined> => {
      await world.run([
        still(1, { takes: 3 }),
        ...Array.from({ length: index }, (_, at) => starting(at + 2, 'Shot://0001')),
      ]);
      return world.job(String(index + 1).padStart(4, '0')).from?.[0]?.take;
    };
    expect(await named(1)).toBe(3);
    world.engine.review.judge([takes[0]?.id ?? ''], { flag: 'pick' });
    expect(await named(2)).toBe(1);
    world.engine.review.judge([takes[0]?.id ?? '', takes[2]?.id ?? ''], { flag: 'reject' });
    expect(await named(3)).toBe(2);
    // What was prepared with another take stays as it was.
    expect(world.job('0002').from?.[0]?.take).toBe(3);
  });

  it('waits for the newest text of the row: a take of an earlier one is no answer', async () => {
    await world.run([still(1)]);
    world.engine.review.judge([world.job('0001').id], { flag: 'pick' });
    await world.run([still(1, { prompt: 'Another harbour' }), starting(2, 'Shot://0001')]);
    expect(world.job('0002').from?.[0]?.take).toBe(2);
  });

  it('fails without a charge when every take of the other failed, and looks again when it is retried', async () => {
    world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'status', status: 400 });
    await world.run([
      still(1),
      starting(2, 'Shot://0001'),
      starting(3, 'Shot://0002', { params: { video: 'Shot://0002' } }),
    ]);
    expect(world.jobs().map(({ state }) => state)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(submitsOf(world)).toEqual([]);
    expect(world.job('0002').failure).toMatchObject({
      code: 'no_result',
      cost: 'nothing',
      message: expect.saying('Shot://0001 (first_frame): Shot 0001 has no saved take that can be used.'),
    });
    for (const { id } of world.jobs()) world.engine.jobs.retry(id);
    await world.comesTo({ saved: 3 });
    expect(world.posts().length - uploadsOf(world).length).toBe(4);
  });

  it('goes on waiting while a decision may still bring a result, and holds up nothing', async () => {
    world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'reset', commit: true });
    const settled = await world.run([still(1), starting(2, 'Shot://0001'), shot(3)]);
    expect(settled).toEqual({ is: 'over' });
    expect(world.jobs().map(({ state }) => state)).toEqual(['submit_unknown', 'needs_assets', 'saved']);
    expect(world.job('0002').waitsFor).toBe('0001');
    world.engine.jobs.resolve(world.job('0001').id, { action: 'resubmit' });
    await world.comesTo({ saved: 3, unknown: 0 });
  });

  it('asks nobody while it waits', async () => {
    world = await World.open({ settings, service: { speed: { imageMs: 3_000_000 } } });
    await world.begin([still(1), starting(2, 'Shot://0001')]);
    await world.until('it waits', () => world.job('0002').waitsFor === '0001');
    const { updatedAt } = world.job('0002');
    await world.pass(1_800_000);
    expect(world.job('0002')).toMatchObject({ waitsFor: '0001', updatedAt });
    await world.comesTo({ saved: 2 });
  });

  it.each([
    ['it waits', () => world.job('0001').waitsFor === '0002'],
    ['the other is saved', () => world.job('0002').state === 'saved'],
    ['its file is on its way', () => uploadsOf(world).length > 0],
    ['its file is there', () => world.job('0001').from !== undefined && world.job('0001').state === 'needs_assets'],
    ['it is sent', () => submitsOf(world).length > 0],
    ['it is accepted', () => world.job('0001').taskId !== undefined],
  ])('is sent once, with one file, when Dailies is killed as %s', async (what, holds) => {
    await world.begin([starting(1, 'Shot://0002'), still(2)]);
    await world.until(what, holds);
    await world.kill();
    await world.start();
    await world.settle();
    expect(submitsOf(world)).toHaveLength(1);
    expect(uploadsOf(world)).toHaveLength(1);
    expect(world.counts()).toMatchObject({ failed: 0, unfinished: 0 });
    expect(world.job('0001').from).toMatchObject([{ shot: '0002', take: 1 }]);
  });

  it('is known by its recipe alone where nobody has seen its database', async () => {
    await world.run([starting(1, 'Shot://0002'), still(2)]);
    const before = world.job('0001').from;
    await world.openOn('elsewhere');
    expect(world.job('0001').from).toEqual(before);
    expect(world.engine.review.details(world.job('0001').id).recipe.from).toMatchObject([{ cell: 'Shot://0002' }]);
  });

  it('does not send a chosen file that changed or is gone', async () => {
    await world.run([still(1)]);
    const file = join(world.projectPath, world.job('0001').files[0] ?? '');
    appendFileSync(file, 'x');
    await world.run([still(1), starting(2, 'Shot://0001')]);
    expect(world.job('0002')).toMatchObject({ state: 'rejected', failure: { code: 'file_changed', cost: 'nothing' } });
    rmSync(file);
    expect(existsSync(file)).toBe(false);
    await world.run([still(1), starting(2, 'Shot://0001'), starting(3, 'Shot://0001')]);
    expect(world.job('0003')).toMatchObject({ state: 'rejected', failure: { cost: 'nothing' } });
    expect(submitsOf(world)).toEqual([]);
    expect(uploadsOf(world)).toEqual([]);
  });
});
