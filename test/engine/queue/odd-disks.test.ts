import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPublisher } from '../../../src/engine/downloads/publish.ts';
import { oddDisk, type Refusal } from '../../support/odd-disk.ts';
import { placeOf } from '../../support/places.ts';
import { errorSaying } from '../../support/saying.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { bytesOf, sha256 } from '../downloads/support.ts';
import { folderOfTest } from '../../support/folders.ts';

let world: World;
forEachTest((opened) => (world = opened));
let disk: { lift: () => void } | null = null;
afterEach(() => {
  disk?.lift();
  disk = null;
});

const files = () => readdirSync(join(world.projectPath, 'Day 1')).filter((name) => name.startsWith('0001'));
const isRecipe = (path: string): boolean => /\.dailies\/takes\/[^/]+\.json$/.test(path);
const isPart = (path: string): boolean => path.endsWith('.part');
const refusing = (refuse: Refusal): void => void (disk = oddDisk({ refuse }));

describe('a disk whose file ids are above 2^53', () => {
  it('has two songs of one length, and neither takes the place of the other', async () => {
    const root = folderOfTest();
    const [part, song] = [join(root, '1.part'), join(root, 'song.mp3')];
    writeFileSync(part, bytesOf(2000));
    writeFileSync(song, bytesOf(2000, 5));
    disk = oddDisk({ inode: (path) => (path === part ? 2n ** 53n : path === song ? 2n ** 53n + 1n : undefined) });
    const content = { sha256: sha256(bytesOf(2000)), bytes: 2000 };
    const request = { part: placeOf(part), folder: placeOf(root), stem: 'song', extension: 'mp3', ...content };
    expect(await createPublisher().publish(request)).toEqual({ file: 'song_2.mp3', adopted: false });
    expect(readFileSync(song).equals(bytesOf(2000, 5))).toBe(true);
    expect(readFileSync(join(root, 'song_2.mp3')).equals(bytesOf(2000))).toBe(true);
  });
});

describe('a disk without hard links', () => {
  it.each(['EISDIR', 'EPERM', 'ENOSYS', 'EINVAL'])('takes every take where it says %s', async (code) => {
    refusing((call) => (call === 'link' ? code : null));
    expect(await world.run([shot(1), shot(2)])).toEqual({ is: 'over' });
    world.has({ saved: 2, posts: 2 });
  });
});

describe('a file that another program holds', () => {
  it('is tried again, and nobody notices', async () => {
    const held = new Map<string, number>();
    refusing((call, path) => {
      const tries = held.get(`${call} ${path}`) ?? 0;
      held.set(`${call} ${path}`, tries + 1);
      return ['open', 'link', 'rename', 'unlink'].includes(call) && tries % 3 < 2 && path.includes(world.projectPath)
        ? 'EBUSY'
        : null;
    });
    expect(await world.run([shot(1)])).toEqual({ is: 'over' });
    expect(files()).toEqual(['0001_t1.mp4']);
    expect(world.posts()).toHaveLength(1);
  });

  it.each(['EBUSY', 'EPERM', 'EACCES'])(
    'before its POST is waited for where the system says %s: nothing is rejected, and it is sent once',
    async (code) => {
      let isHeld = true;
      refusing((call, path) => (isHeld && call === 'rename' && isRecipe(path) ? code : null));
      await world.begin([shot(1)]);
      await world.until('a reason', () => world.job('0001').failure !== undefined);
      expect(world.job('0001')).toMatchObject({ state: 'ready', failure: { cost: 'nothing' } });
      expect(world.posts()).toHaveLength(0);
      isHeld = false;
      await world.comesTo({ '0001': 'saved', posts: 1 });
    },
  );

  it.each(['EBUSY', 'EPERM'])('as its take gets its name keeps it, under one name, where it says %s', async (code) => {
    let isHeld = true;
    refusing((call, path) => (isHeld && call === 'unlink' && isPart(path) ? code : null));
    await world.begin([shot(1)]);
    await world.until('a reason', () => world.job('0001').failure !== undefined);
    expect(world.job('0001')).toMatchObject({ state: 'downloading', failure: { code: 'file_held' } });
    isHeld = false;
    await world.comesTo({ '0001': 'saved' });
    expect(files()).toEqual(['0001_t1.mp4']);
    expect(world.posts()).toHaveLength(1);
  });

  it('as a recipe that a new data folder reads is not taken for one that is absent: nothing is sent again', async () => {
    await world.run([shot(1)]);
    await world.stop();
    rmSync(world.dataFolder, { recursive: true });
    let isHeld = true;
    refusing((call, path) => (isHeld && call === 'open' && isRecipe(path) ? 'EACCES' : null));
    await world.start();
    await expect(world.openProject()).rejects.toThrow();
    isHeld = false;
    await world.openProject();
    await world.run([shot(1)]);
    world.has({ saved: 1, posts: 1 });
  });
});

describe('a folder that cannot be synced, as on Windows', () => {
  it('has the file itself synced under its name, before its part goes', async () => {
    const acts: string[] = [];
    refusing((call, path) => {
      const [name = ''] = /[^/]+$/.exec(path) ?? [];
      if (call === 'link' && !isPart(path)) acts.push('named');
      if (call === 'open' && name === '0001_t1.mp4') acts.push('synced');
      if (call === 'unlink' && isPart(path)) acts.push('part removed');
      return call === 'fsync' ? 'EPERM' : null;
    });
    await world.run([shot(1)]);
    expect(acts.filter((act, index) => act !== acts[index - 1])).toEqual(['named', 'synced', 'part removed']);
  });
});

it('a power cut that takes back the name of a saved file leaves its part, which gets the name again', async () => {
  await world.run([shot(1)]);
  const { id } = world.job('0001');
  await world.stop();
  const saved = join(world.projectPath, 'Day 1', '0001_t1.mp4');
  const part = join(world.projectPath, '.dailies', 'parts', `${id}_1.part`);
  const bytes = readFileSync(saved);
  renameSync(saved, part);
  await world.start();
  await world.settle();
  await world.until('its file', () => existsSync(saved));
  expect(readFileSync(saved).equals(bytes)).toBe(true);
  expect(world.job('0001').state).toBe('saved');
  expect(existsSync(part)).toBe(false);
  expect(world.posts()).toHaveLength(1);
});

describe('a file that only iCloud has', () => {
  const { platform } = process;
  beforeEach(() => void Object.defineProperty(process, 'platform', { value: 'darwin' }));
  afterEach(() => void Object.defineProperty(process, 'platform', { value: platform }));

  it.each([
    ['recipe', () => join('.dailies', 'takes', `${world.job('0001').id}.json`)],
    ['batch file', () => join('.dailies', 'batches', `${world.job('0001').batchId}.json`)],
    ['project file', () => join('.dailies', 'project.json')],
    ['file of limits', () => join('.dailies', 'limits.json')],
    ['note of who works there', () => join('.dailies', 'worked-from.json')],
  ])('as the %s that a new data folder reads is asked for: nothing is sent again', async (_, file) => {
    await world.run([shot(1)], { cap: { takes: 9 } });
    const lost = file();
    await world.stop();
    const download = evict(lost);
    rmSync(world.dataFolder, { recursive: true });
    await world.start();
    await expect(world.openProject()).rejects.toThrow(errorSaying(/download it in Finder/));
    download();
    expect(await world.openProject()).toMatchObject({ problems: [] });
    await world.run([shot(1)]);
    world.has({ saved: 1, posts: 1 });
  });

  it('as the recipe of a take that is about to be sent holds the take back', async () => {
    await world.import([shot(1)]);
    const recipe = join('.dailies', 'takes', `${world.job('0001').id}.json`);
    writeFileSync(join(world.projectPath, recipe), 'what another data folder wrote');
    const download = evict(recipe);
    world.engine.queue.run({});
    await world.until('a reason', () => world.job('0001').failure !== undefined);
    expect(world.job('0001')).toMatchObject({ state: 'ready', failure: { cost: 'nothing' } });
    expect(world.job('0001').failure?.message).saying(/download it in Finder/);
    expect(world.posts()).toHaveLength(0);
    download();
    await world.comesTo({ '0001': 'saved', posts: 1 });
  });

  it('as the file of a saved take is not missing', async () => {
    await world.run([shot(1)]);
    evict(join('Day 1', '0001_t1.mp4'));
    await world.engine.jobs.lookAtFiles([world.job('0001').id]);
    await world.restart();
    await world.comesTo({ '0001': 'saved' });
  });

  it('keeps its name: a take that would get it waits, and gets the next one', async () => {
    mkdirSync(join(world.projectPath, 'Day 1'), { recursive: true });
    writeFileSync(join(world.projectPath, 'Day 1', '0001_t1.mp4'), 'of another');
    const download = evict(join('Day 1', '0001_t1.mp4'));
    await world.begin([shot(1)]);
    await world.until('a reason', () => world.job('0001').failure !== undefined);
    expect(world.job('0001').failure?.message).saying(/download it in Finder/);
    download();
    await world.settle();
    expect(files()).toEqual(['0001_t1.mp4', '0001_t1_2.mp4']);
    expect(readFileSync(join(world.projectPath, 'Day 1', '0001_t1.mp4'), 'utf8')).toBe('of another');
  });
});

/** Takes a file of the project off the disk as iCloud does. Returns what downloads it again. */
function evict(file: string): () => void {
  const path = join(world.projectPath, file);
  const placeholder = join(dirname(path), `.${basename(path)}.icloud`);
  const content = readFileSync(path);
  renameSync(path, placeholder);
  writeFileSync(placeholder, 'bplist00');
  return () => {
    rmSync(placeholder);
    writeFileSync(path, content);
  };
}
