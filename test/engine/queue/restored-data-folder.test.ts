import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import type { Recipe } from '../../../src/contract/take.ts';
import { databaseFile } from '../../../src/engine/db/open.ts';
import { errorSaying } from '../../support/saying.ts';
import { forEachTest, World, type WorldOptions } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

const backup = () => `${world.dataFolder}-backup`;
const picture = (index: number): ShotSpec => shot(index, { kind: 'image', model: 'image-demo', params: {} });

/** A list is imported, and the data folder copied before anything of it is sent. */
async function importAndBackUp(shots: readonly ShotSpec[], options: WorldOptions = {}): Promise<void> {
  world = await World.open(options);
  await world.import(shots);
  await world.stop();
  cpSync(world.dataFolder, backup(), { recursive: true });
  await world.start();
}

/** What happened since the copy was made is forgotten. */
async function restore(): Promise<void> {
  await world.stop();
  rmSync(world.dataFolder, { recursive: true });
  cpSync(backup(), world.dataFolder, { recursive: true });
  await world.start();
}

function emptyBackup(): void {
  rmSync(backup(), { recursive: true });
  mkdirSync(backup());
}

function recipePath(prompt: string): string {
  const folder = join(world.projectPath, '.dailies', 'takes');
  const names = readdirSync(folder).map((name) => join(folder, name));
  return names.find((path) => readFileSync(path, 'utf8').includes(`"${prompt}"`)) ?? '';
}

const recipe = (prompt: string): Recipe => JSON.parse(readFileSync(recipePath(prompt), 'utf8')) as Recipe;

/** A recipe as it lies there when the process is killed right after announcing a request. */
function onlyAnnounced(prompt: string): void {
  const { failure: _failure, taskId: _taskId, ...announced } = recipe(prompt);
  writeFileSync(recipePath(prompt), JSON.stringify({ ...announced, state: 'submitting' }));
}

describe('a data folder that was replaced by an older copy', () => {
  it('follows sent tasks, keeps saved takes, lists every doubt and sends nothing again', async () => {
    await importAndBackUp([shot(1), shot(2), shot(3)]);
    world.fault({ method: 'POST', prompt: 'Shot 2' }, { fault: 'reset', commit: true });
    const slow = { fault: 'outcome', end: 'succeeded', takesMs: 3_600_000 } as const;
    world.fault({ method: 'POST', prompt: 'Shot 3' }, slow);
    world.engine.queue.run({});
    await world.until('the first file', () => world.job('0001').state === 'saved' && world.posts().length === 3);
    await restore();
    await world.comesTo({ posts: 3 });
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp4'] });
    expect(world.job('0002')).toMatchObject({ state: 'submit_unknown', failure: { cost: 'maybe' } });
    expect(world.job('0003')).toMatchObject({ state: 'saved', files: ['Day 1/0003_t1.mp4'] });
  });

  it.each(['an older copy', 'a fresh folder'])(
    'has a decision made of a request that was only announced: %s',
    async (kind) => {
      await importAndBackUp([shot(1)]);
      world.fault({ method: 'POST' }, { fault: 'reset', commit: true });
      await world.settle();
      onlyAnnounced('Shot 1');
      if (kind === 'a fresh folder') emptyBackup();
      await restore();
      if (kind === 'a fresh folder') await world.openProject();
      await world.comesTo({ posts: 1 });
      expect(world.job('0001')).toMatchObject({
        state: 'submit_unknown',
        standing: 'unknown',
        failure: { code: 'sent_elsewhere', cost: 'maybe' },
      });
    },
  );

  it('sends again what a person decides to send again, once, as its second attempt', async () => {
    await importAndBackUp([shot(1)]);
    world.fault({ method: 'POST' }, { fault: 'reset', commit: false });
    await world.settle();
    onlyAnnounced('Shot 1');
    await restore();
    await world.settle();
    const { id } = world.job('0001');
    world.engine.jobs.resolve(id, { action: 'resubmit' });
    await world.comesTo({ '0001': 'saved', posts: 2 });
    await world.stop();
    expect(world.journal(id)).toMatchObject([{ number: 1 }, { number: 2, outcome: 'accepted' }]);
  });

  it('shows no shot as new that was paid for, before anybody has opened the project', async () => {
    await importAndBackUp([shot(1)]);
    await world.run([shot(1), shot(2), shot(3)]);
    expect(world.counts().saved).toBe(3);
    const [project] = world.engine.stores.projects.list();
    const list = 'shot,kind,model,prompt,duration\n' + [1, 2, 3].map(row).join('\n');
    await restore();
    const source = { type: 'text', name: 'Day 1.csv', text: list } as const;
    const draft = await world.engine.drafts.open(project?.id ?? '', source, {});
    expect(await world.engine.drafts.plan(draft.id, 'Day 1', false)).toMatchObject({ newTakes: 0 });
    expect((await world.engine.drafts.start(draft.id, 'Day 1', false)).newTakes).toBe(0);
  });

  it('knows the task of a request that it thinks was never answered', async () => {
    await world.import([shot(1)]);
    world.fault({ method: 'POST' }, { fault: 'hang', commit: true });
    world.engine.queue.run({});
    await world.until('the request', () => world.posts().length === 1);
    await world.kill();
    const { taskId } = world.posts()[0] ?? {};
    writeFileSync(recipePath('Shot 1'), JSON.stringify({ ...recipe('Shot 1'), state: 'accepted', taskId }));
    const { recovery } = await world.start();
    expect(recovery.unknownSubmits).toBe(0);
    await world.comesTo({ '0001': 'saved', posts: 1 });
  });
});

describe('a damaged database that a person moves away, as the message says', () => {
  it('loses no paid answer beside it, and sends nothing again', async () => {
    const line = shot(1, { kind: 'speech', model: 'speech-demo', params: { voice: 'alto' } });
    const fills = { get: () => (world.service.ledger.commits > 0 ? 0 : 1024 ** 4), configurable: true };
    Object.defineProperty(world, 'freeBytes', fills);
    await world.begin([line]);
    await world.until('the answer', () => world.job('0001').state === 'downloading');
    await world.rest();
    await world.stop();
    writeFileSync(databaseFile(world.dataFolder), 'no database any more, but long enough to be read as one');
    await expect(world.start()).rejects.toThrow(errorSaying(/dailies\.db is damaged/));
    for (const name of readdirSync(world.dataFolder).filter((each) => each.startsWith('dailies.db')))
      rmSync(join(world.dataFolder, name));
    Object.defineProperty(world, 'freeBytes', { value: 1024 ** 4 });
    await world.openProject();
    await world.run([line]);
    expect(world.job('0001')).toMatchObject({ state: 'saved', files: ['Day 1/0001_t1.mp3'] });
    expect(world.service.ledger.commits).toBe(1);
  });
});

const row = (index: number): string => `${shot(index).key},video,${shot(index).model},Shot ${String(index)},5`;

describe('the recipes in a project folder', () => {
  it('say that a request is of unknown fate after the start that found it so', async () => {
    await world.import([shot(1)]);
    world.fault({ method: 'POST' }, { fault: 'hang', commit: true });
    world.engine.queue.run({});
    await world.until('the request', () => world.posts().length === 1);
    await world.kill();
    onlyAnnounced('Shot 1');
    const { recovery } = await world.start();
    expect(recovery.unknownSubmits).toBe(1);
    expect(recipe('Shot 1')).toMatchObject({ state: 'submit_unknown', failure: { code: 'interrupted_submit' } });
  });

  it('say that a picture was answered while its file is not there yet', async () => {
    await importAndBackUp([picture(1)], { service: { asyncImages: false } });
    const fills = { get: () => (world.service.ledger.commits > 0 ? 0 : 1024 ** 4) };
    Object.defineProperty(world, 'freeBytes', fills);
    world.engine.queue.run({});
    await world.until('the answer', () => world.job('0001').state === 'downloading');
    await world.rest();
    expect(recipe('Shot 1')).toMatchObject({ state: 'downloading' });
  });
});

const recipes = (): string[] => {
  const folder = join(world.projectPath, '.dailies', 'takes');
  return readdirSync(folder).map((name) => join(folder, name));
};
const spent = () => world.engine.stores.ledger.totals({});
const states = (): string[] => world.jobs().map(({ state }) => state);

/** Sends the list from a data folder that knows nothing of the project; the service answers with one task for all. */
async function sendFrom(dataFolder: string): Promise<void> {
  await world.stop();
  world.dataFolder = join(world.folder, dataFolder);
  world.fault({ method: 'POST' }, { fault: 'task-id', id: 'task_same' });
  await world.run([shot(1)]);
  expect(states()).toEqual(['saved']);
  await world.stop();
}

describe('one result in the takes of two data folders', () => {
  it('counts once in takes and sums, and the other request is one of unknown fate', async () => {
    world = await World.open({ settings: { prices: [{ model: '*', per: 'take', price: 2 }] } });
    await sendFrom('first');
    const [first = ''] = recipes();
    const ofFirst = readFileSync(first);
    rmSync(first);
    await sendFrom('second');
    writeFileSync(first, ofFirst);

    await world.openProject();
    expect(states().toSorted()).toEqual(['saved', 'submit_unknown']);
    const [twin] = world.jobs().filter(({ state }) => state === 'submit_unknown');
    expect(twin).toMatchObject({ failure: { code: 'task_of_another', cost: 'maybe' }, files: [] });
    expect(spent()).toMatchObject({ settled: { requests: 1, price: 2 }, unclear: { requests: 1, price: 2 } });
    await world.restart();
    expect(await world.openProject()).toMatchObject({ adoptedTakes: 0 });
    expect(world.counts()).toMatchObject({ saved: 1, unknown: 1 });

    await world.stop();
    world.dataFolder = join(world.folder, 'third');
    await world.openProject();
    expect(world.counts()).toMatchObject({ saved: 1, unknown: 1 });
    expect(spent()).toMatchObject({ settled: { requests: 1 }, unclear: { requests: 1 } });
    expect(world.posts()).toHaveLength(2);
  });

  it('brings the new file when the other one is sent again by decision', async () => {
    await sendFrom('first');
    const [first = ''] = recipes();
    const ofFirst = readFileSync(first);
    rmSync(first);
    await sendFrom('second');
    writeFileSync(first, ofFirst);
    await world.openProject();
    const [twin] = world.jobs().filter(({ state }) => state === 'submit_unknown');
    expect(world.engine.jobs.resolve(twin?.id ?? '', { action: 'resubmit' })).toMatchObject({ ok: true });
    await world.settle();
    expect(states()).toEqual(['saved', 'saved']);
    const ids = world.jobs().map(({ taskId }) => taskId);
    expect(new Set(ids).size).toBe(2);
    expect(world.service.ledger.downloads()).toHaveLength(3);
  });
});
