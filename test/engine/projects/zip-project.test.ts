import { createHash } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { RefusedError } from '../../../src/engine/base/errors.ts';
import { checksumLine } from '../../../src/engine/projects/checksums.ts';
import { exportProject } from '../../../src/engine/projects/export-project.ts';
import { verifyPath } from '../../../src/engine/projects/verify-path.ts';
import { zipIn, zipProject } from '../../../src/engine/projects/zip-project.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { ended, folder, troublesOf, write } from './support.ts';

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

const zipped = (project: string, file: string) => ended(zipProject(project, file));

const verified = (path: string) => troublesOf(verifyPath(path, new AbortController().signal));

/** An archive of these files, with a list that says so unless there is another. */
async function archive(
  files: readonly (readonly [name: string, content: string | Buffer, options?: object])[],
  list = files.map(([name, content]) => checksumLine({ sha256: sha256(content), file: name.slice('film/'.length) })),
): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content, options] of files)
    zip.addBuffer(Buffer.from(content), name, { compress: false, ...options });
  zip.addBuffer(Buffer.from(list.join('')), 'film/checksums.sha256');
  zip.end();
  return buffer(zip.outputStream as NodeJS.ReadableStream);
}

/** The same archive with other bytes: of the same length, so that it is whole. */
function replaced(bytes: Buffer, from: string, to: string): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1');
}

function kept(bytes: Buffer): string {
  const file = join(folder(), 'film.zip');
  writeFileSync(file, bytes);
  return file;
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
    const names: string[] = [];
    for await (const { fileName } of (await fromBufferPromise(readFileSync(file))).eachEntry()) names.push(fileName);
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

describe('a zip file that is verified', () => {
  it('shows changed bytes, missing files and files that are not on its list', async () => {
    const whole = await archive([
      ['film/a.txt', 'the content of a'],
      ['film/b.txt', 'the content of b'],
    ]);
    expect(await verified(kept(whole))).toMatchObject({ files: 2, troubles: [] });
    expect((await verified(kept(replaced(whole, 'content of b', 'content of c')))).troubles).toEqual([
      { file: 'b.txt', problem: 'changed' },
    ]);
    expect((await verified(kept(replaced(whole, 'film/b.txt', 'film/c.txt')))).troubles).toEqual([
      { file: 'film/c.txt', problem: 'unlisted' },
      { file: 'b.txt', problem: 'missing' },
    ]);
  });

  it('is read in other ways of packing too', async () => {
    const packed = await archive([['film/a.txt', 'words '.repeat(20), { compress: true }]]);
    expect(await verified(kept(packed))).toMatchObject({ files: 1, troubles: [] });
  });

  it.each([
    [
      'a name twice',
      [
        ['film/a', 'one'],
        ['film/a', 'one'],
      ],
    ],
    ['a link', [['film/a', '/etc/passwd', { mode: 0o120_777 }]]],
    ['a bomb', [['film/a', Buffer.alloc(20_000_000), { compress: true }]]],
  ] as const)('is not whole with %s', async (_what, files) => {
    const { troubles } = await verified(kept(await archive(files)));
    expect(troubles).toEqual([{ file: 'a', problem: 'unreadable' }]);
  });

  it('is not whole where a file has another name before its content', async () => {
    const whole = await archive([['film/a.txt', 'content']]);
    const at = whole.indexOf('film/a.txt');
    whole.write('film/b.txt', at, 'latin1');
    expect((await verified(kept(whole))).troubles).toEqual([{ file: 'a.txt', problem: 'unreadable' }]);
  });

  it('is not whole where a file has another name for programs that read no Unicode field', async () => {
    const field = Buffer.alloc(15);
    field.writeUInt16LE(0x7075, 0);
    field.writeUInt16LE(11, 2);
    field[4] = 1;
    field.writeUInt32LE(crc32('film/b'), 5);
    field.write('film/a', 9);
    const whole = await archive([['film/b', 'content']], [checksumLine({ sha256: sha256('content'), file: 'a' })]);
    const at = whole.indexOf(Buffer.from('PK\u0001\u0002', 'latin1'));
    const [head, tail] = [whole.subarray(0, at + 46 + 6), whole.subarray(at + 46 + 6)];
    head.writeUInt16LE(head.readUInt16LE(at + 30) + field.length, at + 30);
    head.writeUInt16LE(head.readUInt16LE(at + 8) & ~0x800, at + 8);
    const changed = Buffer.concat([head, field, tail]);
    const end = changed.length - 22;
    changed.writeUInt32LE(changed.readUInt32LE(end + 12) + field.length, end + 12);
    expect((await verified(kept(changed))).troubles).toEqual([{ file: 'a', problem: 'unreadable' }]);
  });

  it.each([
    ['a name that leads out of it', (whole: Buffer) => replaced(whole, 'film/a.txt', '../../a.tx'), 'zip_damaged'],
    ['an absolute name', (whole: Buffer) => replaced(whole, 'film/a.txt', '/ilm/a.txt'), 'zip_damaged'],
    ['an end that was cut off', (whole: Buffer) => whole.subarray(0, -30), 'zip_damaged'],
    ['no list', (whole: Buffer) => replaced(whole, 'checksums.sha256', 'checksums.sha512'), 'zip_no_export'],
    ['anything but a zip file', () => Buffer.from('a page of text'), 'zip_damaged'],
  ])('is refused for %s', async (_what, change, code) => {
    const whole = await archive([['film/a.txt', 'content']]);
    await expect(verified(kept(change(whole)))).rejects.toMatchObject({ code });
  });

  it('is refused for more files than any project has, by what its end says alone', async () => {
    const [record, locator, end] = [Buffer.alloc(56), Buffer.alloc(20), Buffer.alloc(22)];
    record.writeUInt32LE(0x06064b50, 0);
    record.writeBigUInt64LE(44n, 4);
    record.writeBigUInt64LE(500_001n, 24);
    record.writeBigUInt64LE(500_001n, 32);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeUInt32LE(1, 16);
    end.writeUInt32LE(0x06054b50, 0);
    end.fill(0xff, 8, 20);
    await expect(verified(kept(Buffer.concat([record, locator, end])))).rejects.toMatchObject({
      code: 'zip_no_export',
    });
  });

  it('is refused in words, or read, whatever byte of it is damaged', async () => {
    const whole = await archive([['film/a.txt', 'content']]);
    const file = kept(whole);
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      writeFileSync(file, damaged);
      const end = await verified(file).then(
        () => null,
        (error: unknown) => error,
      );
      if (end !== null) expect(end, `byte ${at}`).toBeInstanceOf(RefusedError);
    }
  });
});
