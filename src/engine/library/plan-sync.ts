import type { Asset, AssetGroup } from '../../contract/asset.ts';
import type { StoredAsset, StoredGroup } from '../db/asset-store.ts';

/** The library as stored here. */
export interface LocalSide {
  readonly groups: readonly StoredGroup[];
  readonly assets: readonly StoredAsset[];
}

export interface RemoteSide {
  readonly groups: readonly AssetGroup[];
  /** The listing is complete: a group that it lacks no longer exists. */
  readonly groupsWhole: boolean;
  readonly assets: readonly Asset[];
  /** Groups whose assets were all listed. */
  readonly wholeGroups: ReadonlySet<string>;
}

/** One change that brings the local side in step. Each says how things are, so that doing it twice changes nothing. */
export type SyncStep =
  | { readonly do: 'save_group'; readonly group: AssetGroup; readonly isNew: boolean }
  | { readonly do: 'save_asset'; readonly asset: Asset; readonly isNew: boolean }
  | { readonly do: 'mark_group_missing'; readonly id: string }
  | { readonly do: 'mark_asset_missing'; readonly id: string };

/**
 * The changes that make the library match the service's listing. Pure. Adds new records, updates names and statuses,
 * marks missing ones; never deletes. Leaves alone what the listing did not cover, because a group could not be listed.
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

/** Known only here, or different with each request: never news. */
const NO_NEWS: ReadonlySet<string> = new Set(['missingSince', 'hidden', 'requestId', 'traceId']);
/** Hosted addresses, whose signature may change with each listing. */
const SIGNED: ReadonlySet<string> = new Set(['url', 'ossUrl']);

/** True when nothing changed that is worth writing down. */
export function isSameAsset(known: Asset, shown: Asset): boolean {
  return holdsFieldsOf(known, shown) && holdsFieldsOf(shown, known);
}

function isSameGroup(known: AssetGroup, shown: AssetGroup): boolean {
  return holdsFieldsOf(known, shown) && holdsFieldsOf(shown, known);
}

/** True when every field of `other`, all of them plain values, is the same in `record`. */
function holdsFieldsOf(record: object, other: object): boolean {
  const fields = record as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(other)) {
    if (fields[name] === value || NO_NEWS.has(name)) continue;
    if (!SIGNED.has(name) || withoutQuery(fields[name]) !== withoutQuery(value)) return false;
  }
  return true;
}

const withoutQuery = (url: unknown): unknown => (typeof url === 'string' ? url.split('?', 1)[0] : url);
