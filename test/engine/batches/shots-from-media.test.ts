import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allKinds } from '../../../src/contract/kinds/all.ts';
import { findMedia, type MediaFile, rowsFromMedia } from '../../../src/engine/batches/shots-from-media.ts';

const image = (path: string, prompt = ''): MediaFile => ({ path, medium: 'image', prompt });

describe('the rows for media files', () => {
  it('follow the order of their names, with numbers as numbers', () => {
    const { headers, rows } = rowsFromMedia([image('10.png'), image('9.png', 'A pier')], {
      model: 'vgen',
      prompt: 'Dawn',
    });
    expect(headers).toEqual(['shot', 'kind', 'model', 'first_frame', 'prompt']);
    expect(rows).toEqual([
      ['9', 'video', 'vgen', '9.png', 'A pier'],
      ['10', 'video', 'vgen', '10.png', 'Dawn'],
    ]);
  });

  it('use each medium where its kind has a column for it', () => {
    const files: MediaFile[] = [
      image('a.png'),
      { path: 'b.mp4', medium: 'video', prompt: '' },
      { path: 'c.wav', medium: 'audio', prompt: '' },
    ];
    const cells = (kind?: 'image' | 'music') => {
      const { headers, rows } = rowsFromMedia(files, { kind });
      return rows.map((row) =>
        Object.fromEntries(headers.map((header, at) => [header, row[at]]).filter(([, cell]) => cell !== '')),
      );
    };
    expect(cells()).toEqual([
      { shot: 'a', kind: 'video', first_frame: 'a.png' },
      { shot: 'b', kind: 'video', video: 'b.mp4' },
      { shot: 'c', kind: 'presenter', audio: 'c.wav' },
    ]);
    expect(cells('image')[0]).toEqual({ shot: 'a', kind: 'image', image: 'a.png' });
    expect(cells('music').map(({ kind }) => kind)).toEqual(['video', 'video', 'music']);
  });

  it('join a first and a last frame where pairs are wanted', () => {
    const files = ['p_end.png', 'p_start.png', 'q_end.png', 'r.png'].map((path) => image(path));
    const { headers, rows } = rowsFromMedia(files, { pairs: true });
    expect(headers).toEqual(['shot', 'kind', 'model', 'last_frame', 'prompt', 'first_frame']);
    expect(rows.map(([shot, , , last, , first]) => [shot, first, last])).toEqual([
      ['p', 'p_start.png', 'p_end.png'],
      ['q', '', 'q_end.png'],
      ['r', 'r.png', ''],
    ]);
    expect(rowsFromMedia(files).rows).toHaveLength(4);
  });

  it('have a key each, and lose no file, whatever the names', () => {
    const anyFile = fc.record({
      path: fc.oneof(
        fc.constantFrom('a.png', 'a.jpg', 'A_start.png', 'A_end.png', 'a-2.png'),
        fc.string({ minLength: 1 }),
      ),
      medium: fc.constantFrom('image' as const, 'video' as const, 'audio' as const),
      prompt: fc.string(),
    });
    const options = fc.record({
      kind: fc.option(fc.constantFrom(...allKinds.map(({ kind }) => kind)), { nil: undefined }),
      pairs: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyFile, { maxLength: 20 }), options, (files, chosen) => {
        const { headers, rows } = rowsFromMedia(files, chosen);
        expect(new Set(rows.map(([shot]) => shot)).size).toBe(rows.length);
        expect(rows.every((row) => row.length === headers.length)).toBe(true);
        const cells = rows.flat();
        for (const { path } of files) expect(cells).toContain(path);
      }),
    );
  });
});

describe('the media in a folder', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-media-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text = 'x') => writeFileSync(join(folder, name), text);

  it('are its files, each with the text beside it; the rest is named', async () => {
    write('a.png');
    write('a.txt', ' Dawn over a harbour\n');
    write('b_start.JPG');
    write('b.txt', 'A pier');
    write('notes.txt');
    write('list.csv');
    write('.hidden.png');
    mkdirSync(join(folder, 'more.png'));
    symlinkSync(join(folder, 'a.png'), join(folder, 'link.png'));
    write('c.png');
    symlinkSync(join(folder, 'list.csv'), join(folder, 'c.txt'));
    const { files, leftOut } = await findMedia([folder], folder);
    const found = files.map(({ path, prompt }) => [path, prompt]).toSorted();
    expect(found).toEqual([
      ['a.png', 'Dawn over a harbour'],
      ['b_start.JPG', 'A pier'],
      ['c.png', ''],
    ]);
    const names = ['c.txt', 'link.png', 'list.csv', 'more.png', 'notes.txt'];
    expect(leftOut.toSorted()).toEqual(names.map((name) => join(folder, name)));
  });

  it('are those that were named, and no text that was not', async () => {
    write('a.png');
    write('a.txt', 'Not named');
    const elsewhere = join(folder, 'lists');
    const path = join(folder, 'a.png');
    expect(await findMedia([path], elsewhere)).toEqual({ files: [{ path, medium: 'image', prompt: '' }], leftOut: [] });
  });

  it('are not there where the path is not', async () => {
    await expect(findMedia([join(folder, 'none')], folder)).rejects.toThrow('ENOENT');
  });
});
