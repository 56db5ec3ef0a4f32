import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { readApart, ReaderEndedError, startReadersWith, threadFile } from '../../../src/engine/base/reader-process.ts';
import { factsOfFile } from '../../../src/engine/library/media-facts.ts';
import { mp4 } from '../downloads/samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'dailies-facts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const film = await mp4();

function kept(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** The film with one number of a table changed: `at` bytes behind the name of the table. */
function withNumber(table: string, at: number, number: number): Buffer {
  const changed = Buffer.from(film);
  changed.writeUInt32BE(number, changed.indexOf(table) + 4 + at);
  return changed;
}

describe('the facts of a film', () => {
  it('are its size and its length', async () => {
    const facts = await factsOfFile(kept('a.mp4', film));
    expect(facts).toMatchObject({ contentType: 'video/mp4', width: 32, height: 32 });
    expect(facts.seconds).toBeGreaterThan(0);
  });

  it.each([
    ['stsc', 12, 'samples in a chunk'],
    ['stts', 8, 'samples of one length'],
    ['stsz', 8, 'samples'],
  ])('are left out at once where %s claims more samples than it has bytes', async (table, at) => {
    const path = kept(`${table}.mp4`, withNumber(table, at, 0xffff_ffff));
    expect(await factsOfFile(path)).toEqual({ contentType: 'video/mp4' });
  });
});

describe('a film or a sound that is cut or damaged', () => {
  const damaged = join(import.meta.dirname, '../../fuzz/kept/media');

  it.each(readdirSync(damaged))('such as %s is not given to the reader, which it would keep busy', async (name) => {
    let started = 0;
    const before = startReadersWith((entry) => {
      started += 1;
      return before(entry);
    });
    onTestFinished(() => void startReadersWith(before));
    expect(Object.keys(await factsOfFile(join(damaged, name)))).toEqual(['contentType']);
    expect(started).toBe(0);
  });
});

describe('a reader that does not end', () => {
  const endless = threadFile('../../support/endless-reader', import.meta.url);

  it('is killed at its time, and the next file has another one', async () => {
    const limit = new AbortController();
    const reading = readApart(
      endless,
      'loop',
      () => limit.signal,
      () => limit.abort(new Error('Too slow.')),
    );
    await expect(reading).rejects.toThrow('Too slow.');
    expect(await readApart(endless, 'echo', () => new AbortController().signal)).toBe('echo');
  });

  it('is killed at 600 MB, wherever the memory is', async () => {
    const reading = readApart(endless, 'grow', () => new AbortController().signal);
    await expect(reading).rejects.toThrow(ReaderEndedError);
  });
});
