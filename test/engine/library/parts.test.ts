import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from '../../../src/engine/api/resources/assets.ts';
import { BadRequestError } from '../../../src/engine/api/errors.ts';
import { MediaStore } from '../../../src/engine/db/asset-store.ts';
import { openDatabase, type EngineDatabase } from '../../../src/engine/db/open.ts';
import type { StoredUpload } from '../../../src/engine/db/upload-store.ts';
import { Identities, LocalFileError } from '../../../src/engine/library/identity.ts';
import { listAll, findGroup } from '../../../src/engine/library/sync.ts';
import { needsFor } from '../../../src/engine/library/needs.ts';
import { encodeMovie } from '../../../src/demo/media/movie.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { shot } from '../db/seed.ts';
import { toReadiness } from '../../../src/contract/asset.ts';
import { asset, group } from './records.ts';
import { findUploaded } from '../../../src/engine/library/uploads.ts';

it.each([
  ['created', 'waiting'],
  ['syncing', 'waiting'],
  ['ready', 'waiting'],
  ['failed', 'failed'],
  ['disabled', 'disabled'],
  ['a word of another day', 'waiting'],
] as const)(
  'the words of the service for the state of an asset %s means that it is %s, until it may be used in generation',
  (word, readiness) => {
    const none = { status: 'created', syncStatus: 'created', preparationStatus: 'created', generationReady: false };
    for (const place of ['status', 'syncStatus', 'preparationStatus']) {
      expect(toReadiness(asset('a', { ...none, [place]: word }))).toBe(readiness);
      expect(toReadiness(asset('a', { ...none, [place]: word, generationReady: true }))).toBe('ready');
    }
  },
);

it('a group by its name is the one that is enabled, before one that is disabled', () => {
  const known = { missingSince: null, hidden: false };
  const [off, on] = [
    { ...group('group_1', { name: 'Cast', status: 'disabled' }), ...known },
    { ...group('group_2', { name: 'cast', status: 'enabled', createdAt: 2000 }), ...known },
  ];
  expect(findGroup([off, on], 'Cast')?.id).toBe('group_2');
  expect(findGroup([off], 'Cast')?.id).toBe('group_1');
});

describe('a listing', () => {
  const ids = (count: number, from = 0): { id: string }[] =>
    Array.from({ length: count }, (_, index) => ({ id: String(index + from) }));
  const pages =
    (all: { id: string }[], { cap = 100, total = all.length as number | null } = {}) =>
    (page: number, size = 20): Promise<Page<{ id: string }>> => {
      const real = Math.min(size, cap);
      return Promise.resolve({ items: all.slice((page - 1) * real, page * real), total });
    };

  it.each([
    ['with a total', {}],
    ['without a total', { total: null }],
    ['whose pages are smaller than was asked for', { cap: 7 }],
    ['whose pages are smaller, without a total', { cap: 7, total: null }],
  ])('is read whole %s', async (_what, options) => {
    const listing = await listAll(pages(ids(150), options));
    expect([listing.items.length, listing.whole]).toEqual([150, true]);
  });

  it('ends when the service gives the same page for ever, and is not taken for whole', async () => {
    const listing = await listAll(() => Promise.resolve({ items: ids(20), total: 150 }));
    expect([listing.items.length, listing.whole]).toEqual([20, false]);
  });

  it('asks for the service’s usual page when it refuses ours', async () => {
    const sizes: (number | undefined)[] = [];
    const listing = await listAll((page, size) => {
      sizes.push(size);
      if (size !== undefined) throw new BadRequestError({ message: 'page_size is at most 50', httpStatus: 400 });
      return pages(ids(30))(page);
    });
    expect(sizes).toEqual([100, undefined, undefined]);
    expect(listing.items).toHaveLength(30);
  });
});

describe('a lost upload', () => {
  const upload: StoredUpload = {
    ...{
      id: 'upload_1',
      content: 'hash',
      source: '/a.png',
      model: 'm',
      mode: 'asset',
      purpose: '',
      role: '',
      groupId: '',
    },
    ...{ type: 'image', name: 'Zoë.png', bytes: 100, state: 'sent_unknown', assetId: null, tries: 1, failure: null },
    ...{ intendedAt: 1_000_000, endedAt: null },
  };
  const listed = (id: string, changes: object = {}) =>
    asset(id, { name: 'Zoë.png', size: 100, createdAt: 1_000_000, ...changes });

  it('is recognized by its tag, whatever its name', () => {
    const tagged = listed('b', { name: 'renamed', uploadTag: 'upload_1' });
    expect(findUploaded(upload, [listed('a'), tagged])?.id).toBe('b');
    expect(findUploaded(upload, [listed('a', { uploadTag: 'upload_2' })])).toBeNull();
  });

  it('is recognized by name, size, type and time without a tag', () => {
    expect(findUploaded(upload, [listed('a', { name: 'Zoë.png'.normalize('NFD') })])?.id).toBe('a');
    expect(findUploaded(upload, [listed('a', { size: undefined })])?.id).toBe('a');
    const others = [{ name: 'Zoe.png' }, { size: 101 }, { type: 'video' }, { createdAt: 1_000 }];
    for (const other of others) expect(findUploaded(upload, [listed('a', other)])).toBeNull();
  });

  it('is the one nearest in time of several', () => {
    const old = listed('a', { createdAt: 500_000 });
    expect(findUploaded(upload, [old, listed('b', { createdAt: 1_002_000 })])?.id).toBe('b');
  });

  it('by address is known by the address', () => {
    const byAddress = { ...upload, bytes: null, content: 'https://a.example/x.png' };
    expect(findUploaded(byAddress, [listed('a')])).toBeNull();
    expect(findUploaded(byAddress, [listed('a', { sourceUrl: 'https://a.example/x.png' })])?.id).toBe('a');
  });
});

describe('the needs of a shot', () => {
  const needs = (params: object, kind: 'video' | 'image' = 'video') =>
    needsFor(shot(1, { kind, params: params as never }), '/lists').local.map(({ parameter, cell, role, purpose }) =>
      [parameter, cell, role, purpose].join(' '),
    );

  it('name role and purpose by the column', () => {
    expect(
      needs({
        ...{ image: 'i.png', first_frame: 'f.png', last_frame: 'l.png', reference_images: ['a.png', 'b.png'] },
        ...{ video: 'v.mp4', reference_videos: ['w.mp4'], audio: 's.wav' },
      }),
    ).toEqual([
      'image i.png first_frame ',
      'first_frame f.png first_frame ',
      'last_frame l.png last_frame ',
      'reference_images a.png reference_image ',
      'reference_images b.png reference_image ',
      'video v.mp4 reference_video reference_video',
      'reference_videos w.mp4 reference_video reference_video',
      'audio s.wav reference_audio ',
    ]);
  });

  it('leaves out addresses, and media that the request carries itself', () => {
    expect(needs({ first_frame: 'https://a.example/a.png', last_frame: 'Asset://a1' })).toEqual([]);
    expect(needs({ operation: 'edit', image: 'a.png', mask: 'm.png' }, 'image')).toEqual([]);
  });
});

describe('the identity of a file', () => {
  let folder: string;
  let db: EngineDatabase;
  let store: MediaStore;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-identity-'));
    db = openDatabase(folder);
    store = new MediaStore(db);
  });
  afterEach(() => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const identities = () => new Identities(store, new FakeClock(), new AbortController().signal);
  const put = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  it('is its content, whatever it is called', async () => {
    const files = [put('a.png', 'same'), put('b 🎬.png', 'same'), put('c.png', 'other')];
    const [a, b, c] = await Promise.all(files.map((path) => identities().identify(path)));
    expect(a?.sha256).toBe(b?.sha256);
    expect(a?.sha256).not.toBe(c?.sha256);
    expect(store.media(a?.sha256 ?? '')?.paths.toSorted()).toEqual([files[0], files[1]]);
  });

  it('is not read again while the file does not change', async () => {
    const path = put('a.png', 'first');
    const { sha256, stamp } = await identities().identify(path);
    store.save(path, 'as remembered', stamp, {}, 1);
    expect((await identities().identify(path)).sha256).toBe('as remembered');
    utimesSync(path, new Date(0), new Date(0));
    expect((await identities().identify(path)).sha256).toBe(sha256);
  });

  it('holds the facts of the media file', async () => {
    const movie = await encodeMovie({ width: 16, height: 16, framesPerSecond: 12, count: 24, paint: () => undefined });
    const { sha256 } = await identities().identify(put('movie.mp4', movie));
    expect(store.media(sha256)).toMatchObject({ contentType: 'video/mp4', width: 16, height: 16, duration: 2 });
    const text = await identities().identify(put('notes.png', 'no picture'));
    expect(store.media(text.sha256)).toEqual({ sha256: text.sha256, bytes: 10, paths: [text.path] });
  });

  it.each([
    ['is not there', 'none.png', 'file_gone'],
    ['is a folder', '.', 'not_a_file'],
    ['is empty', 'empty.png', 'empty_file'],
  ])('cannot be told of one that %s', async (_what, name, code) => {
    put('empty.png', '');
    const error = await identities()
      .identify(join(folder, name))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LocalFileError);
    expect(error).toMatchObject({ code });
  });
});
