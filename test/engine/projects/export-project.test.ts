import { execFileSync } from 'node:child_process';
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { exportProject } from '../../../src/engine/projects/export-project.ts';
import { verifyProject } from '../../../src/engine/projects/verify-project.ts';
import { zipIn, zipProject } from '../../../src/engine/projects/zip-project.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { ended, folder, troublesOf, write } from './support.ts';

const exporting = (way: string, project: string, into: string) =>
  way === 'zip' ? zipProject(project, zipIn(into, project)) : exportProject(project, into);

/** The folder of an export; what an archive holds is unpacked. */
function unpacked(path: string): string {
  if (!path.endsWith('.zip')) return path;
  const into = folder();
  const content = Object.entries(unzipSync(readFileSync(path)));
  for (const [name, bytes] of content) write(join(into, name), Buffer.from(bytes));
  expect(content.at(-1)?.[0]).toMatch(/\/checksums\.sha256$/);
  return join(into, ...readdirSync(into));
}

const verified = (path: string) => troublesOf(verifyProject(unpacked(path), new AbortController().signal));

describe.each(['folder', 'zip'])('a project that is exported as a %s', (way) => {
  const exported = (project: string, into: string) => ended(exporting(way, project, into));

  it('has every file but those of this machine and no link, with checksums that sha256sum takes', async () => {
    const [project, into] = [join(folder(), 'film'), folder()];
    write(join(project, '.dailies', 'project.json'), '{"id":"p"}');
    write(join(project, '.dailies', 'worked-from.json'), '{}');
    write(join(project, '.dailies', 'parts', 'half'), 'half');
    write(join(project, 'Day 1', 'été – 010_t1.txt'), 'a take');
    write(join(project, 'Day 1', 'empty.txt'), '');
    write(join(project, 'Day 1', 'large.bin'), Buffer.alloc(9_000_000, 'abc'));
    write(join(into, 'secret'), 'of the person');
    symlinkSync(join(into, 'secret'), join(project, 'Day 1', 'link'));
    linkSync(join(into, 'secret'), join(project, 'Day 1', 'second name'));

    const first = [
      { path: 'Day 1/link', why: 'link' },
      { path: 'Day 1/second name', why: 'hardLink' },
    ];
    const made = join(into, way === 'zip' ? 'film.zip' : 'film');
    expect(await exported(project, into)).toEqual({ folder: made, files: 4, leftOut: { count: 2, first } });
    expect(readdirSync(into)).toHaveLength(2);
    const copy = unpacked(made);
    expect(readdirSync(copy, { recursive: true }).sort()).toEqual([
      ...['.dailies', '.dailies/project.json', 'Day 1', 'Day 1/empty.txt', 'Day 1/large.bin'],
      ...['Day 1/été – 010_t1.txt', 'checksums.sha256'],
    ]);
    if (process.platform === 'linux') {
      const checked = execFileSync('sha256sum', ['--strict', '-c', 'checksums.sha256'], { cwd: copy });
      expect(String(checked).match(/: OK/g)).toHaveLength(4);
    }
    expect(await verified(made)).toMatchObject({ by: 'checksums', files: 4, troubles: [] });
    await expect(exported(project, into)).rejects.toMatchObject({ code: 'folder_exists' });
    await expect(exported(project, join(project, 'Day 1'))).rejects.toMatchObject({ code: 'export_inside' });
  });

  it.runIf(process.getuid?.() === 0)('is refused before a byte is copied where it does not fit', async () => {
    const [project, small] = [join(folder(), 'film'), join(folder(), 'small')];
    write(join(project, 'Day 1', 'large.bin'), Buffer.alloc(900_000));
    const disk = mountSmallDisk(small, 500_000);
    if ('reason' in disk) return;
    try {
      await expect(exported(project, small)).rejects.toMatchObject({ code: 'no_room' });
      expect(readdirSync(small)).toEqual([]);
    } finally {
      disk.unmount();
    }
  });

  it('may be an exported copy itself, whose list is replaced', async () => {
    const [project, first, second] = [join(folder(), 'film'), folder(), folder()];
    write(join(project, 'a.txt'), 'a take');
    const copy = await exported(project, first);
    const again = await exported(unpacked(copy.folder), second);
    expect(again).toMatchObject({ files: 1, leftOut: { count: 0 } });
    expect(await verified(again.folder)).toMatchObject({ files: 1, troubles: [] });
  });

  it('may be called as long as names get, and so may its files', async () => {
    const [project, into] = [join(folder(), `${'é'.repeat(120)}${'x'.repeat(15)}`), folder()];
    write(join(project, `${'n'.repeat(251)}.txt`), 'a take');
    const { folder: made } = await exported(project, into);
    expect(await verified(made)).toMatchObject({ files: 1, troubles: [] });
  });

  it('is none where its folder goes away, and names what is gone', async () => {
    const [inside, into] = [folder(), folder()];
    const project = join(inside, 'film');
    for (let index = 0; index < 5; index += 1) write(join(project, 'Day 1', `${String(index)}.txt`), 'a take');
    const cut = exporting(way, project, into);
    for (let part = 0; part < 3; part += 1) await cut.next();
    renameSync(project, join(inside, 'moved'));
    await expect(ended(cut)).rejects.toMatchObject({ code: 'export_failed' });
    expect(readdirSync(into)).toEqual([]);

    const copying = exporting(way, join(inside, 'moved'), into);
    for (let part = 0; part < 3; part += 1) await copying.next();
    rmSync(join(inside, 'moved', 'Day 1', '4.txt'));
    const leftOut = { count: 1, first: [{ path: 'Day 1/4.txt', why: 'gone' }] };
    expect(await ended(copying)).toMatchObject({ files: 4, leftOut });
  });

  it('leaves nothing behind when it is stopped', async () => {
    const [project, into] = [join(folder(), 'film'), folder()];
    for (let index = 0; index < 3; index += 1) write(join(project, `${String(index)}.bin`), Buffer.alloc(5_000_000));
    const copying = exporting(way, project, into);
    for (let part = 0; part < 3; part += 1) await copying.next();
    expect(readdirSync(into)).toHaveLength(1);
    await copying.return({ folder: '', files: 0, leftOut: { count: 0, first: [] } });
    expect(readdirSync(into)).toEqual([]);
  });
});

it.skipIf(process.platform === 'win32')('an export says what it leaves out and why', async () => {
  const [project, into] = [join(folder(), 'film'), folder()];
  write(join(project, '.dailies', 'project.json'), '{"id":"p"}');
  write(join(project, 'Day 1', 'notes: first.txt'), 'mine');
  write(join(project, 'Day 1', String.raw`a\b.txt`), 'mine');
  write(join(project, 'Day: 2', '020.txt'), 'mine');
  for (let index = 0; index < 200; index += 1) write(join(project, 'z', `${String(index)}:`), '');
  const { leftOut, files } = await ended(exportProject(project, into));
  expect({ files, ...leftOut, first: leftOut.first.slice(0, 4) }).toEqual({
    ...{ files: 1, count: 203 },
    first: [
      { path: String.raw`Day 1/a\b.txt`, why: 'name' },
      { path: 'Day 1/notes: first.txt', why: 'name' },
      { path: 'Day: 2', why: 'name' },
      { path: 'z/0:', why: 'name' },
    ],
  });
  expect(leftOut.first).toHaveLength(100);
});
