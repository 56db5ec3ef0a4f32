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
/** Records written per commit: small enough that the queue never waits long for one. */
const SLICE = 200;

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
  const { groups, assets } = planSync({ groups: store.groups(account), assets: store.assets(account) }, remote);
  const at = now();
  const writes = [
    ...groups.news.map(
      ({ record }) =>
        () =>
          store.saveGroup(account, record),
    ),
    ...assets.news.map(
      ({ record }) =>
        () =>
          store.saveAsset(account, record),
    ),
    ...groups.gone.map((id) => () => store.markMissing(account, 'group', id, at)),
    ...assets.gone.map((id) => () => store.markMissing(account, 'asset', id, at)),
  ];
  for (let start = 0; start < writes.length; start += SLICE) {
    signal?.throwIfAborted();
    store.inOneCommit(() => writes.slice(start, start + SLICE).forEach((write) => write()));
    await nextTurn();
  }
  const saved = [...groups.news, ...assets.news];
  return {
    groups: remote.groups.length,
    assets: remote.assets.length,
    added: saved.filter(({ isNew }) => isNew).length,
    changed: saved.filter(({ isNew }) => !isNew).length,
    vanished: groups.gone.length + assets.gone.length,
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

interface LocalSide {
  readonly groups: readonly StoredGroup[];
  readonly assets: readonly StoredAsset[];
}

interface RemoteSide {
  readonly groups: readonly AssetGroup[];
  /** The listing is complete: a group that it lacks no longer exists. */
  readonly groupsWhole: boolean;
  readonly assets: readonly Asset[];
  readonly wholeGroups: ReadonlySet<string>;
}

/**
 * What makes the library match the service's listing: new and changed records, and the ids of missing ones. Pure. Leaves
 * alone what the listing did not cover, because a group could not be listed.
 */
function planSync(local: LocalSide, remote: RemoteSide) {
  const shownGroups = new Set(remote.groups.map(({ id }) => id));
  const shownAssets = new Set(remote.assets.map(({ id }) => id));
  const isGone = (groupId: string): boolean => remote.groupsWhole && !shownGroups.has(groupId);
  const there = <Record extends StoredGroup | StoredAsset>(records: readonly Record[]) =>
    records.filter(({ missingSince }) => missingSince === null);
  return {
    groups: {
      news: newsIn(local.groups, remote.groups),
      gone: there(local.groups).flatMap(({ id }) => (isGone(id) ? [id] : [])),
    },
    assets: {
      news: newsIn(local.assets, remote.assets),
      gone: there(local.assets).flatMap(({ id, groupId }) => {
        if (shownAssets.has(id) || groupId === null) return [];
        return remote.wholeGroups.has(groupId) || isGone(groupId) ? [id] : [];
      }),
    },
  };
}

/** Those that are not known as they are shown. */
function newsIn<Shown extends { readonly id: string }>(
  known: readonly (Shown & { readonly missingSince: number | null })[],
  shown: readonly Shown[],
): { readonly record: Shown; readonly isNew: boolean }[] {
  const byId = new Map(known.map((record) => [record.id, record]));
  return shown.flatMap((record) => {
    const before = byId.get(record.id);
    const isNews = !before || before.missingSince !== null || !isSameRecord(before, record);
    return isNews ? [{ record, isNew: !before }] : [];
  });
}

/** Known only here, or different with each request: never news. */
const NO_NEWS: ReadonlySet<string> = new Set(['missingSince', 'hidden', 'requestId', 'traceId']);
/** Hosted addresses, whose signature may change with each listing. */
const SIGNED: ReadonlySet<string> = new Set(['url', 'ossUrl']);

export function isSameRecord(known: object, shown: object): boolean {
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
