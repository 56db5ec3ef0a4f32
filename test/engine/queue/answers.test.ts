import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, type TestContext } from 'vitest';
import type { AnswerShape } from '../../support/demo/service.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';
import { forEachTest, World, type WorldOptions } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const MINUTE = 60_000;
const SYNC = '/v1/images/generations';
const ASYNC = '/v1/images/generations/async';

let world: World;
forEachTest((opened) => (world = opened));

const picture = (index: number, params: ShotSpec['params'] = {}): ShotSpec =>
  shot(index, { kind: 'image', model: 'image-demo', params });

/** An account whose key has no access to the asynchronous entry: the answer is the result. */
async function openSynchronous(service: WorldOptions['service'] = {}): Promise<void> {
  world = await World.open({ service: { asyncImages: false, ...service } });
}

const asked = (path: string) => world.service.ledger.posts(path).length;
const batchFiles = () => readdirSync(join(world.projectPath, 'Day 1')).filter((name) => name !== 'manifest.csv');
const parts = () => readdirSync(join(world.projectPath, '.dailies', 'parts'));
const kept = () => readdirSync(join(world.dataFolder, 'answers'));

/** Killed once its answer, whose form is this, was on disk. */
async function killedWithAnswer(answer: 'b64_json' | 'bytes' = 'b64_json'): Promise<void> {
  await openSynchronous({ speed: { imageMs: 5000 } });
  if (answer === 'bytes') world.fault({ path: SYNC }, { fault: 'answer-shape', shape: answer });
  await world.begin([picture(1, answer === 'bytes' ? {} : { response_format: answer })]);
  await world.until('the synchronous submit', () => asked(SYNC) === 1);
  await world.kill({ afterAnswers: true });
}

/** The next start finds the answer and saves it, and nothing is asked for again. */
async function expectRecovered(): Promise<void> {
  await world.start();
  expect(world.engine.recovery).toMatchObject({ recoveredAnswers: 1, unknownSubmits: 0 });
  await world.settle();
  expect(world.job('0001').state).toBe('saved');
  expect(asked(SYNC)).toBe(1);
  expect([...parts(), ...kept()]).toEqual([]);
}

describe('an account without asynchronous pictures', () => {
  it('is served by the synchronous entry, after one refusal that cost nothing', async () => {
    await openSynchronous();
    await world.run([picture(1)]);
    await world.run([picture(1), picture(2)]);
    expect(world.counts()).toMatchObject({ saved: 2 });
    expect([asked(ASYNC), asked(SYNC)]).toEqual([1, 2]);
    expect(world.service.ledger.commits).toBe(2);
  });

  it('is offered the asynchronous entry again after a day', async () => {
    await openSynchronous();
    await world.run([picture(1)]);
    await world.pass(25 * 3_600_000);
    await world.run([picture(1), picture(2)]);
    expect([asked(ASYNC), asked(SYNC)]).toEqual([2, 2]);
    expect(world.service.ledger.commits).toBe(2);
  });

  it('gets no other picture than was asked for: a resolution only the asynchronous entry has is refused', async () => {
    await openSynchronous();
    await world.run([picture(1, { resolution: '2k' })]);
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { httpStatus: 403, cost: 'nothing' } });
    expect(asked(SYNC)).toBe(0);
  });
});

describe('an answer that is the result', () => {
  it.each(['b64_json', 'url'] as const)(
    'is saved whole as %s, every picture of it, and leaves no part behind',
    async (form) => {
      await openSynchronous({ tinyBytes: 50_000 });
      await world.run([picture(1, { response_format: form, n: 3 })]);
      expect(world.job('0001').state).toBe('saved');
      expect(batchFiles().toSorted()).toEqual(['0001_t1_1.png', '0001_t1_2.png', '0001_t1_3.png']);
      expect([...parts(), ...kept()]).toEqual([]);
      expect(world.service.ledger.commits).toBe(1);
    },
  );

  it.each([
    { what: 'cut inside', fault: { fault: 'cut' } as const },
    { what: 'reset in the middle', fault: { fault: 'reset', afterBytes: 100 } as const },
    { what: 'without any picture', fault: { fault: 'status', status: 200, body: { data: [] }, commit: true } as const },
    { what: 'a 504 of a proxy', fault: { fault: 'status', status: 504, commit: true } as const },
  ])('is of unknown fate and never asked for again by itself when it is $what', async ({ fault }) => {
    await openSynchronous();
    world.fault({ path: SYNC, times: 'always' }, fault);
    await world.run([picture(1)]);
    expect(world.job('0001')).toMatchObject({ state: 'submit_unknown', failure: { cost: 'maybe' } });
    await world.restart();
    await world.settle();
    await world.pass(30 * 3_600_000);
    expect(asked(SYNC)).toBe(1);
    expect(world.job('0001').state).toBe('submit_unknown');
  });

  it('is waited for far longer than a mere acceptance @night', async () => {
    await openSynchronous({ speed: { imageMs: 45 * 60_000, jitter: 0 } });
    await world.run([picture(1)]);
    expect(world.job('0001').state).toBe('saved');
  });
});

describe('an answer of an unfamiliar shape', () => {
  const comesAs = (shape: AnswerShape) => world.fault({ path: SYNC }, { fault: 'answer-shape', shape });

  it.each<[AnswerShape, number]>([
    ['bytes', 1],
    ['text-address', 1],
    ['data-urls', 2],
    ['images', 2],
    ['base64-images', 2],
    ['array', 2],
    ['image_url', 1],
    ['nested', 2],
  ])('is read and saved: %s', async (shape, files) => {
    await openSynchronous({ tinyBytes: 1000 });
    comesAs(shape);
    await world.run([picture(1, { n: 2 })]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: expect.objectContaining({ length: files }) });
    expect(world.service.ledger.commits).toBe(1);
    expect(kept()).toEqual([]);
  });

  it('is kept for a decision when nothing in it can be read, and names its addresses', async () => {
    await openSynchronous();
    comesAs('unknown');
    await world.run([picture(1)]);
    const { state, failure, keptAnswer } = world.job('0001');
    expect([state, failure?.code]).toEqual(['submit_unknown', 'answer_unread']);
    expect(readFileSync(keptAnswer?.file ?? '', 'utf8')).toContain('"outcome"');
    expect(keptAnswer?.addresses).toEqual([expect.stringContaining('/media/')]);

    const [url] = keptAnswer?.addresses ?? [];
    expect(world.engine.jobs.resolve(world.job('0001').id, { action: 'accept', url })).toMatchObject({ ok: true });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.png'] });
    expect(asked(SYNC)).toBe(1);
    expect(kept()).toEqual([]);
  });

  it('can be saved itself as the file, by decision', async () => {
    await openSynchronous();
    // An error beside the picture: nobody but a person can say which of the two counts.
    const body = { error: { message: 'Half of it was refused.' } };
    world.fault({ path: SYNC }, { fault: 'status', status: 200, body, commit: true });
    await world.run([picture(1)]);
    const { id, keptAnswer } = world.job('0001');
    writeFileSync(keptAnswer?.file ?? '', await aPicture());
    expect(world.engine.jobs.resolve(id, { action: 'accept' })).toMatchObject({ ok: true });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.png'] });
    expect(asked(SYNC)).toBe(1);
  });

  it('is no way out where none was kept', async () => {
    await openSynchronous();
    world.fault({ path: SYNC }, { fault: 'status', status: 502, commit: true });
    await world.run([picture(1)]);
    const answer = world.engine.jobs.resolve(world.job('0001').id, { action: 'accept' });
    expect(answer).toMatchObject({ ok: false, problem: expect.saying(/No answer/) });
    expect(world.job('0001').state).toBe('submit_unknown');
  });

  it('is found whole after a kill too, when it is the bytes of a picture', async () => {
    await killedWithAnswer('bytes');
    await expectRecovered();
  });

  it('is taken at a later start when its disk was away at one', async () => {
    await killedWithAnswer();
    // As when the data folder took nothing: the answer lies in the project folder, which is away.
    const [answer = ''] = kept();
    renameSync(join(world.dataFolder, 'answers', answer), join(world.projectPath, '.dailies', 'parts', answer));
    renameSync(world.projectPath, `${world.projectPath} away`);
    await world.start();
    expect(world.job('0001').state).toBe('submit_unknown');
    await world.stop();
    renameSync(`${world.projectPath} away`, world.projectPath);
    await expectRecovered();
  });
});

describe('a process that was killed while an answer came in', () => {
  it('finds the answer that lies whole on disk, and pays for nothing again', async () => {
    await killedWithAnswer();
    await expectRecovered();
  });

  it('finds it in the project folder, where it lies if the data folder took nothing', async () => {
    await killedWithAnswer();
    const [answer = ''] = kept();
    cpSync(join(world.dataFolder, 'answers', answer), join(world.projectPath, '.dailies', 'parts', answer));
    rmSync(join(world.dataFolder, 'answers'), { recursive: true });
    await expectRecovered();
  });

  it('asks a person when the answer on disk is cut short', async () => {
    await killedWithAnswer();
    const [answer = ''] = kept();
    truncateSync(join(world.dataFolder, 'answers', answer), 50);
    await world.start();
    expect(world.engine.recovery).toMatchObject({ recoveredAnswers: 0, unknownSubmits: 1 });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'submit_unknown', failure: { code: 'interrupted_submit' } });
    expect(asked(SYNC)).toBe(1);
  });
});

describe('a paid answer that no disk of its project takes', () => {
  const away = () => `${world.projectPath} (away)`;
  const readOnly = (yes: boolean) =>
    void execFileSync('mount', ['-o', `remount,${yes ? 'ro' : 'rw'}`, world.projectPath], { stdio: 'pipe' });

  let disk: SmallDisk | null = null;
  afterEach(async () => {
    if (!disk) return;
    await world.stop();
    disk.unmount();
    disk = null;
  });

  function ownDisk(context: TestContext): SmallDisk {
    const mounted = mountSmallDisk(world.projectPath, 2 * 1024 ** 2);
    if ('reason' in mounted) return context.skip(mounted.reason);
    return (disk = mounted);
  }

  /** Sent and not answered yet. */
  async function sent(): Promise<void> {
    await world.begin([picture(1, { response_format: 'b64_json', n: 2 })]);
    await world.until('the synchronous submit', () => asked(SYNC) === 1);
  }

  async function isFetchedWithoutARestart(): Promise<void> {
    await world.comesTo({ '0001': 'saved' });
    expect(batchFiles().toSorted()).toEqual(['0001_t1_1.png', '0001_t1_2.png']);
    expect(world.service.ledger.commits).toBe(1);
    expect([...parts(), ...kept()]).toEqual([]);
  }

  it('waits in the data folder while the project folder is away', async () => {
    await openSynchronous({ speed: { imageMs: 60_000 } });
    await sent();
    renameSync(world.projectPath, away());
    await world.pass(10 * MINUTE);
    expect(world.job('0001')).toMatchObject({ state: 'downloading', paused: null, failure: { cost: 'charged' } });
    expect(existsSync(world.projectPath)).toBe(false);
    renameSync(away(), world.projectPath);
    await isFetchedWithoutARestart();
  });

  it('waits in the data folder while the disk is read-only', async (context) => {
    await openSynchronous({ speed: { imageMs: 60_000 } });
    ownDisk(context);
    await sent();
    readOnly(true);
    await world.pass(10 * MINUTE);
    expect(world.job('0001')).toMatchObject({ state: 'downloading', paused: null, failure: { cost: 'charged' } });
    readOnly(false);
    await isFetchedWithoutARestart();
  });

  it('waits in the data folder while the disk is full, keeping no stop waiting, and outlives it', async (context) => {
    await openSynchronous({ speed: { imageMs: 60_000 } });
    const small = ownDisk(context);
    await sent();
    small.fill();
    await world.pass(10 * MINUTE);
    const before = world.clock.now();
    await world.stop();
    expect(world.clock.now()).toBe(before);
    small.free();
    await world.start();
    expect(world.engine.recovery.unknownSubmits).toBe(0);
    await isFetchedWithoutARestart();
  });

  it('goes to the project folder when the data folder takes nothing', async () => {
    await openSynchronous({ speed: { imageMs: 60_000 } });
    await sent();
    rmSync(join(world.dataFolder, 'answers'), { recursive: true });
    await world.comesTo({ '0001': 'saved' });
    expect(world.log.lines.join()).toContain('could not be kept on disk');
    expect(parts()).toEqual([]);
  });

  it('is kept by a stop, though no disk took it before', async () => {
    await openSynchronous({ speed: { imageMs: 60_000 } });
    await sent();
    rmSync(join(world.dataFolder, 'answers'), { recursive: true });
    renameSync(world.projectPath, away());
    await world.pass(10 * MINUTE);
    expect(world.job('0001').state).toBe('submitting');
    mkdirSync(join(world.dataFolder, 'answers'));
    await world.stop();
    expect(kept()).toHaveLength(1);
    renameSync(away(), world.projectPath);
    await world.start();
    expect(world.engine.recovery.unknownSubmits).toBe(0);
    await isFetchedWithoutARestart();
  });

  it('is unpacked again at each retry by a person: a part file that was lost does no harm', async () => {
    await openSynchronous();
    const body = { data: [{ b64_json: Buffer.from('no picture').toString('base64') }] };
    world.fault({ path: SYNC }, { fault: 'status', status: 200, body, commit: true });
    await world.run([picture(1)]);
    const { id, state, failure } = world.job('0001');
    expect(state).toBe('download_blocked');
    for (const name of parts()) rmSync(join(world.projectPath, '.dailies', 'parts', name));
    expect(world.engine.jobs.retry(id)).toMatchObject({ ok: true });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'download_blocked', failure: { message: failure?.message } });
    expect([parts().length, kept().length]).toEqual([1, 1]);
  });
});

describe('a picture that is made of another', () => {
  it('is sent with its file, to the one entry and, refused there, to the other', async () => {
    await openSynchronous();
    writeFileSync(join(world.folder, 'plate.png'), await aPicture());
    await world.run([picture(1, { operation: 'edit', image: 'plate.png' })]);
    expect(world.job('0001').state).toBe('saved');
    const [refused, sent] = world.service.ledger.posts();
    expect([refused?.status, sent?.status]).toEqual([403, 200]);
    expect(sent?.body).toMatchObject({ fields: { prompt: 'Shot 1' } });
  });

  it('costs nothing when its file is gone before it is sent', async () => {
    await openSynchronous();
    await world.run([picture(1, { operation: 'edit', image: 'gone.png' }), picture(2)]);
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { cost: 'nothing' } });
    expect(world.job('0001').failure?.message).saying(/gone\.png/);
    expect(world.job('0002').state).toBe('saved');
  });
});

async function aPicture(): Promise<Buffer> {
  const maker = await World.open();
  await maker.run([picture(9)]);
  const made = readFileSync(join(maker.projectPath, 'Day 1', '0009_t1.png'));
  await maker.close();
  return made;
}

const still = (index: number, model = 'image-demo'): ShotSpec => shot(index, { kind: 'image', model });
describe('the asynchronous image entry', () => {
  it.each([
    ['that does not exist', null],
    ['that the account may not use', { status: 403, message: 'Your account may not use this model.' }],
  ])('stays the entry of all others when the list names a model %s', async (_what, refusal) => {
    if (refusal) {
      const body = { error: { message: refusal.message, code: 'model_not_allowed' } };
      world.fault({ model: 'image-dmeo' }, { fault: 'status', status: refusal.status, body });
    }
    await world.run([still(1, 'image-dmeo')]);
    await world.run([still(2), still(3)], { name: 'Day 2' });
    expect(world.job('0001')).toMatchObject({
      state: 'rejected',
      failure: { cost: 'nothing', remedy: expect.saying(/assumed.imageEntry/) as unknown },
    });
    expect([asked(ASYNC), asked(SYNC), world.counts().saved]).toEqual([3, 0, 2]);
  });

  it('is left for one model alone when it is not there for it', async () => {
    world = await World.open({ service: { asyncImages: { without: ['image-demo-pro'] } } });
    await world.run([still(1, 'image-demo-pro'), still(2)]);
    await world.run([still(3, 'image-demo-pro'), still(4)], { name: 'Day 2' });
    expect(world.counts()).toMatchObject({ saved: 4 });
    const models = (path: string) => world.service.ledger.posts(path).map(({ body }) => (body as ShotSpec).model);
    expect(models(ASYNC).toSorted()).toEqual(['image-demo', 'image-demo', 'image-demo-pro']);
    expect(models(SYNC)).toEqual(['image-demo-pro', 'image-demo-pro']);
    expect(world.service.ledger.commits).toBe(4);
  });

  it('is passed over where the settings say so', async () => {
    world = await World.open({ settings: { assumed: { imageEntry: 'synchronous' } } });
    await world.run([still(1)]);
    expect([asked(ASYNC), asked(SYNC), world.counts().saved]).toEqual([0, 1, 1]);
  });
});

const speech = (index: number) => shot(index, { kind: 'speech', model: 'speech-demo', params: { voice: 'alto' } });
const image = (index: number) => shot(index, { kind: 'image', model: 'image-demo', params: {} });

describe('answers that come compressed although they were asked not to', () => {
  it.each(['gzip', 'deflate', 'br'] as const)('are saved as what they are: %s', async (as) => {
    world.fault({ times: 'always' }, { fault: 'encoded', as });
    await world.run([shot(1), speech(2), image(3)]);
    expect(world.jobs().map(({ state }) => state)).toEqual(['saved', 'saved', 'saved']);
    expect(world.job('0002').files).toEqual(['Day 1/0002_t1.mp3']);
    expect(world.jobs().map(({ remarks }) => remarks)).toEqual([undefined, undefined, undefined]);
    expect(world.service.ledger.commits).toBe(3);
    expect(readdirSync(join(world.dataFolder, 'answers'))).toEqual([]);
  });

  it('need a decision when they are not compressed as they say, and a person takes the bytes as they came', async () => {
    world.fault({ method: 'POST' }, { fault: 'encoded', as: 'gzip', isLie: true });
    await world.run([speech(1)]);
    const { id, state, failure, keptAnswer } = world.job('0001');
    expect({ state, cost: failure?.cost }).toEqual({ state: 'submit_unknown', cost: 'maybe' });
    const kept = readFileSync(keptAnswer?.file ?? '');
    await world.engine.jobs.resolve(id, { action: 'accept' });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp3'] });
    expect(readFileSync(join(world.projectPath, 'Day 1/0001_t1.mp3')).equals(kept)).toBe(true);
    expect(world.posts()).toHaveLength(1);
  });
});

it('an interim answer that nobody asked for is skipped, and nothing is sent twice', async () => {
  world.fault({ times: 'always' }, { fault: 'continue' });
  await world.run([shot(1), speech(2)]);
  expect(world.jobs().map(({ state }) => state)).toEqual(['saved', 'saved']);
  expect(world.posts()).toHaveLength(2);
});
