import { linkSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { exportProject } from '../../../src/engine/projects/export-project.ts';
import { verifyProject } from '../../../src/engine/projects/verify-project.ts';
import { zipIn, zipProject } from '../../../src/engine/projects/zip-project.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { ended, folder, troublesOf, write } from './support.ts';

const zipped = (project: string, file: string) => ended(zipProject(project, file));

const contentOf = (file: string): Record<string, Uint8Array> => unzipSync(readFileSync(file));

/** What a check of the unpacked archive finds. */
function verified(file: string) {
  const into = folder();
  for (const [name, content] of Object.entries(contentOf(file))) write(join(into, name), Buffer.from(content));
  return troublesOf(verifyProject(join(into, ...readdirSync(into)), new AbortController().signal));
}

describe('a project that is exported as a zip file', () => {
  it('has every file but those of this machine and no link, and is proven by its list', async () => {
    const [project, into] = [join(folder(), 'film'), folder()];
    write(join(project, '.dailies', 'project.json'), '{"id":"p"}');
    write(join(project, '.dailies', 'worked-from.json'), '{}');
    write(join(project, 'Day 1', 'été – 010_t1.txt'), 'a take');
    write(join(project, 'Day 1', 'empty.txt'), '');
    write(join(project, 'Day 1', `${'n'.repeat(251)}.txt`), 'as long as names get');
    write(join(project, 'Day 1', 'large.bin'), Buffer.alloc(9_000_000, 'abc'));
    write(join(into, 'secret'), 'of the person');
    symlinkSync(join(into, 'secret'), join(project, 'Day 1', 'link'));
    linkSync(join(into, 'secret'), join(project, 'Day 1', 'second name'));

    const file = join(into, 'film.zip');
    const first = [
      { path: 'Day 1/link', why: 'link' },
      { path: 'Day 1/second name', why: 'hardLink' },
    ];
    expect(await zipped(project, file)).toEqual({ folder: file, files: 5, leftOut: { count: 2, first } });
    expect(readdirSync(into).sort()).toEqual(['film.zip', 'secret']);
    const names = Object.keys(contentOf(file));
    expect(names).toContain('film/Day 1/été – 010_t1.txt');
    expect(names.at(-1)).toBe('film/checksums.sha256');
    expect(names.filter((name) => /link|second|worked-from/.test(name))).toEqual([]);
    expect(await verified(file)).toMatchObject({ by: 'checksums', files: 5, troubles: [] });

    await expect(zipped(project, file)).rejects.toMatchObject({ code: 'folder_exists' });
    await expect(zipped(project, join(project, 'film.zip'))).rejects.toMatchObject({ code: 'export_inside' });
  });

  it.runIf(process.getuid?.() === 0)('is refused before a byte is copied where it does not fit', async () => {
    const [project, small] = [join(folder(), 'film'), join(folder(), 'small')];
    write(join(project, '.dailies', 'project.json'), '{"id":"p"}');
    write(join(project, 'Day 1', 'large.bin'), Buffer.alloc(900_000));
    const disk = mountSmallDisk(small, 500_000);
    if ('reason' in disk) return;
    try {
      for (const exporting of [zipProject(project, join(small, 'film.zip')), exportProject(project, small)])
        await expect(ended(exporting)).rejects.toMatchObject({ code: 'no_room' });
      expect(readdirSync(small)).toEqual([]);
    } finally {
      disk.unmount();
    }
  });

  it('may be an exported copy itself, whose list is replaced', async () => {
    const [project, first, second] = [join(folder(), 'film'), folder(), folder()];
    write(join(project, 'a.txt'), 'a take');
    const copying = exportProject(project, first);
    while (!(await copying.next()).done);
    const file = zipIn(second, project);
    expect(await zipped(join(first, 'film'), file)).toMatchObject({ files: 1, leftOut: { count: 0 } });
    expect(await verified(file)).toMatchObject({ files: 1, troubles: [] });
  });

  it('may be called as long as names get, in a folder and in an archive', async () => {
    const [project, into] = [join(folder(), `${'é'.repeat(120)}${'x'.repeat(15)}`), folder()];
    write(join(project, 'a.txt'), 'a take');
    const file = zipIn(into, project);
    expect(await zipped(project, file)).toMatchObject({ folder: file, files: 1, leftOut: { count: 0 } });
    expect(await verified(file)).toMatchObject({ files: 1, troubles: [] });
    const copying = exportProject(project, into);
    while (!(await copying.next()).done);
    expect(readdirSync(into)).toHaveLength(2);
  });

  it.each(['zip', 'folder'])('is no %s where its folder goes away, and names what is gone', async (way) => {
    const make = (project: string, into: string) =>
      way === 'zip' ? zipProject(project, join(into, 'film.zip')) : exportProject(project, into);
    const [inside, into] = [folder(), folder()];
    const project = join(inside, 'film');
    for (let index = 0; index < 5; index += 1) write(join(project, 'Day 1', `${String(index)}.txt`), 'a take');
    const cut = make(project, into);
    for (let part = 0; part < 3; part += 1) await cut.next();
    renameSync(project, join(inside, 'moved'));
    const rest = async () => {
      while (!(await cut.next()).done);
    };
    await expect(rest()).rejects.toMatchObject({ code: 'export_failed' });
    expect(readdirSync(into)).toEqual([]);

    const copying = make(join(inside, 'moved'), into);
    for (let part = 0; part < 3; part += 1) await copying.next();
    rmSync(join(inside, 'moved', 'Day 1', '4.txt'));
    for (;;) {
      const { done, value } = await copying.next();
      if (done !== true) continue;
      expect(value).toMatchObject({ files: 4, leftOut: { count: 1, first: [{ path: 'Day 1/4.txt', why: 'gone' }] } });
      break;
    }
  });

  it('leaves nothing behind when it is stopped', async () => {
    const [project, into] = [join(folder(), 'film'), folder()];
    for (let index = 0; index < 3; index += 1) write(join(project, `${String(index)}.bin`), Buffer.alloc(5_000_000));
    const copying = zipProject(project, join(into, 'film.zip'));
    for (let part = 0; part < 3; part += 1) await copying.next();
    expect(readdirSync(into)).toHaveLength(1);
    await copying.return({ folder: '', files: 0, leftOut: { count: 0, first: [] } });
    expect(readdirSync(into)).toEqual([]);
  });
});
