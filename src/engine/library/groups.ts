import { messageFor } from '../../contract/messages/message.ts';
import type { AssetGroup } from '../../contract/asset.ts';
import { ServiceError, serviceErrorFor } from '../api/errors.ts';
import type { ServiceClient } from '../api/client.ts';
import type { SendOutcome } from '../api/calls.ts';
import type { GroupFields } from '../api/resources/assets.ts';
import type { StoredGroup } from '../db/asset-store.ts';
import { type Account, accountKey } from '../db/service-store.ts';
import { KeyMissingError } from '../base/errors.ts';
import { SingleFlight } from '../base/keyed-mutex.ts';
import type { Failed, Held, LibraryParts, MediaTrouble } from './library-parts.ts';
import { heldBy, keyChanged, troubleOfError } from './library-parts.ts';
import { listGroups } from './sync.ts';

export type FoundGroup = { readonly type: 'found'; readonly groupId: string } | Failed | Held;

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
  remedy: messageFor('remedy.correctGroup'),
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
