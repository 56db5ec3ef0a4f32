import { describe, expect, it } from 'vitest';
import type { LibraryAsset } from '../../../src/contract/asset.ts';
import {
  everything,
  findAssets,
  isFiltered,
  toReason,
  toReview,
  toStanding,
} from '../../../src/renderer/lib/assets/find-assets.ts';

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
