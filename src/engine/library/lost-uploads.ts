import { messageFor } from '../../contract/messages/message.ts';
import { NO_INCIDENT } from '../machine/job-facts.ts';
import { ServiceError } from '../api/errors.ts';
import type { Account } from '../db/service-store.ts';
import type { StoredUpload } from '../db/upload-store.ts';
import { SingleFlight } from '../base/keyed-mutex.ts';
import { type Held, heldBy, keyChanged, type LibraryParts } from './library-parts.ts';
import { listAssets } from './sync.ts';
import type { Asset } from '../../contract/asset.ts';

export type Search = { readonly type: 'found'; readonly assetId: string } | { readonly type: 'not_there' } | Held;

/** Looks for a moment later when a list could not be read whole, ms. */
const LIST_AGAIN_MS = 3000;

export class LostUploads {
  readonly #parts: LibraryParts;
  readonly #searches = new SingleFlight<Search>();

  constructor(parts: LibraryParts) {
    this.#parts = parts;
  }

  async adoptAll(account: Account): Promise<number> {
    let found = 0;
    for (const { id } of this.#parts.uploads.unknown(account)) {
      // Another step may have found it.
      const upload = this.#parts.uploads.unknown(account).find((each) => each.id === id);
      if (!upload) continue;
      const search = await this.lookFor(account, upload);
      if (search.type === 'found') found += 1;
    }
    return found;
  }

  /** Several who look for one upload share the search: what one of them found is not missing for the other. */
  lookFor(account: Account, upload: StoredUpload): Promise<Search> {
    return this.#searches.run(upload.id, () => this.#search(account, upload));
  }

  async #search(account: Account, upload: StoredUpload): Promise<Search> {
    const { clients, assets, uploads, stopping, ports } = this.#parts;
    const client = clients.forAccount(account);
    if (!client) return keyChanged(this.#parts);
    try {
      const groupId = upload.groupId === '' ? null : upload.groupId;
      // What was sent as a file of no known medium may be listed as what it turned out to be.
      const type = upload.type === 'file' ? undefined : upload.type;
      const { items, whole } = await listAssets(client, { groupId, type }, stopping);
      const free = items.filter((asset) => uploads.ofAsset(account, asset.id) === null);
      // Two lost uploads that look alike must not be taken for each other: then only the tag counts.
      const unsure = uploads.hasLookAlike(account, upload);
      const asset = findUploaded(upload, unsure ? free.filter(({ uploadTag }) => uploadTag !== undefined) : free);
      if (!asset) return whole ? { type: 'not_there' } : listMoved(this.#parts.ports.clock.now());
      ports.logger.info('Found the asset of an upload whose answer was lost', { asset: asset.id, name: upload.name });
      assets.inOneCommit(() => {
        assets.saveAsset(account, asset);
        uploads.arrived(upload.id, asset.id, this.#parts.ports.clock.now());
      });
      return { type: 'found', assetId: asset.id };
    } catch (error) {
      if (error instanceof ServiceError) return this.#searchFailed(account, error);
      throw error;
    }
  }

  /** A deleted group cannot have the asset, and nothing can be sent to it either. */
  #searchFailed(account: Account, error: ServiceError): Search {
    const groupGone = error.httpStatus === 404 || error.code === 'asset_group_not_found';
    return groupGone ? { type: 'not_there' } : heldBy(this.#parts, account, error, 1);
  }
}

const listMoved = (now: number): Held => ({
  type: 'held',
  until: now + LIST_AGAIN_MS,
  report: NO_INCIDENT,
  why: messageFor('failure.listChanging'),
});

/** How far the service's clock may be from ours, ms. */
const CLOCK_SKEW_MS = 15 * 60_000;

/**
 * The asset that a lost answer was about, among those the service lists: by the tag given with the upload where the
 * service shows it, else by name, size, type and time. Null when there is none. Pure.
 */
export function findUploaded(upload: StoredUpload, listed: readonly Asset[]): Asset | null {
  const tagged = listed.find((asset) => asset.uploadTag === upload.id);
  if (tagged) return tagged;
  const alike = listed.filter((asset) => looksLike(upload, asset));
  const distance = ({ createdAt }: Asset): number => Math.abs((createdAt ?? upload.intendedAt) - upload.intendedAt);
  return alike.sort((a, b) => distance(a) - distance(b))[0] ?? null;
}

function looksLike(upload: StoredUpload, asset: Asset): boolean {
  if (asset.uploadTag !== undefined || asset.type !== upload.type) return false;
  if (asset.createdAt !== null && asset.createdAt < upload.intendedAt - CLOCK_SKEW_MS) return false;
  if (upload.bytes === null) return asset.sourceUrl === upload.content;
  const sameSize = asset.size === undefined || asset.size === upload.bytes;
  return sameSize && asset.name.normalize('NFC') === upload.name.normalize('NFC');
}
