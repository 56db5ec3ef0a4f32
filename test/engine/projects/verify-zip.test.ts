import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { RefusedError } from '../../../src/engine/base/errors.ts';
import { checksumLine } from '../../../src/engine/projects/checksums.ts';
import { verifyPath } from '../../../src/engine/projects/verify-path.ts';
import { folder, troublesOf } from './support.ts';

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

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
