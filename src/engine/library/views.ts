import { type AssetFilter, type LibraryAsset, type LibraryGroup, toReadiness } from '../../contract/asset.ts';
import type { StoredAsset } from '../db/asset-store.ts';
import type { Account } from '../db/service-store.ts';
import type { StoredUpload } from '../db/upload-store.ts';
import type { LibraryParts } from './library-parts.ts';

type Stores = Pick<LibraryParts, 'assets' | 'uploads' | 'media'>;

/** Groups as last seen, with their known content. Sends nothing, so it works without a network. */
export function groupsFor({ assets }: Stores, account: Account): LibraryGroup[] {
  const inGroup = Map.groupBy(assets.assets(account), ({ groupId }) => groupId);
  return assets
    .groups(account)
    .map((group) => {
      const known = (inGroup.get(group.id) ?? []).filter(({ missingSince }) => missingSince === null);
      return { ...group, assets: known.length, ready: known.filter(({ generationReady }) => generationReady).length };
    })
    .sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
}

export function assetsFor(stores: Stores, account: Account, filter: AssetFilter): LibraryAsset[] {
  const names = groupNames(stores, account);
  const uploads = stores.uploads.byAsset(account);
  return stores.assets
    .assets(account)
    .map((asset) => toView(stores, asset, names, uploads.get(asset.id) ?? null))
    .filter((asset) => fits(asset, filter))
    .sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0) || (a.id < b.id ? -1 : 1));
}

export function assetFor(stores: Stores, account: Account, assetId: string): LibraryAsset | null {
  const asset = stores.assets.asset(account, assetId);
  if (!asset) return null;
  return toView(stores, asset, groupNames(stores, account), stores.uploads.ofAsset(account, assetId));
}

/** The group an upload was sent to, where its asset lies in another; null where that is not so, or not known. */
export function missedGroup(sentTo: string, { groupId }: Pick<StoredAsset, 'groupId'>): string | null {
  return sentTo !== '' && groupId !== null && groupId !== sentTo ? sentTo : null;
}

function groupNames({ assets }: Stores, account: Account): Map<string, string> {
  return new Map(assets.groups(account).map(({ id, name }) => [id, name]));
}

function toView(
  { media }: Stores,
  asset: StoredAsset,
  groups: ReadonlyMap<string, string>,
  upload: StoredUpload | null,
): LibraryAsset {
  const groupName = asset.groupId === null ? undefined : groups.get(asset.groupId);
  const missed = upload && missedGroup(upload.groupId, asset);
  const local = upload?.bytes == null ? null : media.media(upload.content);
  return {
    ...asset,
    readiness: toReadiness(asset),
    ...(groupName !== undefined && { groupName }),
    ...(missed && { wantedGroup: groups.get(missed) ?? missed }),
    ...(upload && {
      uploadedFor: { model: upload.model, mode: upload.mode, purpose: upload.purpose, role: upload.role },
    }),
    ...(local && { local }),
  };
}

function fits(asset: LibraryAsset, { group, type, readiness, missing, hidden, text }: AssetFilter): boolean {
  const words = [asset.name, asset.id, ...(asset.local?.paths ?? [])].map(folded);
  return (
    (hidden === true || !asset.hidden) &&
    (missing !== false || asset.missingSince === null) &&
    (group === undefined || asset.groupId === group || folded(asset.groupName ?? '') === folded(group)) &&
    (type === undefined || asset.type === type) &&
    (readiness === undefined || readiness.includes(asset.readiness)) &&
    (text === undefined || words.some((word) => word.includes(folded(text))))
  );
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase();
