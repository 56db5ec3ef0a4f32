import { messageFor, type Text } from '../../contract/messages/message.ts';
import PQueue from 'p-queue';
import type { Asset, AssetGroup, AssetType, SyncReport } from '../../contract/asset.ts';
import type { Page } from '../api/asset-schemas.ts';
import type { ServiceClient } from '../api/client.ts';
import { AuthenticationError, NoAnswerError, ServiceError } from '../api/errors.ts';
import type { AssetStore } from '../db/asset-store.ts';
import type { Account } from '../db/service-store.ts';
import type { Clock } from '../base/ports.ts';
import { applySync } from './apply-sync.ts';
import { listAll, type Listing } from './listing.ts';
import { planSync, type RemoteSide } from './plan-sync.ts';

/** Listings read at once: enough to fill the wait for answers, few enough to leave the queue its share. */
const AT_ONCE = 3;

export interface SyncParts {
  readonly client: Pick<ServiceClient, 'assets' | 'assetGroups'>;
  readonly account: Account;
  readonly store: AssetStore;
  readonly clock: Clock;
}

/**
 * Syncs the library of an account with the service: one request for each page, no more. Groups are listed one by one,
 * since assets of different groups are isolated (reference, "Asset"). Throws a `ServiceError` when it learned nothing.
 */
export async function syncLibrary(parts: SyncParts, signal?: AbortSignal): Promise<Omit<SyncReport, 'adopted'>> {
  const { store, account, clock } = parts;
  const { remote, problems } = await lookAround(parts, signal);
  const local = { groups: store.groups(account), assets: store.assets(account) };
  const steps = planSync(local, remote);
  await applySync(store, account, steps, clock.now(), signal);
  const saved = steps.filter((step) => step.do === 'save_asset' || step.do === 'save_group');
  return {
    groups: remote.groups.length,
    assets: remote.assets.length,
    added: saved.filter((step) => step.isNew).length,
    changed: saved.filter((step) => !step.isNew).length,
    vanished: steps.length - saved.length,
    problems,
  };
}

interface Seen {
  readonly remote: RemoteSide;
  readonly problems: Text[];
}

async function lookAround(parts: SyncParts, signal: AbortSignal | undefined): Promise<Seen> {
  const groups = await listGroups(parts.client, signal);
  const assets = new Map<string, Asset>();
  const totals = new Map<string, number>();
  const wholeGroups = new Set<string>();
  const problems: Text[] = [];
  const listGroup = async (group: AssetGroup): Promise<void> => {
    try {
      const listing = await listAssets(parts.client, { groupId: group.id }, signal);
      for (const asset of listing.items) assets.set(asset.id, { ...asset, groupId: asset.groupId ?? group.id });
      totals.set(group.id, listing.items.length);
      if (listing.whole) wholeGroups.add(group.id);
    } catch (error) {
      if (!isAboutThisGroup(error)) throw error;
      problems.push(messageFor('failure.groupNotRead', { group: group.name, id: group.id, reason: error.text }));
    }
  };
  const listings = new PQueue({ concurrency: AT_ONCE });
  await listings.addAll(groups.items.map((group) => () => listGroup(group)));
  const rest = await listOutsideGroups(parts.client, assets, totals, signal);
  for (const asset of rest.items) if (!assets.has(asset.id)) assets.set(asset.id, asset);
  return {
    remote: { groups: groups.items, groupsWhole: groups.whole, assets: [...assets.values()], wholeGroups },
    problems,
  };
}

/** Every group, in every status. */
export async function listGroups(
  client: Pick<ServiceClient, 'assetGroups'>,
  signal?: AbortSignal,
): Promise<Listing<AssetGroup>> {
  return listAll((page, pageSize) =>
    client.assetGroups.list({ page, ...(pageSize !== undefined && { pageSize }) }, { signal }),
  );
}

/** Which assets to list: of one group, or with null those that the service lists without a group; of one type, or all. */
interface Listed {
  readonly groupId: string | null;
  readonly type?: AssetType | undefined;
}

/** Every asset of a listing. */
export async function listAssets(
  client: Pick<ServiceClient, 'assets'>,
  { groupId, type }: Listed,
  signal?: AbortSignal,
  enough?: (first: Page<Asset>) => boolean,
): Promise<Listing<Asset>> {
  const of = { ...(groupId !== null && { groupId }), ...(type !== undefined && { type }) };
  return listAll(
    (page, pageSize) => client.assets.list({ page, ...(pageSize !== undefined && { pageSize }), ...of }, { signal }),
    enough && { enough },
  );
}

/**
 * Lists assets without naming a group: the reference does not say whether that is the default group or all of them.
 * Either way we mostly know them already, and then the first page is enough.
 */
function listOutsideGroups(
  client: SyncParts['client'],
  known: ReadonlyMap<string, Asset>,
  totals: ReadonlyMap<string, number>,
  signal: AbortSignal | undefined,
): Promise<Listing<Asset>> {
  return listAssets(client, { groupId: null }, signal, (first) => {
    const groups = new Set(first.items.map((item) => known.get(item.id)?.groupId));
    if (groups.has(undefined)) return false;
    const [only] = groups;
    return first.total === known.size || (groups.size === 1 && only != null && first.total === totals.get(only));
  });
}

/** One disabled or deleted group does not stop the others; a lost connection does. */
function isAboutThisGroup(error: unknown): error is ServiceError {
  return error instanceof ServiceError && !(error instanceof NoAnswerError) && !(error instanceof AuthenticationError);
}
