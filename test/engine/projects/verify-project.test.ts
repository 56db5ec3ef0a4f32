import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { checksumLine, parseChecksumLine } from '../../../src/engine/projects/checksums.ts';
import { verifyProject } from '../../../src/engine/projects/verify-project.ts';
import { folder, recipe, troublesOf, write } from './support.ts';
import { RefusedError } from '../../../src/engine/base/errors.ts';
import { verifyPath } from '../../../src/engine/projects/verify-path.ts';

const verified = (path: string, signal = new AbortController().signal) => troublesOf(verifyProject(path, signal));

describe('a line of checksums', () => {
  const sha256 = 'a'.repeat(64);

  it('is read as it was written, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }), (file) => {
        const line = checksumLine({ sha256, file });
        expect(line.slice(0, -1)).not.toContain('\n');
        expect(parseChecksumLine(line.slice(0, -1))).toEqual({ sha256, file });
      }),
    );
  });

  it('is none of any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => parseChecksumLine(text) === null));
    expect(parseChecksumLine(`${sha256}  `)).toBeNull();
    expect(parseChecksumLine(String.raw`\${sha256}  a\x`)).toBeNull();
  });
});

describe('a project that is verified', () => {
  const taken = (id: string, changes: object = {}): string => {
    const output = { number: 1, bytes: 6, sha256: createHash('sha256').update('a take').digest('hex'), format: 'png' };
    const outputs = [{ ...output, file: `Night/${id}.png`, verified: true }];
    return JSON.stringify({ ...recipe(id), outputs, ...changes });
  };

  it('misses a file that Dailies has missed before, and says which recipe it cannot read', async () => {
    const project = folder();
    const failure = { code: 'files_gone', message: 'gone', remedy: '', cost: 'charged', at: 1 };
    const writtenOff = { state: 'result_lost', failure: { ...failure, code: 'given_up' } };
    const recipes = {
      broken: '{',
      gone: taken('gone', { state: 'result_lost', failure }),
      lost: taken('lost', writtenOff),
      saved: taken('saved'),
    };
    write(join(project, 'Night', 'saved.png'), 'a take');
    for (const [id, text] of Object.entries(recipes)) write(join(project, '.dailies', 'takes', `${id}.json`), text);
    expect(await verified(project)).toMatchObject({
      files: 2,
      troubles: [
        { file: '.dailies/takes/broken.json', problem: 'unreadable' },
        { file: 'Night/gone.png', problem: 'missing' },
      ],
    });
  });
});

describe('a folder that is verified', () => {
  it('shows the one byte of 10,000 files that is not as it was, and a file that is gone @night', async () => {
    const project = folder();
    for (let index = 0; index < 100; index += 1) mkdirSync(join(project, 'takes', String(index)), { recursive: true });
    const lines = Array.from({ length: 10_000 }, (_, index) => {
      const file = `takes/${String(index % 100)}/${String(index)}.bin`;
      const content = `the content of take ${String(index)}`;
      writeFileSync(join(project, file), content);
      return checksumLine({ sha256: createHash('sha256').update(content).digest('hex'), file });
    });
    writeFileSync(join(project, 'checksums.sha256'), lines.join(''));
    writeFileSync(join(project, 'takes/34/1234.bin'), 'the content of take 1235');
    unlinkSync(join(project, 'takes/78/5678.bin'));
    expect(await verified(project)).toMatchObject({
      files: 10_000,
      troubles: [
        { file: 'takes/34/1234.bin', problem: 'changed' },
        { file: 'takes/78/5678.bin', problem: 'missing' },
      ],
    });
  });

  it('is read line by line, whatever breaks lines elsewhere, and however long a line is', async () => {
    const project = folder();
    const files = ['a\u2028b', 'c\rd', 'e\u0085f'];
    for (const file of files) write(join(project, file), file);
    const lines = files.map((file) => checksumLine({ sha256: createHash('sha256').update(file).digest('hex'), file }));
    writeFileSync(join(project, 'checksums.sha256'), ['x'.repeat(1_000_000), '\n', ...lines].join('').trimEnd());
    expect(await verified(project)).toMatchObject({ files: 3, troubles: [] });
  });

  it('is not left by names that lead out of it, and by no link', async () => {
    const [project, other] = [folder(), folder()];
    write(join(other, 'secret'), 'secret');
    symlinkSync(other, join(project, 'way'));
    const sha256 = createHash('sha256').update('secret').digest('hex');
    const files = ['../secret', '/etc/hostname', 'way/secret', 'a/../../secret'];
    writeFileSync(join(project, 'checksums.sha256'), files.map((file) => checksumLine({ sha256, file })).join(''));
    const { troubles } = await verified(project);
    expect(troubles).toEqual(files.map((file) => ({ file, problem: 'unreadable' })));
  });

  it('stops when it is asked to', async () => {
    const project = folder();
    write(join(project, 'a'), 'a');
    write(join(project, 'checksums.sha256'), checksumLine({ sha256: 'a'.repeat(64), file: 'a' }));
    await expect(verified(project, AbortSignal.abort(new Error('asked to')))).rejects.toThrow('asked to');
  });
});

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

const verifiedPath = (path: string) => troublesOf(verifyPath(path, new AbortController().signal));

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
    expect(await verifiedPath(kept(whole))).toMatchObject({ files: 2, troubles: [] });
    expect((await verifiedPath(kept(replaced(whole, 'content of b', 'content of c')))).troubles).toEqual([
      { file: 'b.txt', problem: 'changed' },
    ]);
    expect((await verifiedPath(kept(replaced(whole, 'film/b.txt', 'film/c.txt')))).troubles).toEqual([
      { file: 'film/c.txt', problem: 'unlisted' },
      { file: 'b.txt', problem: 'missing' },
    ]);
  });

  it('is read in other ways of packing too', async () => {
    const packed = await archive([['film/a.txt', 'words '.repeat(20), { compress: true }]]);
    expect(await verifiedPath(kept(packed))).toMatchObject({ files: 1, troubles: [] });
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
    const { troubles } = await verifiedPath(kept(await archive(files)));
    expect(troubles).toEqual([{ file: 'a', problem: 'unreadable' }]);
  });

  it('is not whole where a file has another name before its content', async () => {
    const whole = await archive([['film/a.txt', 'content']]);
    const at = whole.indexOf('film/a.txt');
    whole.write('film/b.txt', at, 'latin1');
    expect((await verifiedPath(kept(whole))).troubles).toEqual([{ file: 'a.txt', problem: 'unreadable' }]);
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
    expect((await verifiedPath(kept(changed))).troubles).toEqual([{ file: 'a', problem: 'unreadable' }]);
  });

  it.each([
    ['a name that leads out of it', (whole: Buffer) => replaced(whole, 'film/a.txt', '../../a.tx'), 'zip_damaged'],
    ['an absolute name', (whole: Buffer) => replaced(whole, 'film/a.txt', '/ilm/a.txt'), 'zip_damaged'],
    ['an end that was cut off', (whole: Buffer) => whole.subarray(0, -30), 'zip_damaged'],
    ['no list', (whole: Buffer) => replaced(whole, 'checksums.sha256', 'checksums.sha512'), 'zip_no_export'],
    ['anything but a zip file', () => Buffer.from('a page of text'), 'zip_damaged'],
  ])('is refused for %s', async (_what, change, code) => {
    const whole = await archive([['film/a.txt', 'content']]);
    await expect(verifiedPath(kept(change(whole)))).rejects.toMatchObject({ code });
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
    await expect(verifiedPath(kept(Buffer.concat([record, locator, end])))).rejects.toMatchObject({
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
      const end = await verifiedPath(file).then(
        () => null,
        (error: unknown) => error,
      );
      if (end !== null) expect(end, `byte ${at}`).toBeInstanceOf(RefusedError);
    }
  });
});
