import { errorSaying } from '../../support/saying.ts';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createPublisher,
  placeWithoutLinks,
  PublishError,
  type PublishRequest,
} from '../../../src/engine/downloads/publish.ts';
import { linkFile, listFolder, look, openFile } from '../../../src/engine/files/project-files.ts';
import { placeOf } from '../../support/places.ts';
import { bytesOf, sha256 } from './support.ts';
import { folderOfTest } from '../../support/folders.ts';

vi.mock('../../../src/engine/files/project-files.ts', { spy: true });
beforeEach(() => vi.clearAllMocks());

const publishOutput = (request: PublishRequest) => createPublisher().publish(request);

const content = bytesOf(2000);
const other = bytesOf(2000, 5);

function workbench() {
  const root = folderOfTest();
  const folder = join(root, 'batch');
  let parts = 0;
  return {
    folder,
    names: () => readdirSync(folder).sort(),
    /** A finished part with a request to publish it. */
    part(bytes: Buffer, stem = 'shot_t1') {
      const partPath = join(root, `${++parts}.part`);
      writeFileSync(partPath, bytes);
      return {
        partPath,
        part: placeOf(partPath),
        folder: placeOf(folder),
        stem,
        extension: 'mp4',
        sha256: sha256(bytes),
        bytes: bytes.length,
      };
    },
  };
}

describe('publishing a part', () => {
  it('moves it under its name into a folder it creates', async () => {
    const { folder, names, part } = workbench();
    const request = part(content);
    expect(await publishOutput(request)).toEqual({ file: 'shot_t1.mp4', adopted: false });
    expect(readFileSync(join(folder, 'shot_t1.mp4')).equals(content)).toBe(true);
    expect(names()).toEqual(['shot_t1.mp4']);
    expect(existsSync(request.partPath)).toBe(false);
  });

  it('never writes over another file', async () => {
    const { folder, part } = workbench();
    mkdirSync(folder);
    writeFileSync(join(folder, 'shot_t1.mp4'), 'by hand');
    expect((await publishOutput(part(content))).file).toBe('shot_t1_2.mp4');
    expect((await publishOutput(part(other))).file).toBe('shot_t1_3.mp4');
    expect(readFileSync(join(folder, 'shot_t1.mp4'), 'utf8')).toBe('by hand');
  });

  it('avoids names that are the same on another system', async () => {
    const { names, part } = workbench();
    const publisher = createPublisher();
    await publisher.publish(part(content, 'SHOT_T1'));
    await publisher.publish(part(other, 'shot_t1'));
    expect(names()).toEqual(['SHOT_T1.mp4', 'shot_t1_2.mp4']);
  });

  it('gives each its own name when many come at once', async () => {
    const { names, part } = workbench();
    const publisher = createPublisher();
    const requests = Array.from({ length: 20 }, (_, index) => part(bytesOf(100, index + 1), index % 2 ? 'A' : 'a'));
    const published = await Promise.all(requests.map((request) => publisher.publish(request)));
    expect(new Set(published.map(({ file }) => file.toLowerCase())).size).toBe(20);
    expect(names()).toHaveLength(20);
  });

  it.each([
    ['of other sizes', (index: number) => bytesOf(100 + index)],
    ['of one size', (index: number) => bytesOf(100, index + 1)],
  ])('looks at few names when a hundred files %s share a stem', async (_, contentOf) => {
    const { folder, names, part } = workbench();
    mkdirSync(folder);
    const publisher = createPublisher();
    for (let index = 0; index < 100; index += 1) await publisher.publish(part(contentOf(index), 'vgen'));
    expect(names()).toHaveLength(100);
    expect(vi.mocked(look).mock.calls.length).toBeLessThan(1000);
    expect(vi.mocked(openFile).mock.calls.length).toBeLessThan(1000);
  });

  it('reads a folder once, however often a name in it is taken', async () => {
    const { folder, part } = workbench();
    mkdirSync(folder);
    for (let take = 1; take <= 20; take += 1) writeFileSync(join(folder, `shot_t${take}.mp4`), 'by hand');
    const publisher = createPublisher();
    for (let take = 1; take <= 20; take += 1) await publisher.publish(part(bytesOf(100, take), `shot_t${take}`));
    expect(listFolder).toHaveBeenCalledTimes(1);
  });

  it('uses a name again that its owner has removed', async () => {
    const { folder, part } = workbench();
    const publisher = createPublisher();
    await publisher.publish(part(content));
    rmSync(join(folder, 'shot_t1.mp4'));
    expect((await publisher.publish(part(other))).file).toBe('shot_t1.mp4');
  });
});

describe('publishing again after a crash', () => {
  it('between link and unlink adopts the file and removes the part', async () => {
    const { folder, names, part } = workbench();
    const request = part(content);
    mkdirSync(folder);
    linkSync(request.partPath, join(folder, 'shot_t1.mp4'));
    expect(await publishOutput(request)).toEqual({ file: 'shot_t1.mp4', adopted: true });
    expect(names()).toEqual(['shot_t1.mp4']);
    expect(existsSync(request.partPath)).toBe(false);
  });

  it('before it was noted finds the file by its hash, also under a later name', async () => {
    const { folder, names, part } = workbench();
    mkdirSync(folder);
    writeFileSync(join(folder, 'shot_t1.mp4'), other);
    const request = part(content);
    await publishOutput(request);
    expect(await publishOutput(request)).toEqual({ file: 'shot_t1_2.mp4', adopted: true });
    expect(names()).toEqual(['shot_t1.mp4', 'shot_t1_2.mp4']);
  });

  it('says so when part and file are both gone', async () => {
    const { part } = workbench();
    const request = part(content);
    rmSync(request.partPath);
    await expect(publishOutput(request)).rejects.toThrow(PublishError);
  });

  it('refuses a part that is not the one that was checked', async () => {
    const { part } = workbench();
    const request = part(content);
    writeFileSync(request.partPath, 'something else');
    await expect(publishOutput(request)).rejects.toThrow(errorSaying(/was changed/));
  });

  it.each([symlinkSync, linkSync])(
    'never publishes a file of another place that stands for the part (%o)',
    async (plant) => {
      const { names, part } = workbench();
      const request = part(content);
      const elsewhere = join(folderOfTest(), 'private');
      writeFileSync(elsewhere, content);
      rmSync(request.partPath);
      plant(elsewhere, request.partPath);
      await expect(publishOutput(request)).rejects.toThrow(errorSaying(/was changed/));
      expect(names()).toEqual([]);
      expect(readFileSync(elsewhere).equals(content)).toBe(true);
    },
  );
});

describe('a file system without hard links', () => {
  it('gets the file under a name it reserved, and never one that is taken', async () => {
    const { folder, part } = workbench();
    mkdirSync(folder);
    const target = join(folder, 'a.mp4');
    expect(await placeWithoutLinks(part(content).part, placeOf(target))).toBe(true);
    expect(await placeWithoutLinks(part(other).part, placeOf(target))).toBe(false);
    expect(readFileSync(target).equals(content)).toBe(true);
  });

  it('takes up a reservation that a crash left behind', async () => {
    const { folder, part } = workbench();
    mkdirSync(folder);
    const target = join(folder, 'a.mp4');
    writeFileSync(target, '');
    expect(await placeWithoutLinks(part(content).part, placeOf(target))).toBe(true);
    expect(readFileSync(target).equals(content)).toBe(true);
  });

  it.each(['EPERM', 'EEXIST'])('gets the file under the name that an earlier process reserved (%s)', async (code) => {
    const { folder, names, part } = workbench();
    mkdirSync(folder);
    writeFileSync(join(folder, 'shot_t1.mp4'), '');
    vi.mocked(linkFile).mockRejectedValueOnce(Object.assign(new Error('no links here'), { code }));
    expect(await publishOutput(part(content))).toEqual({ file: 'shot_t1.mp4', adopted: false });
    expect(names()).toEqual(['shot_t1.mp4']);
  });
});
