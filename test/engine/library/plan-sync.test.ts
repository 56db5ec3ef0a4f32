import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AssetStore, type StoredAsset } from '../../../src/engine/db/asset-store.ts';
import { openDatabase } from '../../../src/engine/db/open.ts';
import { applySync, type LocalSide, planSync, type RemoteSide } from '../../../src/engine/library/sync.ts';
import { account, anyLocal, anyRemote, applied, asset, group } from './records.ts';

const empty: LocalSide = { groups: [], assets: [] };
const known = (id: string, changes: Partial<StoredAsset> = {}): StoredAsset => ({
  ...asset(id),
  missingSince: null,
  hidden: false,
  ...changes,
});
const shown = (changes: Partial<RemoteSide> = {}): RemoteSide => ({
  groups: [group('group_1')],
  groupsWhole: true,
  assets: [],
  wholeGroups: new Set(['group_1']),
  ...changes,
});

describe('the plan of a sync', () => {
  it('is empty once it was carried out, and carrying it out twice is the same as once', () => {
    fc.assert(
      fc.property(anyLocal, anyRemote, (local, remote) => {
        const steps = planSync(local, remote);
        const once = applied(local, steps, 100);
        expect(applied(once, steps, 200)).toEqual(once);
        expect(planSync(once, remote)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('deletes nothing, hides nothing, and marks only what a whole listing lacked', () => {
    fc.assert(
      fc.property(anyLocal, anyRemote, (local, remote) => {
        const after = applied(local, planSync(local, remote), 100);
        for (const before of local.assets) {
          const now = after.assets.find(({ id }) => id === before.id);
          expect(now?.hidden).toBe(before.hidden);
          const isNewlyMissing = before.missingSince === null && now?.missingSince !== null;
          if (!isNewlyMissing) continue;
          expect(remote.assets.some(({ id }) => id === before.id)).toBe(false);
          const groupGone = remote.groupsWhole && !remote.groups.some(({ id }) => id === before.groupId);
          expect(groupGone || remote.wholeGroups.has(before.groupId ?? '')).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('makes everything that is shown known as it is shown', () => {
    fc.assert(
      fc.property(anyLocal, anyRemote, (local, remote) => {
        const after = applied(local, planSync(local, remote), 100);
        for (const { id, name, preparationStatus } of remote.assets) {
          expect(after.assets.find((record) => record.id === id)).toMatchObject({
            name,
            preparationStatus,
            missingSince: null,
          });
        }
        for (const { id, name } of remote.groups) {
          expect(after.groups.find((record) => record.id === id)).toMatchObject({ name, missingSince: null });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('lets new assets appear, names follow, and vanished ones be marked and come back', () => {
    expect(planSync(empty, shown({ assets: [asset('a')] }))).toMatchObject([
      { do: 'save_group', isNew: true },
      { do: 'save_asset', isNew: true },
    ]);
    const local = { groups: [{ ...group('group_1'), missingSince: null, hidden: false }], assets: [known('a')] };
    expect(planSync(local, shown({ assets: [asset('a', { name: 'Zoë' })] }))).toMatchObject([
      { do: 'save_asset', asset: { name: 'Zoë' }, isNew: false },
    ]);
    expect(planSync(local, shown())).toEqual([{ do: 'mark_asset_missing', id: 'a' }]);
    const gone = { ...local, assets: [known('a', { missingSince: 5 })] };
    expect(planSync(gone, shown({ assets: [asset('a')] }))).toMatchObject([{ do: 'save_asset', isNew: false }]);
  });

  it('takes neither ids of the request nor the signature of a hosted address for news', () => {
    const before = {
      requestId: 'r1',
      traceId: 't1',
      url: 'https://h.example/a?sig=1',
      ossUrl: 'https://h.example/a?s=1',
    };
    const after = {
      requestId: 'r2',
      traceId: 't2',
      url: 'https://h.example/a?sig=2',
      ossUrl: 'https://h.example/a?s=2',
    };
    const local = { groups: [], assets: [known('a', before)] };
    const remote = shown({ groups: [], groupsWhole: false, assets: [asset('a', after)] });
    expect(planSync(local, remote)).toEqual([]);
    const moved = shown({
      groups: [],
      groupsWhole: false,
      assets: [asset('a', { ...after, sourceUrl: 'https://x/?a=1' })],
    });
    expect(planSync(local, moved)).toHaveLength(1);
  });

  it('is written down by the store just as the model has it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dailies-sync-'));
    const db = openDatabase(folder);
    const store = new AssetStore(db);
    const sorted = (side: LocalSide) => applied(side, [], 0);
    await fc.assert(
      fc.asyncProperty(anyRemote, anyRemote, async (first, second) => {
        const before = { groups: store.groups(account), assets: store.assets(account) };
        let model = sorted(before);
        for (const remote of [first, second]) {
          const steps = planSync(model, remote);
          await applySync(store, account, steps, 100);
          model = applied(model, steps, 100);
        }
        expect(sorted({ groups: store.groups(account), assets: store.assets(account) })).toEqual(model);
      }),
      { numRuns: 40 },
    );
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
