import { messageFor, type Text } from '../../contract/messages/message.ts';
import PQueue from 'p-queue';
import type { Asset, AssetGroup, AssetType, SyncReport } from '../../contract/asset.ts';
import type { Page, GroupFields } from '../api/resources/assets.ts';
import type { ServiceClient } from '../api/client.ts';
import { AuthenticationError, BadRequestError, NoAnswerError, ServiceError, serviceErrorFor } from '../api/errors.ts';
import type { AssetStore, StoredAsset, StoredGroup } from '../db/asset-store.ts';
import { type Account, accountKey } from '../db/service-store.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SendOutcome } from '../api/calls.ts';
import { KeyMissingError } from '../base/errors.ts';
import { SingleFlight } from '../base/keyed-mutex.ts';
import {
  type Failed,
  type Held,
  type LibraryParts,
  type MediaTrouble,
  heldBy,
  keyChanged,
  troubleOfError,
} from './library-parts.ts';

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

async function listGroups(
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

type FoundGroup = { readonly type: 'found'; readonly groupId: string } | Failed | Held;

/**
 * Names that no person gives a group, but a service gives as an id: `group_…`, the form of the reference ("Asset
 * group"), a UUID, a long number in hex. A group of such a name could never be deleted again, so we look for it and do
 * not make it.
 */
const LOOKS_LIKE_ID = /^(?:group_\S+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,})$/i;

export class Groups {
  readonly #parts: LibraryParts;
  readonly #finding = new SingleFlight<FoundGroup>();

  constructor(parts: LibraryParts) {
    this.#parts = parts;
  }

  /**
   * The id of the group that a list or a person names by id or name; makes it when there is none of that name. Two
   * hundred shots that name the same new group make it once, and so does a run that continues after a crash: we read
   * the service's whole list first. A text that looks like an id counts when the service lists it, and is refused
   * otherwise.
   */
  find(account: Account, text: string): Promise<FoundGroup> {
    const wanted = text.trim();
    const name = `${accountKey(account)} ${folded(wanted)}`;
    return this.#finding.run(name, () => this.#find(account, wanted));
  }

  /** A known group, by id or name; null if there is none. Sends nothing. */
  known(account: Account, text: string): StoredGroup | null {
    return findGroup(this.#parts.assets.groups(account), text);
  }

  /** Throws the `ServiceError` of a refusal or of a lost answer. */
  async create(account: Account, fields: GroupFields): Promise<AssetGroup> {
    return this.#saved(account, await this.#client(account).assetGroups.create(fields));
  }

  /** Changes name, description or both. Throws the `ServiceError` of a refusal or of a lost answer. */
  async update(account: Account, groupId: string, fields: GroupFields): Promise<AssetGroup> {
    return this.#saved(account, await this.#client(account).assetGroups.update(groupId, fields));
  }

  async #find(account: Account, wanted: string): Promise<FoundGroup> {
    const known = this.known(account, wanted);
    if (known && known.status !== 'disabled') return { type: 'found', groupId: known.id };
    try {
      const isId = LOOKS_LIKE_ID.test(wanted);
      const listed =
        (isId ? await this.#byId(account, wanted) : null) ?? groupAmong(await this.#listed(account), wanted);
      if (!listed && isId) return { type: 'failed', trouble: notListed(wanted) };
      const group = listed ?? (await this.create(account, { name: wanted }));
      return { type: 'found', groupId: group.id };
    } catch (error) {
      if (error instanceof KeyMissingError) return keyChanged(this.#parts);
      if (!(error instanceof ServiceError)) throw error;
      return isRefusal(error)
        ? { type: 'failed', trouble: troubleOfError(error) }
        : // A lost answer to the making of it is found in the list when the queue comes back.
          heldBy(this.#parts, account, error, 1);
    }
  }

  /** One question, where the list may have many pages; null where the service has no group of this id. */
  async #byId(account: Account, id: string): Promise<AssetGroup | null> {
    try {
      const group = await this.#client(account).assetGroups.get(id, { signal: this.#parts.stopping });
      this.#parts.assets.saveGroup(account, group);
      return group;
    } catch (error) {
      if (error instanceof ServiceError && isRefusal(error)) return null;
      throw error;
    }
  }

  async #listed(account: Account): Promise<AssetGroup[]> {
    const { items } = await listGroups(this.#client(account), this.#parts.stopping);
    for (const group of items) this.#parts.assets.saveGroup(account, group);
    return [...items];
  }

  #saved(account: Account, outcome: SendOutcome<AssetGroup>): AssetGroup {
    if (outcome.type !== 'accepted') throw serviceErrorFor(outcome.complaint);
    this.#parts.assets.saveGroup(account, outcome.value);
    return outcome.value;
  }

  #client(account: Account): ServiceClient {
    const client = this.#parts.clients.forAccount(account);
    if (!client) throw new KeyMissingError();
    return client;
  }
}

const isRefusal = ({ httpStatus }: ServiceError): boolean =>
  httpStatus !== undefined && httpStatus < 500 && ![401, 429].includes(httpStatus);

/** A group by id or name among those the service was last seen to have; null when there is none. */
export function findGroup(groups: readonly StoredGroup[], text: string): StoredGroup | null {
  const there = groups.filter(({ missingSince }) => missingSince === null);
  return groupAmong(there, text.trim()) ?? null;
}

const groupAmong = <Group extends AssetGroup>(groups: readonly Group[], wanted: string): Group | undefined =>
  groups.find(({ id }) => id === wanted) ?? named(groups, wanted);

const notListed = (wanted: string): MediaTrouble => ({
  code: 'asset_group_not_found',
  message: messageFor('failure.groupNotListed', { group: wanted }),
  remedy: messageFor('remedy.writeGroup'),
});

/** Names are equal regardless of case, the form of accents, and spaces around them. */
const folded = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/** The group of a name: an exact match before a folded one, an enabled one before a disabled one, then the oldest. */
function named<Group extends AssetGroup>(groups: readonly Group[], wanted: string): Group | undefined {
  const rank = ({ name, status }: Group): number => (name === wanted ? 0 : 1) + (status === 'disabled' ? 2 : 0);
  return groups
    .filter(({ name }) => folded(name) === folded(wanted))
    .sort((a, b) => rank(a) - rank(b) || (a.createdAt ?? 0) - (b.createdAt ?? 0))[0];
}
