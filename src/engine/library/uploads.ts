import { v7 as uuid } from 'uuid';
import type { Asset, UploadProgress } from '../../contract/asset.ts';
import type { Failure } from '../../contract/failure.ts';
import { ServiceError } from '../api/errors.ts';
import type { SendOutcome, ServiceComplaint } from '../api/outcomes.ts';
import type { UploadFields } from '../api/resources/assets.ts';
import { backoff } from '../api/retry.ts';
import type { Account } from '../db/service-store.ts';
import type { StoredUpload, UploadFacts, UploadIdentity } from '../db/upload-store.ts';
import { nothingUnusual } from '../jobs/step-context.ts';
import { heldBy, keyChanged } from './held.ts';
import type { Identities, IdentifiedFile } from './identity.ts';
import { takeTurn, waitForTurn, type Failed, type Held, type LibraryParts } from './library-parts.ts';
import { findUploaded } from './look-alike.ts';
import { listAssets } from './sync.ts';
import { UploadSlots } from './upload-slots.ts';
import { troubleOf, troubleOfFailure, type Trouble } from './words.ts';

/** One thing that should be in the library. */
export interface UploadWish extends UploadFacts, UploadIdentity {
  /** The local file; null for a public address, which is the content then. */
  readonly file: IdentifiedFile | null;
  /** A failure older than this (ms) is tried again: a person has asked anew since. */
  readonly triedAgainAfter: number;
  /** As it was given, for progress. */
  readonly source: string;
}

export type UploadResult =
  | { readonly type: 'arrived'; readonly assetId: string; readonly sent: boolean; readonly arrivedAt: number }
  | Failed
  | Held;

/** What a search for a lost upload came to. */
type Search = { readonly type: 'found'; readonly assetId: string } | { readonly type: 'not_there' } | Held;

export type OnProgress = (progress: UploadProgress) => void;

/** Uploads under way at once. */
const AT_ONCE = 3;
/** How long a service may take to show an upload whose connection broke, ms, before it is sent again. */
const REST_MS = 3000;
/** Uploads in a row whose answer was lost before a person is asked. */
const TRIES = 4;

/**
 * Brings things into the library once. The intent is on disk before the first byte leaves; what was sent and never
 * answered is looked for in the group's whole list before anything is sent again.
 */
export class Uploads {
  readonly #parts: LibraryParts;
  readonly #identities: Identities;
  readonly #slots = new UploadSlots(AT_ONCE);
  readonly #underWay = new Map<string, Promise<UploadResult>>();
  readonly #searches = new Map<string, Promise<Search>>();

  constructor(parts: LibraryParts, identities: Identities) {
    this.#parts = parts;
    this.#identities = identities;
  }

  /** Two wishes for the same thing are one upload. */
  bring(account: Account, wish: UploadWish, onProgress?: OnProgress): Promise<UploadResult> {
    const { content, model, mode, purpose, role, groupId } = wish;
    const name = JSON.stringify([account.origin, account.keyFingerprint, content, model, mode, purpose, role, groupId]);
    const underWay = this.#underWay.get(name);
    if (underWay) return underWay;
    const bringing = this.#bring(account, wish, onProgress).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, bringing);
    return bringing;
  }

  /** Looks for every upload of unknown fate that is not being looked for already. Returns how many were found. */
  async adoptLost(account: Account): Promise<number> {
    let found = 0;
    for (const { id } of this.#parts.uploads.unknown(account)) {
      // Whoever needs one of them may have found it meanwhile.
      const upload = this.#parts.uploads.unknown(account).find((each) => each.id === id);
      if (!upload) continue;
      const search = await this.#lookFor(account, upload);
      if (search.type === 'found') found += 1;
    }
    return found;
  }

  async #bring(account: Account, wish: UploadWish, onProgress: OnProgress | undefined): Promise<UploadResult> {
    const known = this.#parts.uploads.find(account, wish);
    const settled = known && (await this.#settledBefore(account, known, wish));
    if (settled) return settled;
    return this.#slots.run(wish.type, async () => {
      const turn = await takeTurn(this.#parts, 'upload', account);
      if (!turn.ok) return held(turn.at, 'The service asked for patience (429).');
      if (wish.file && !(await this.#identities.isUnchanged(wish.file))) return held(this.#now(), 'The file changed.');
      return this.#send(account, wish, onProgress);
    });
  }

  /** What the journal says about this wish already; null when it has to be sent. */
  async #settledBefore(account: Account, known: StoredUpload, wish: UploadWish): Promise<UploadResult | null> {
    switch (known.state) {
      case 'arrived':
        return this.#arrivedBefore(account, known);
      case 'failed': {
        const isOld = (known.failure?.at ?? 0) < wish.triedAgainAfter;
        return known.failure && !isOld ? { type: 'failed', trouble: troubleOfFailure(known.failure) } : null;
      }
      case 'intended':
      case 'sent_unknown': {
        const search = await this.#lookFor(account, known);
        if (search.type === 'found') return arrived(search.assetId, true, this.#now());
        if (search.type === 'held') return search;
        return this.#mayBeSentAgain(known);
      }
    }
  }

  #arrivedBefore(account: Account, { assetId, endedAt }: StoredUpload): UploadResult | null {
    // One that vanished from the service is of no use: it is uploaded anew.
    if (assetId === null || this.#parts.assets.asset(account, assetId)?.missingSince != null) return null;
    return arrived(assetId, false, endedAt ?? 0);
  }

  /** The list lacks it. A service may still be at work on what it got just now, and one that always breaks off is told of. */
  #mayBeSentAgain({ id, tries, endedAt, name }: StoredUpload): UploadResult | null {
    const showsAt = (endedAt ?? 0) + REST_MS;
    if (this.#now() < showsAt) return held(showsAt, 'The answer to the upload was lost; it is looked for.');
    if (tries < TRIES) return null;
    const problem = `The upload of ${name} broke off ${String(tries)} times, and the service does not have it.`;
    const remedy = 'Check the connection and the size of the file, then retry the job.';
    return this.#fail(id, { code: 'upload_broken', problem, remedy });
  }

  /** Several who look for one upload share the search: what one of them found is not missing for the other. */
  #lookFor(account: Account, upload: StoredUpload): Promise<Search> {
    const underWay = this.#searches.get(upload.id);
    if (underWay) return underWay;
    const search = this.#search(account, upload).finally(() => this.#searches.delete(upload.id));
    this.#searches.set(upload.id, search);
    return search;
  }

  async #search(account: Account, upload: StoredUpload): Promise<Search> {
    const { clients, assets, uploads, stopping, ports } = this.#parts;
    const client = clients.forAccount(account);
    if (!client) return keyChanged(this.#parts);
    try {
      const turn = () => waitForTurn(this.#parts, 'poll', account, stopping);
      const groupId = upload.groupId === '' ? null : upload.groupId;
      const { items, whole } = await listAssets({ client, turn }, groupId, stopping);
      const free = items.filter((asset) => !uploads.isTaken(account, asset.id));
      // Two lost uploads that look alike must not be taken for each other: then only the tag counts.
      const unsure = uploads.hasLookAlike(account, upload);
      const asset = findUploaded(upload, unsure ? free.filter(({ uploadTag }) => uploadTag !== undefined) : free);
      if (!asset)
        return whole ? { type: 'not_there' } : held(this.#now() + REST_MS, 'The list moved while it was read.');
      ports.logger.info('Found the asset of an upload whose answer was lost', { asset: asset.id, name: upload.name });
      assets.inOneCommit(() => {
        assets.saveAsset(account, asset);
        uploads.arrived(upload.id, asset.id, this.#now());
      });
      return { type: 'found', assetId: asset.id };
    } catch (error) {
      if (error instanceof ServiceError) return this.#lookFailed(account, error);
      throw error;
    }
  }

  /** A group that is gone cannot hold the asset any more, and says why nothing can be sent to it either. */
  #lookFailed(account: Account, error: ServiceError): Search {
    const groupGone = error.httpStatus === 404 || error.code === 'asset_group_not_found';
    return groupGone ? { type: 'not_there' } : heldBy(this.#parts, account, error, 1);
  }

  async #send(account: Account, wish: UploadWish, onProgress: OnProgress | undefined): Promise<UploadResult> {
    const { clients, uploads, stopping } = this.#parts;
    const client = clients.forAccount(account);
    if (!client) return keyChanged(this.#parts);
    stopping.throwIfAborted();
    const upload = uploads.intend(account, uuid(), wish, this.#now());
    const outcome =
      wish.file === null
        ? await client.assets.addUrl(wish.content, fieldsOf(upload), { signal: stopping })
        : await client.assets.upload(wish.file.path, fieldsOf(upload), {
            signal: stopping,
            onFileChunk: progressOf(wish, onProgress),
          });
    return this.#settle(account, wish, upload, outcome);
  }

  async #settle(
    account: Account,
    wish: UploadWish,
    upload: StoredUpload,
    outcome: SendOutcome<Asset>,
  ): Promise<UploadResult> {
    const { pacing, uploads } = this.#parts;
    const now = this.#now();
    switch (outcome.type) {
      case 'accepted':
        pacing.succeeded('upload', account, now);
        return this.#accept(account, wish, upload, outcome.value);
      case 'never_sent':
        uploads.withdraw(upload.id);
        return outcome.blocked && !isAboutKey(outcome.complaint)
          ? { type: 'failed', trouble: troubleOf(outcome.complaint) }
          : neverSent(outcome.complaint, now);
      case 'throttled': {
        uploads.withdraw(upload.id);
        const until = pacing.throttled('upload', account, now, outcome.retryAfterMs);
        return { ...held(until, 'The service asked for patience (429).'), report: { saw: 'answer' } };
      }
      case 'refused':
        if (outcome.complaint.httpStatus === 401) {
          uploads.withdraw(upload.id);
          return neverSent({ ...outcome.complaint, code: 'no_key' }, now);
        }
        return this.#fail(upload.id, troubleOf(outcome.complaint));
      case 'unclear':
        uploads.lostAnswer(upload.id, now);
        return {
          ...held(now + Math.ceil(500 + backoff(upload.tries, this.#parts.random)), outcome.complaint.message),
          report: outcome.complaint.httpStatus === undefined ? nothingUnusual : { saw: 'answer' },
        };
    }
  }

  async #accept(account: Account, wish: UploadWish, upload: StoredUpload, asset: Asset): Promise<UploadResult> {
    const { assets, uploads } = this.#parts;
    const isWhatWasMeant = wish.file === null || (await this.#identities.isUnchanged(wish.file));
    assets.inOneCommit(() => {
      assets.saveAsset(account, asset);
      if (isWhatWasMeant) uploads.arrived(upload.id, asset.id, this.#now());
      // Nobody knows which bytes went out: the asset stays, but stands for no file.
      else uploads.withdraw(upload.id);
    });
    return isWhatWasMeant
      ? arrived(asset.id, true, this.#now())
      : held(this.#now(), 'The file changed while it was sent.');
  }

  #fail(uploadId: string, trouble: Trouble): Failed {
    this.#parts.uploads.failed(uploadId, failureOf(trouble, this.#now()));
    return { type: 'failed', trouble };
  }

  #now(): number {
    return this.#parts.ports.clock.now();
  }
}

/** As the journal keeps it: uploads cost nothing. */
export function failureOf({ problem, ...trouble }: Trouble, at: number): Failure {
  return { ...trouble, message: problem, cost: 'nothing', at };
}

const arrived = (assetId: string, sent: boolean, arrivedAt: number): UploadResult => ({
  type: 'arrived',
  assetId,
  sent,
  arrivedAt,
});

const held = (until: number, why: string): Held => ({ type: 'held', until, report: nothingUnusual, why });

const isAboutKey = ({ code }: ServiceComplaint): boolean => code === 'no_key' || code === 'bad_key';

function neverSent(complaint: ServiceComplaint, now: number): Held {
  const saw = isAboutKey(complaint) ? 'key_refused' : 'no_connection';
  return { ...held(now + 1000, complaint.message), report: { saw, message: complaint.message } };
}

/** `metadata` names it for people, and tags it for us. */
function fieldsOf({ id, name, type, model, mode, purpose, role, groupId }: StoredUpload): UploadFields {
  return {
    ...(model !== '' && { model }),
    mode,
    type,
    ...(purpose !== '' && { purpose }),
    ...(role !== '' && { role }),
    ...(groupId !== '' && { groupId }),
    metadata: { name, dailies_upload: id },
  };
}

function progressOf(wish: UploadWish, onProgress: OnProgress | undefined): ((chunk: Buffer) => void) | undefined {
  if (!onProgress) return undefined;
  let sentBytes = 0;
  return (chunk) => {
    sentBytes += chunk.length;
    onProgress({ source: wish.source, stage: 'sending', sentBytes, totalBytes: wish.bytes ?? sentBytes });
  };
}
