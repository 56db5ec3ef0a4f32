import { describe, expect, it } from 'vitest';
import { type LibraryAsset, UploadTarget } from '../../../src/contract/asset.ts';
import {
  everything,
  findAssets,
  isFiltered,
  toReason,
  toReview,
  toStanding,
} from '../../../src/renderer/lib/assets/find-assets.ts';
import {
  ANY_MODEL,
  DEFAULT_GROUP,
  isMedium,
  targetFor,
  roleWord,
  uploadRoles,
} from '../../../src/renderer/views/library/roles.ts';

const asset = (id: string, fields: Partial<LibraryAsset> = {}): LibraryAsset => ({
  id,
  groupId: 'group_1',
  type: 'image',
  name: id,
  description: '',
  reference: `Asset://${id}`,
  status: 'ready',
  generationReady: true,
  readiness: 'ready',
  missingSince: null,
  hidden: false,
  createdAt: 0,
  updatedAt: 0,
  ...fields,
});

const idsOf = (assets: readonly LibraryAsset[]) => assets.map(({ id }) => id);

describe('what the library shows', () => {
  it('leaves hidden assets out unless they are asked for, and then shows them alone', () => {
    const all = [asset('seen'), asset('hidden', { hidden: true })];
    expect(idsOf(findAssets(all, everything))).toEqual(['seen']);
    expect(idsOf(findAssets(all, { ...everything, hidden: true }))).toEqual(['hidden']);
  });

  it('finds an asset by words of its name, of its file and of its model at once', () => {
    const uploadedFor = { model: 'vgen-2.0-cl', mode: 'asset' as const, purpose: '', role: 'first_frame' };
    const local = { sha256: 'ab', bytes: 3, paths: ['/films/Night/lamp.png'] };
    const all = [asset('a', { name: 'Lamp', uploadedFor, local }), asset('b', { name: 'Lamp' })];
    expect(idsOf(findAssets(all, { ...everything, text: ' LAMP night  2.0-cl ' }))).toEqual(['a']);
    expect(findAssets(all, { ...everything, text: 'lamp noon' })).toEqual([]);
  });

  it('counts what the service no longer lists as not ready, however ready it was', () => {
    const all = [asset('gone', { missingSince: 5 }), asset('ready'), asset('bad', { readiness: 'failed' })];
    expect(idsOf(findAssets(all, { ...everything, standing: 'not-ready', order: 'standing' }))).toEqual([
      'bad',
      'gone',
    ]);
    expect(idsOf(findAssets(all, { ...everything, standing: 'ready' }))).toEqual(['ready']);
  });

  it('orders names as people count, and sizes by the file where the service tells none', () => {
    const all = [
      asset('x', { name: 'plate 10', local: { sha256: 'c', bytes: 900, paths: [] } }),
      asset('y', { name: 'plate 9', size: 100 }),
    ];
    expect(idsOf(findAssets(all, { ...everything, order: 'name' }))).toEqual(['y', 'x']);
    expect(idsOf(findAssets(all, { ...everything, order: 'size' }))).toEqual(['x', 'y']);
  });

  it('takes neither the group nor the order for a filter', () => {
    expect(isFiltered({ ...everything, group: 'group_1', order: 'name' })).toBe(false);
    expect(isFiltered({ ...everything, text: ' ' })).toBe(false);
    expect(isFiltered({ ...everything, type: 'audio' })).toBe(true);
  });
});

describe('whether an asset can be used', () => {
  it('gives the service’s own reason for a failure, else what the state means', () => {
    expect(toReason(asset('a', { readiness: 'failed', syncError: 'Too small.' }))).toBe('Too small.');
    expect(toReason(asset('a', { readiness: 'failed' }))).toContain('no shot can use it');
    expect(toStanding(asset('a', { missingSince: 1 }))).toBe('missing');
  });

  it('warns that a passed review is not readiness, and only while it is not ready', () => {
    const passed = { reviewStatus: 'succeeded', reviewPassed: true };
    expect(toReview(asset('a', { ...passed, readiness: 'waiting' }))?.caution).not.toBe('');
    expect(toReview(asset('a', passed))).toEqual({ word: 'succeeded', caution: '' });
    expect(toReview(asset('a'))).toBeNull();
  });
});

const nothingSaid = { role: 'auto', model: ANY_MODEL, group: DEFAULT_GROUP };

it('uploads each file as what its kind is mostly used for', () => {
  expect(targetFor(nothingSaid, 'image/png')).toEqual({ role: 'reference_image', type: 'image' });
  expect(targetFor(nothingSaid, 'video/mp4')).toEqual({ role: 'reference_video', type: 'video' });
  expect(targetFor(nothingSaid, 'audio/wav')).toEqual({ role: 'reference_audio', type: 'audio' });
});

it('leaves the type of an unknown file to the engine', () => {
  expect(targetFor(nothingSaid, '')).toEqual({});
});

it('names model and group only where they were chosen', () => {
  expect(targetFor({ role: 'first_frame', model: 'vgen-2.0-cl', group: 'group_7' }, 'image/png')).toEqual({
    role: 'first_frame',
    type: 'image',
    model: 'vgen-2.0-cl',
    group: 'group_7',
  });
});

it('offers only roles that the service knows', () => {
  expect(roleWord('video_reference')).toBe(roleWord('reference_video'));
  for (const { name } of uploadRoles) {
    expect(UploadTarget.safeParse(targetFor({ ...nothingSaid, role: name }, '')).success).toBe(true);
  }
});

it('knows what no shot can use: a list, a document, an archive', () => {
  const medium = (name: string, type: string) => isMedium({ name, type });
  expect(medium('pier.png', 'image/png')).toBe(true);
  expect(medium('pier.mkv', '')).toBe(true);
  expect(medium('shots400.csv', 'text/csv')).toBe(false);
  expect(medium('shots400.csv', '')).toBe(false);
  expect(medium('deck.pdf', 'application/pdf')).toBe(false);
});
