import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checksumLine, parseChecksumLine } from '../../../src/engine/projects/checksums.ts';
import { verifyProject } from '../../../src/engine/projects/verify-project.ts';
import { folder, recipe, troublesOf, write } from './support.ts';

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
