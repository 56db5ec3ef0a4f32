import { messageFor, type Text } from '../../contract/messages/message.ts';
import PQueue from 'p-queue';
import type { Asset, AssetGroup, AssetType, SyncReport } from '../../contract/asset.ts';
import type { Page } from '../api/resources/assets.ts';
import type { ServiceClient } from '../api/client.ts';
import { AuthenticationError, BadRequestError, NoAnswerError, ServiceError } from '../api/errors.ts';
import type { AssetStore, StoredAsset, StoredGroup } from '../db/asset-store.ts';
import type { Account } from '../db/service-store.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';

const AT_ONCE = 3;

type Client = Pick<ServiceClient, 'assets' | 'assetGroups'>;

/**
 * Syncs the library of an account with the service: one request for each page, no more. Groups are listed one by one,
 * since assets of different groups are isolated (reference, "Asset"). Throws a `ServiceError` when it learned nothing.
 */
export async function syncLibrary(
  client: Client,
  account: Account,
  store: AssetStore,
  now: () => number,
  signal?: AbortSignal,
): Promise<Omit<SyncReport, 'adopted'>> {
  const { remote, problems } = await lookAround(client, signal);
  const local = { groups: store.groups(account), assets: store.assets(account) };
  const steps = planSync(local, remote);
  await applySync(store, account, steps, now(), signal);
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

async function lookAround(
  client: Client,
  signal: AbortSignal | undefined,
): Promise<{ readonly remote: RemoteSide; readonly problems: Text[] }> {
  const groups = await listGroups(client, signal);
  const assets = new Map<string, Asset>();
  const totals = new Map<string, number>();
  const wholeGroups = new Set<string>();
  const problems: Text[] = [];
  const listGroup = async (group: AssetGroup): Promise<void> => {
    try {
      const listing = await listAssets(client, { groupId: group.id }, signal);
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
  const rest = await listOutsideGroups(client, assets, totals, signal);
  for (const asset of rest.items) if (!assets.has(asset.id)) assets.set(asset.id, asset);
  return {
    remote: { groups: groups.items, groupsWhole: groups.whole, assets: [...assets.values()], wholeGroups },
    problems,
  };
}

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

export async function listAssets(
  client: Pick<ServiceClient, 'assets'>,
  { groupId, type }: Listed,
  signal?: AbortSignal,
  enough?: (first: Page<Asset>) => boolean,
): Promise<Listing<Asset>> {
  const of = { ...(groupId !== null && { groupId }), ...(type !== undefined && { type }) };
  return listAll(
    (page, pageSize) => client.assets.list({ page, ...(pageSize !== undefined && { pageSize }), ...of }, { signal }),
    enough,
  );
}

/**
 * Lists assets without naming a group: the reference does not say whether that is the default group or all of them.
 * Either way we mostly know them already, and then the first page is enough.
 */
function listOutsideGroups(
  client: Client,
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

function isAboutThisGroup(error: unknown): error is ServiceError {
  return error instanceof ServiceError && !(error instanceof NoAnswerError) && !(error instanceof AuthenticationError);
}

/** Steps written per commit: small enough that the queue never waits long for one. */
const SLICE = 200;

export async function applySync(
  store: AssetStore,
  account: Account,
  steps: readonly SyncStep[],
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  for (let start = 0; start < steps.length; start += SLICE) {
    signal?.throwIfAborted();
    store.inOneCommit(() => {
      for (const step of steps.slice(start, start + SLICE)) applyStep(store, account, step, now);
    });
    await nextTurn();
  }
}

function applyStep(store: AssetStore, account: Account, step: SyncStep, now: number): void {
  switch (step.do) {
    case 'save_group':
      return store.saveGroup(account, step.group);
    case 'save_asset':
      return store.saveAsset(account, step.asset);
    case 'mark_group_missing':
      return store.markMissing(account, 'group', step.id, now);
    case 'mark_asset_missing':
      return store.markMissing(account, 'asset', step.id, now);
  }
}

/**
 * Items requested per page. The reference names no maximum; a service that refuses this number gets its own default.
 */
const PAGE_SIZE = 100;

interface Listing<Item> {
  readonly items: readonly Item[];
  /** How many the service says there are; null when it does not. */
  readonly total: number | null;
  /** False when fewer were seen than the service says there are, as when the list moved while it was read. */
  readonly whole: boolean;
}

type FetchPage<Item> = (page: number, pageSize: number | undefined) => Promise<Page<Item>>;

/** Reads a listing page by page; `enough` may end it after the first. Rejects with the `ServiceError` of a bad page. */
export async function listAll<Item extends { readonly id: string }>(
  fetch: FetchPage<Item>,
  enough: (first: Page<Item>) => boolean = () => false,
): Promise<Listing<Item>> {
  const found = new Map<string, Item>();
  const { first, pageSize } = await firstPage(fetch);
  let page = first;
  let seen = 0;
  for (let number = 1; ; number += 1) {
    const before = found.size;
    for (const item of page.items) found.set(item.id, item);
    seen += page.items.length;
    // A service that ignores the page number would give the same items for ever.
    const nothingNew = found.size === before;
    if (nothingNew || (page.total !== null && seen >= page.total) || (number === 1 && enough(page))) break;
    page = await fetch(number + 1, pageSize);
  }
  return { items: [...found.values()], total: page.total, whole: page.total === null || found.size >= page.total };
}

async function firstPage<Item>(fetch: FetchPage<Item>): Promise<{ first: Page<Item>; pageSize: number | undefined }> {
  try {
    return { first: await fetch(1, PAGE_SIZE), pageSize: PAGE_SIZE };
  } catch (error) {
    // A refusal of a wrong or deleted group says so; any other may be about the page size.
    if (!(error instanceof BadRequestError) || error.code === 'invalid_group_id') throw error;
    return { first: await fetch(1, undefined), pageSize: undefined };
  }
}

export interface LocalSide {
  readonly groups: readonly StoredGroup[];
  readonly assets: readonly StoredAsset[];
}

export interface RemoteSide {
  readonly groups: readonly AssetGroup[];
  /** The listing is complete: a group that it lacks no longer exists. */
  readonly groupsWhole: boolean;
  readonly assets: readonly Asset[];
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
