import type { Asset, AssetGroup } from '../../contract/asset.ts';
import type { StoredAsset, StoredGroup } from '../db/asset-store.ts';

/** What is known here. */
export interface LocalSide {
  readonly groups: readonly StoredGroup[];
  readonly assets: readonly StoredAsset[];
}

/** What the service showed. */
export interface RemoteSide {
  readonly groups: readonly AssetGroup[];
  /** Every group was shown: one that is not among them is gone. */
  readonly groupsWhole: boolean;
  readonly assets: readonly Asset[];
  /** Groups of which every asset was shown. */
  readonly wholeGroups: ReadonlySet<string>;
}

/** One change that brings the local side in step. Each says how things are, so that doing it twice changes nothing. */
export type SyncStep =
  | { readonly do: 'save_group'; readonly group: AssetGroup; readonly isNew: boolean }
  | { readonly do: 'save_asset'; readonly asset: Asset; readonly isNew: boolean }
  | { readonly do: 'mark_group_missing'; readonly id: string }
  | { readonly do: 'mark_asset_missing'; readonly id: string };

/**
 * What has to be written down so that the library is as the service showed it. Pure. New records appear, names and
 * statuses follow, what vanished is marked, and nothing is ever deleted. What the service did not show, because a
 * group could not be listed, is left as it is.
 */
export function planSync(local: LocalSide, remote: RemoteSide): SyncStep[] {
  const steps: SyncStep[] = [];
  const knownGroups = new Map(local.groups.map((group) => [group.id, group]));
  const knownAssets = new Map(local.assets.map((asset) => [asset.id, asset]));
  const shownGroups = new Set(remote.groups.map((group) => group.id));
  const shownAssets = new Set(remote.assets.map((asset) => asset.id));

  for (const group of remote.groups) {
    const known = knownGroups.get(group.id);
    if (!known || known.missingSince !== null || !isSameGroup(known, group)) {
      steps.push({ do: 'save_group', group, isNew: !known });
    }
  }
  for (const asset of remote.assets) {
    const known = knownAssets.get(asset.id);
    if (!known || known.missingSince !== null || !isSameAsset(known, asset)) {
      steps.push({ do: 'save_asset', asset, isNew: !known });
    }
  }
  const isGone = (groupId: string): boolean => remote.groupsWhole && !shownGroups.has(groupId);
  for (const { id, missingSince } of local.groups) {
    if (missingSince === null && isGone(id)) steps.push({ do: 'mark_group_missing', id });
  }
  for (const { id, groupId, missingSince } of local.assets) {
    if (missingSince !== null || shownAssets.has(id) || groupId === null) continue;
    if (remote.wholeGroups.has(groupId) || isGone(groupId)) steps.push({ do: 'mark_asset_missing', id });
  }
  return steps;
}

/** True when nothing changed that is worth writing down. */
export function isSameAsset(known: Asset, shown: Asset): boolean {
  return factsOf(known) === factsOf(shown);
}

function isSameGroup(known: AssetGroup, shown: AssetGroup): boolean {
  return inOrder(fieldsOf(known)) === inOrder(fieldsOf(shown));
}

/** Ids of the request change with each, and so may the signature of a hosted address: neither is news. */
function factsOf(asset: Asset): string {
  const { requestId: _requestId, traceId: _traceId, url, ossUrl, ...facts } = fieldsOf(asset);
  return inOrder({ ...facts, url: withoutQuery(url), ossUrl: withoutQuery(ossUrl) });
}

/** The service's own fields of a record, without what is only known here. */
function fieldsOf<Fields extends object>(record: Fields): Omit<Fields, 'missingSince' | 'hidden'> {
  const { missingSince: _missingSince, hidden: _hidden, ...fields } = record as Fields & Partial<StoredAsset>;
  return fields as Omit<Fields, 'missingSince' | 'hidden'>;
}

const withoutQuery = (url: string | undefined): string | undefined => url?.replace(/\?.*$/s, '');

function inOrder(fields: object): string {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return JSON.stringify(present.sort(([a], [b]) => (a < b ? -1 : 1)));
}
