import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TakeFilter } from '../../../../src/contract/review.ts';
import type { ShotSpec } from '../../../../src/contract/shot.ts';
import { MeaningStore } from '../../../../src/engine/db/tool-store.ts';
import { forEachTest, type World } from '../../../support/world.ts';

let world: World;
let projectId: string;

const model = 'embed-demo';
const still = (key: string, prompt: string): ShotSpec => ({
  ...{ key, kind: 'image', model: 'image-demo', prompt, takes: 1 },
  ...{ params: {}, extra: {}, columns: {}, priority: 0 },
});
const script = (key: string, prompt: string): ShotSpec => ({ ...still(key, prompt), kind: 'text', model: 'chat-demo' });

/** The next answer of the service is these words of a model. */
const nextAnswerSays = (content: string): void => {
  const body = { id: 'chatcmpl_1', object: 'chat.completion', choices: [{ message: { role: 'assistant', content } }] };
  world.fault({ method: 'POST' }, { fault: 'status', status: 200, body, commit: true });
};
const posts = () => world.service.ledger.posts().filter(({ path }) => path === '/v1/embeddings');
const calls = () => posts().length;
/** How often a text was sent to be indexed. */
const timesSent = (text: string) =>
  posts()
    .flatMap(({ body }) => (body as { input: string[] }).input)
    .filter((sent) => sent === text).length;
const index = () => world.whilePumping(world.engine.tools.meaning.index({ projectId, model, isAgreed: false }));
const ask = (text: string) =>
  world.whilePumping(world.engine.tools.meaning.search({ projectId, model, text, limit: 10, isAgreed: false }));
const near = async (text: string, filter: Partial<TakeFilter> = {}) => {
  const wanted: TakeFilter = { projectId, sort: 'list', near: { model, text }, ...filter };
  const { total, takes } = await world.engine.review.list(wanted, { start: 0, count: 100 });
  expect(await world.engine.review.ids(wanted)).toHaveLength(total);
  return takes.map(({ shot }) => shot);
};

async function make(...shots: ShotSpec[]): Promise<void> {
  await world.run(shots);
  projectId = world.projectId;
}

/** Takes that are not sent, of a scene each. */
async function importScenes(count: number): Promise<ShotSpec[]> {
  const shots = Array.from({ length: count }, (_none, at) => still(`${String(at)}`, `Scene ${String(at)}`));
  await world.start();
  world.engine.queue.pause();
  await world.import(shots);
  projectId = world.projectId;
  return shots;
}

forEachTest((opened) => (world = opened));

describe('the takes nearest to a question', () => {
  it('are listed as review lists takes, nearest first and narrowed, and only once the question was paid for', async () => {
    await make(
      still('10', 'A child eats an apple'),
      still('20', 'A storm over the harbour at night'),
      still('30', 'A harbour in the morning'),
    );
    await index();
    await expect(near('storm at the harbour')).rejects.toMatchObject({ code: 'question_not_asked' });
    expect(calls()).toBe(1);

    expect(await ask('storm at the harbour')).toMatchObject({ type: 'found' });
    expect(await near('storm at the harbour')).toEqual(['20', '30', '10']);
    const [best = ''] = await world.engine.review.ids({
      projectId,
      sort: 'list',
      near: { model, text: 'storm at the harbour' },
    });
    world.engine.review.judge([best], { flag: 'reject' });
    expect(await near('storm at the harbour', { flag: 'none' })).toEqual(['30', '10']);
    expect(await world.engine.review.tally({ projectId, near: { model, text: 'storm at the harbour' } })).toEqual({
      ...{ pick: 0, alternate: 0, reject: 1, none: 2 },
    });
    expect(calls()).toBe(2);
  });

  it('are indexed a hundred texts a call, none of them twice, with what was added later', async () => {
    const shots = await importScenes(101);
    expect(await index()).toMatchObject({ texts: 101, indexed: 100 });
    expect(await index()).toMatchObject({ texts: 101, indexed: 101 });
    await world.import([...shots, still('new', 'A late scene')]);
    expect(await index()).toMatchObject({ texts: 102, indexed: 102 });
    expect(await index()).toMatchObject({ texts: 102, indexed: 102 });
    expect(calls()).toBe(3);
  });

  it('are read once for the calls of ten seconds, and then with what was added', async () => {
    const shots = await importScenes(301);
    const read = vi.spyOn(MeaningStore.prototype, 'texts');
    onTestFinished(() => read.mockRestore());
    const reads = (): number => read.mock.calls.filter(([, after]) => after === 0).length;
    expect(await index()).toMatchObject({ texts: 301, indexed: 100 });
    expect(await index()).toMatchObject({ texts: 301, indexed: 200 });
    expect(reads()).toBe(1);
    await world.import([...shots, still('new', 'A late scene')]);
    await world.whilePumping(world.clock.sleep(10_000));
    expect(await index()).toMatchObject({ texts: 302, indexed: 300 });
    expect(await index()).toMatchObject({ texts: 302, indexed: 302 });
    expect(reads()).toBe(2);
    expect(calls()).toBe(4);
  });

  it('are not paid for again where a question meanwhile had the words of one', async () => {
    await importScenes(102);
    await index();
    await ask('Scene 101');
    expect(await index()).toMatchObject({ texts: 102, indexed: 102 });
    expect(timesSent('Scene 101')).toBe(1);
  });

  it('are found by what a text take says, too', async () => {
    await world.start();
    nextAnswerSays('A lighthouse keeper winds the clockwork of the lamp.');
    await make(script('T1', 'The first scene'));
    await make(script('T1', 'The first scene'), still('10', 'A tram at noon'));
    expect(await index()).toMatchObject({ type: 'indexed', texts: 3, indexed: 3 });
    await ask('the keeper of a lighthouse');
    expect(await near('the keeper of a lighthouse')).toEqual(['T1', '10']);
  });

  it('leave out a text whose file is gone, and say that the rest is indexed', async () => {
    await make(script('T1', 'The first scene'));
    rmSync(join(world.projectPath, world.job('T1').files[0] ?? ''));
    expect(await index()).toMatchObject({ type: 'indexed', texts: 1, indexed: 1 });
  });
});
