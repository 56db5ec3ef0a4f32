import { errorSaying } from '../../support/saying.ts';
import type fs from 'node:fs';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as held from '../../../src/engine/files/held-folder.ts';
import type * as Door from '../../../src/engine/files/project-files.ts';
import { toPath, placeIn } from '../../../src/engine/files/place.ts';
import { plants as plantsInPlace } from '../../support/planted-files.ts';
import { temporaryFolder } from '../downloads/support.ts';

/** What may be in the place of a file of ours. */
const plants: typeof plantsInPlace = { ...plantsInPlace, 'a folder': (path) => mkdirSync(path) };
const planted = Object.keys(plants);

let project: string;
let victim: string;
const longAgo = new Date(1_000_000_000_000);

beforeEach(() => {
  project = join(temporaryFolder(), 'film');
  victim = join(temporaryFolder(), 'victim');
  mkdirSync(join(project, '.dailies', 'takes'), { recursive: true });
  writeFileSync(victim, 'mine');
  utimesSync(victim, longAgo, longAgo);
});

const victimIsUntouched = (): void => {
  expect(readFileSync(victim, 'utf8')).toBe('mine');
  expect(statSync(victim).mtimeMs).toBe(longAgo.getTime());
};

/** Linux holds open folders; elsewhere the way is looked at. Both have to keep every rule. */
const ways = { holdByPath: held.holdByPath, ...(existsSync('/proc/self/fd') && { holdByHandle: held.holdByHandle }) };

describe.each(Object.entries(ways))('a file of a project (%s)', (_, holdFolder) => {
  let door: typeof Door;
  const take = () => placeIn(project, '.dailies/takes', 'a.json');

  beforeAll(async () => {
    vi.resetModules();
    vi.doMock('../../../src/engine/files/held-folder.ts', () => ({ ...held, holdFolder }));
    door = await import('../../../src/engine/files/project-files.ts');
  });
  afterAll(() => vi.doUnmock('../../../src/engine/files/held-folder.ts'));

  it('is written, added to, read, moved and removed', async () => {
    await door.replaceFile(take(), 'one\n');
    await door.appendToFile(take(), 'two\n');
    expect((await door.readFile(take(), 8)).toString()).toBe('one\ntwo\n');
    await expect(door.readFile(take(), 7)).rejects.toThrow(errorSaying(/far larger/));
    const moved = placeIn(project, 'Night', 'b.json');
    await door.makeFolder(placeIn(project, 'Night'));
    await door.linkFile(take(), moved);
    await expect(door.linkFile(take(), moved)).rejects.toMatchObject({ code: 'EEXIST' });
    await door.removeFile(take());
    await door.moveFile(moved, take());
    expect((await door.listFolder(placeIn(project, '.dailies/takes'))).map(({ name }) => name)).toEqual(['a.json']);
    await door.removeFile(take());
    await door.removeFile(take());
    expect(await door.look(take())).toBeNull();
  });

  it('is made in folders that are made with it, but never a project folder that is away', async () => {
    await door.makeFolder(placeIn(project, 'a/b/c'));
    expect(statSync(join(project, 'a', 'b', 'c')).isDirectory()).toBe(true);
    await expect(door.makeFolder(placeIn(join(project, 'gone'), 'a'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  describe.each(planted)('with %s in its place', (what) => {
    beforeEach(() => plants[what]?.(toPath(take()), victim));

    it.each(['read', 'write', 'append'] as const)('is not opened to %s', async (access) => {
      await expect(door.openFile(take(), access)).rejects.toThrow(errorSaying(new RegExp(`a\\.json is ${what}`)));
      victimIsUntouched();
    });

    it('gets no files, and does not count as one that can be made', async () => {
      await expect(door.appendToFile(take(), 'more')).rejects.toMatchObject({ code: 'project_link' });
      await expect(door.createFile(take())).rejects.toMatchObject({ code: 'EEXIST' });
      victimIsUntouched();
    });

    it.skipIf(what === 'a folder')('is replaced and removed as what it is', async () => {
      await door.replaceFile(take(), 'ours');
      expect(readFileSync(toPath(take()), 'utf8')).toBe('ours');
      await door.removeFile(take());
      plants[what]?.(toPath(take()), victim);
      await door.removeFile(take());
      expect(existsSync(toPath(take()))).toBe(false);
      victimIsUntouched();
    });
  });

  describe.each(['.dailies', '.dailies/takes'])('behind a link in place of %s', (folder) => {
    let elsewhere: string;
    beforeEach(async () => {
      // It was found as a folder before.
      await door.look(take());
      elsewhere = temporaryFolder();
      mkdirSync(join(elsewhere, 'takes'));
      const path = join(project, folder);
      renameSync(path, join(elsewhere, 'real'));
      symlinkSync(folder === '.dailies' ? elsewhere : join(elsewhere, 'takes'), path);
      writeFileSync(join(elsewhere, 'takes', 'a.json'), 'mine');
    });

    const acts: Record<string, () => Promise<unknown>> = {
      read: () => door.readFile(take(), 100),
      write: () => door.openFile(take(), 'write'),
      append: () => door.appendToFile(take(), 'x'),
      create: () => door.createFile(placeIn(project, '.dailies/takes/b.json')),
      replace: () => door.replaceFile(take(), 'x'),
      remove: () => door.removeFile(take()),
      look: () => door.look(take()),
      list: () => door.listFolder(placeIn(project, '.dailies/takes')),
      sync: () => door.syncFolder(placeIn(project, '.dailies/takes')),
      'make a folder': () => door.makeFolder(placeIn(project, '.dailies/takes/new')),
      'move away': () => door.moveFile(take(), placeIn(project, 'a.json')),
      'move there': () => door.moveFile(placeIn(project, 'own'), take()),
      link: () => door.linkFile(take(), placeIn(project, 'a.json')),
    };
    it.each(Object.keys(acts))('is not there to %s', async (act) => {
      writeFileSync(join(project, 'own'), 'ours');
      const link = `${join(project, folder)} is a link where Dailies needs a folder of its own.`;
      await expect(acts[act]?.()).rejects.toThrow(
        errorSaying(`${link} Nothing was read or written. Remove it, or put a folder in its place.`),
      );
      expect(readdirSync(join(elsewhere, 'takes'))).toEqual(['a.json']);
      expect(readFileSync(join(elsewhere, 'takes', 'a.json'), 'utf8')).toBe('mine');
    });
  });

  it('is found again in a project whose own link leads elsewhere now', async () => {
    const other = join(temporaryFolder(), 'other');
    mkdirSync(join(other, '.dailies', 'takes'), { recursive: true });
    const chosen = join(temporaryFolder(), 'chosen');
    const place = placeIn(chosen, '.dailies/takes', 'a.json');
    for (const target of [project, other]) {
      symlinkSync(target, chosen);
      await door.replaceFile(place, target);
      await door.replaceFile(place, target);
      expect(readFileSync(join(target, '.dailies', 'takes', 'a.json'), 'utf8')).toBe(target);
      rmSync(chosen);
    }
  });

  it('tells a failure of the system with its path', async () => {
    const missing = placeIn(project, '.dailies/takes', 'none.json');
    await expect(door.readFile(missing, 9)).rejects.toThrow(toPath(missing));
    await expect(door.readFile(placeIn(project, 'none/none.json'), 9)).rejects.toThrow(join(project, 'none'));
  });
});

describe('the place of a file', () => {
  it.each(['..', '.', '', '../x', 'a/../../x', '/etc/passwd', 'a//b', 'C:/x', 'a\\..\\b', 'a\0b', 'a.txt:stream'])(
    'is never outside its project: %j',
    (path) => {
      expect(() => placeIn('/film', path)).toThrow(errorSaying(/is not a place inside the project folder \/film/));
    },
  );

  it('is below the folder of its project', () => {
    expect(toPath(placeIn('/film', 'Night/1', 'a.mp4'))).toBe(join('/film', 'Night', '1', 'a.mp4'));
  });
});

describe.skipIf(!existsSync('/proc/self/fd'))('a folder that is held', () => {
  it('stays the same one when a link takes its place in that very moment', async () => {
    const elsewhere = temporaryFolder();
    const takes = join(project, '.dailies', 'takes');
    await held.holdByHandle(placeIn(project, '.dailies/takes'), (folder) => {
      renameSync(takes, join(dirname(takes), 'moved'));
      symlinkSync(elsewhere, takes);
      writeFileSync(folder.at('a.json'), 'ours');
      return Promise.resolve();
    });
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(readdirSync(join(dirname(takes), 'moved'))).toEqual(['a.json']);
  });
});

describe('the way to a folder', () => {
  it.each(['win32', 'darwin'])(
    'is its path on %s, even where a folder has the name of what Linux shows',
    async (platform) => {
      vi.resetModules();
      vi.doMock('node:fs', async (actual) => ({ ...(await actual<typeof fs>()), existsSync: () => true }));
      vi.stubGlobal('process', Object.create(process, { platform: { value: platform } }));
      onTestFinished(() => {
        vi.doUnmock('node:fs');
        vi.unstubAllGlobals();
      });
      const fresh = await import('../../../src/engine/files/held-folder.ts');
      expect(fresh.holdFolder).toBe(fresh.holdByPath);
      expect(fresh.pathOfHandle(7, 'C:\\film\\a.mp4')).toBe('C:\\film\\a.mp4');
    },
  );
});
