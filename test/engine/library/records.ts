import fc from 'fast-check';
import type { Asset, AssetGroup } from '../../../src/contract/asset.ts';
import type { StoredAsset, StoredGroup } from '../../../src/engine/db/asset-store.ts';
import type { Account } from '../../../src/engine/db/service-store.ts';
import type { LocalSide, RemoteSide, SyncStep } from '../../../src/engine/library/sync.ts';

export const account: Account = { origin: 'http://127.0.0.1:1', keyFingerprint: 'fingerprint' };

export const asset = (id: string, changes: Partial<Asset> = {}): Asset => ({
  id,
  groupId: 'group_1',
  type: 'image',
  name: `${id}.png`,
  description: '',
  reference: `Asset://${id}`,
  status: 'ready',
  syncStatus: 'ready',
  preparationStatus: 'ready',
  generationReady: true,
  createdAt: 1000,
  updatedAt: 2000,
  ...changes,
});

export const group = (id: string, changes: Partial<AssetGroup> = {}): AssetGroup => ({
  id,
  name: id,
  description: '',
  status: 'enabled',
  createdAt: 1000,
  updatedAt: 1000,
  ...changes,
});

const groupIds = ['group_1', 'group_2', 'group_3'];
const words = fc.constantFrom('created', 'syncing', 'ready', 'failed', 'disabled');
const anyAsset = fc
  .record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    groupId: fc.constantFrom(...groupIds),
    name: fc.constantFrom('Zoë', 'fox', ''),
    preparationStatus: words,
    generationReady: fc.boolean(),
    url: fc.constantFrom('https://m.example/a?sig=1', 'https://m.example/a?sig=2', 'https://m.example/b'),
    requestId: fc.string(),
  })
  .map(({ id, ...changes }) => asset(id, changes));
const anyGroup = fc
  .record({ id: fc.constantFrom(...groupIds), name: fc.constantFrom('Foxes', 'Faces'), status: words })
  .map(({ id, ...changes }) => group(id, changes));

const marks = { missingSince: fc.option(fc.integer({ min: 1, max: 9 })), hidden: fc.boolean() };
const byId = { selector: (record: { id: string }) => record.id };

export const anyLocal: fc.Arbitrary<LocalSide> = fc.record({
  groups: fc.uniqueArray(
    fc.tuple(anyGroup, fc.record(marks)).map(([record, known]): StoredGroup => ({ ...record, ...known })),
    byId,
  ),
  assets: fc.uniqueArray(
    fc.tuple(anyAsset, fc.record(marks)).map(([record, known]): StoredAsset => ({ ...record, ...known })),
    byId,
  ),
});

export const anyRemote: fc.Arbitrary<RemoteSide> = fc.record({
  groups: fc.uniqueArray(anyGroup, byId),
  groupsWhole: fc.boolean(),
  assets: fc.uniqueArray(anyAsset, byId),
  wholeGroups: fc.subarray(groupIds).map((ids) => new Set(ids)),
});

/** Applies the steps to the local side, in memory: the model that the store must match. */
export function applied(local: LocalSide, steps: readonly SyncStep[], now: number): LocalSide {
  const groups = new Map(local.groups.map((record) => [record.id, record]));
  const assets = new Map(local.assets.map((record) => [record.id, record]));
  for (const step of steps) {
    if (step.do === 'save_group') {
      const hidden = groups.get(step.group.id)?.hidden ?? false;
      groups.set(step.group.id, { ...step.group, missingSince: null, hidden });
    } else if (step.do === 'save_asset') {
      const hidden = assets.get(step.asset.id)?.hidden ?? false;
      assets.set(step.asset.id, { ...step.asset, missingSince: null, hidden });
    } else {
      const records: Map<string, StoredGroup | StoredAsset> = step.do === 'mark_group_missing' ? groups : assets;
      const known = records.get(step.id);
      if (known) records.set(step.id, { ...known, missingSince: known.missingSince ?? now });
    }
  }
  const sorted = <Item extends { id: string }>(items: Iterable<Item>): Item[] =>
    [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { groups: sorted(groups.values()), assets: sorted(assets.values()) };
}
