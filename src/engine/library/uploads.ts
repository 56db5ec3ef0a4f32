import { messageFor } from '../../contract/messages/message.ts';
import type { ServiceProblem } from '../machine/failures.ts';
import { NO_INCIDENT } from '../machine/job-facts.ts';
import { v7 as uuid } from 'uuid';
import type { Asset, AssetType } from '../../contract/asset.ts';
import type { SendOutcome } from '../api/calls.ts';
import { notAskedProblem, NotStartedError, QUEUE_TIMEOUT_MS } from '../api/request-queue.ts';
import { backoff } from '../api/retry.ts';
import { type Account, accountKey } from '../db/service-store.ts';
import { type StoredUpload, unreadContent, type UploadFacts, type UploadIdentity } from '../db/upload-store.ts';
import { SingleFlight } from '../base/keyed-mutex.ts';
import {
  type Failed,
  type Held,
  type LibraryParts,
  type MediaTrouble,
  failureFor,
  held,
  keyChanged,
  toTrouble,
  heldBy,
} from './library-parts.ts';
import { type Identities, LocalFileError, type SeenFile } from './identity.ts';
import { missedGroup } from './views.ts';
import type { Settings } from '../../contract/settings.ts';
import type { UploadFields } from '../api/resources/assets.ts';
import type { MadeAsset } from '../../contract/take.ts';
import { ServiceError } from '../api/errors.ts';
import { listAssets } from './sync.ts';

export interface UploadRequest extends UploadFacts, UploadIdentity {
  /** The local file; null for a public address, which is the content then. */
  readonly file: SeenFile | null;
  /**
   * For a file that is hashed while it is sent: follows the bytes sent, and gives the hash at the end. `content` is a
   * placeholder until then.
   */
  readonly onTheWay?: {
    /** How many bytes of the file were sent so far. */
    readonly onSent: (bytes: number) => void;
    /** sha256 of the file; `wasSentWhole` says that `onSent` has seen all of it. Rejects with `LocalFileError`. */
    readonly learn: (wasSentWhole: boolean) => Promise<string>;
  };
  readonly says: readonly Said[];
  /** A failure older than this (ms) is tried again: a person has asked for it since. */
  readonly triedAgainAfter: number;
}

export type UploadResult =
  | { readonly type: 'arrived'; readonly assetId: string; readonly sent: boolean; readonly arrivedAt: number }
  | Failed
  | Held;

/** Images first: many shots wait for few bytes. */
const PRIORITY: Readonly<Record<AssetType, number>> = { image: 3, audio: 2, file: 1, video: 0 };
/** How long a service may take to show an upload whose connection broke, ms, before it is sent again. */
const REST_MS = 3000;
/** Uploads in a row whose answer was lost before a person is asked. */
const TRIES = 4;

/**
 * Uploads each content once. The intent is on disk before the first byte leaves; after a request without an answer, we
 * search the group's whole list before we send again.
 */
export class Uploads {
  readonly #parts: LibraryParts;
  readonly #identities: Identities;
  readonly #searches = new SingleFlight<Search>();
  readonly #underWay = new SingleFlight<UploadResult>();
  /** Uploads whose form was refused with more than the reference shows. */
  readonly #refusedForms = new Set<string>();
  /** Accounts that accepted such a form with fewer fields. */
  readonly #shortForms = new Set<string>();

  constructor(parts: LibraryParts, identities: Identities) {
    this.#parts = parts;
    this.#identities = identities;
  }

  bring(account: Account, request: UploadRequest): Promise<UploadResult> {
    return this.#underWay.run(uploadKey(account, request), () => this.#bring(account, request));
  }

  async #bring(account: Account, request: UploadRequest): Promise<UploadResult> {
    const known = this.#parts.uploads.find(account, request);
    const settled = known && (await this.#settledBefore(account, known, request));
    if (settled) return settled;
    const upload = async (): Promise<UploadResult> => {
      if (request.file && !(await this.#identities.isUnchanged(request.file)))
        return held(this.#parts.ports.clock.now(), messageFor('failure.fileChanged'));
      return this.#send(account, request);
    };
    const queue = this.#parts.clients.queues(account).upload;
    return queue
      .run(upload, { priority: PRIORITY[request.type], patienceMs: QUEUE_TIMEOUT_MS })
      .catch((error: unknown) => {
        if (error instanceof NotStartedError)
          return held(error.until ?? this.#parts.ports.clock.now(), notAskedProblem.message);
        throw error;
      });
  }

  /** The result of this request that the journal has already; null when it has to be sent. */
  async #settledBefore(account: Account, known: StoredUpload, request: UploadRequest): Promise<UploadResult | null> {
    switch (known.state) {
      case 'arrived':
        return this.#arrivedBefore(account, known);
      case 'failed': {
        const isOld = (known.failure?.at ?? 0) < request.triedAgainAfter;
        return known.failure && !isOld ? { type: 'failed', trouble: known.failure } : null;
      }
      case 'intended':
      case 'sent_unknown': {
        const search = await this.#lookFor(account, known);
        if (search.type === 'found') return arrived(search.assetId, true, this.#parts.ports.clock.now());
        if (search.type === 'held') return search;
        return this.#mayBeSentAgain(known);
      }
    }
  }

  #arrivedBefore(account: Account, { assetId, endedAt }: StoredUpload): UploadResult | null {
    // An asset that the service no longer has is uploaded again.
    if (assetId === null || this.#parts.assets.asset(account, assetId)?.missingSince != null) return null;
    return arrived(assetId, false, endedAt ?? 0);
  }

  /**
   * The list lacks it. The service may still be working on it, and an upload that always breaks off has to be reported.
   */
  #mayBeSentAgain({ id, tries, endedAt, name }: StoredUpload): UploadResult | null {
    const showsAt = Math.min(endedAt ?? 0, this.#parts.ports.clock.now()) + REST_MS;
    if (this.#parts.ports.clock.now() < showsAt) return held(showsAt, messageFor('failure.uploadAnswerLost'));
    if (tries < TRIES) return null;
    const message = messageFor('failure.uploadBroken', { file: name, tries });
    return this.#fail(id, { code: 'upload_broken', message, remedy: messageFor('remedy.checkUpload') });
  }

  async #send(account: Account, request: UploadRequest): Promise<UploadResult> {
    const { clients, uploads, stopping } = this.#parts;
    const client = clients.forAccount(account);
    if (!client) return keyChanged(this.#parts);
    stopping.throwIfAborted();
    const id = uuid();
    const content = request.onTheWay ? unreadContent(id) : request.content;
    const upload = uploads.intend(account, id, { ...request, content }, this.#parts.ports.clock.now());
    const fields =
      request.file === null ? allFields(upload) : formFields(upload, this.#formFor(account, request), request.says);
    const outcome =
      request.file === null
        ? await client.assets.addUrl(request.content, fields, { signal: stopping })
        : await client.assets.upload(request.file.path, fields, {
            signal: stopping,
            onFileChunk: watching(request),
          });
    if (!isWithdrawn(outcome)) await this.#learnContent(upload, request, outcome);
    if (request.file && hasMoreFields(fields) && isAboutTheForm(outcome))
      return this.#sayLess(account, request, upload);
    return this.#settle(account, request, upload, outcome);
  }

  #formFor(account: Account, request: UploadRequest): UploadForm {
    const isShort = this.#shortForms.has(accountKey(account)) || this.#refusedForms.has(formName(account, request));
    return isShort ? 'shown' : this.#parts.settings.assumed.uploadForm;
  }

  /** The reference shows fewer fields in a form than were sent: the file goes out once more with those alone. */
  #sayLess(account: Account, request: UploadRequest, upload: StoredUpload): Held {
    this.#refusedForms.add(formName(account, request));
    this.#parts.uploads.withdraw(upload.id);
    return held(this.#parts.ports.clock.now(), messageFor('failure.formRefused'));
  }

  /** From here on the upload is identified by the bytes sent, no longer by a placeholder. */
  async #learnContent(upload: StoredUpload, { onTheWay }: UploadRequest, outcome: SendOutcome<Asset>): Promise<void> {
    if (!onTheWay) return;
    try {
      this.#parts.uploads.learnContent(upload.id, await onTheWay.learn(outcome.type === 'accepted'));
    } catch (error) {
      if (error instanceof LocalFileError) this.#parts.uploads.withdraw(upload.id);
      throw error;
    }
  }

  async #settle(
    account: Account,
    request: UploadRequest,
    upload: StoredUpload,
    outcome: SendOutcome<Asset>,
  ): Promise<UploadResult> {
    const { clients, uploads } = this.#parts;
    const now = this.#parts.ports.clock.now();
    switch (outcome.type) {
      case 'accepted':
        return this.#accept(account, request, upload, outcome.value);
      case 'never_sent':
        uploads.withdraw(upload.id);
        return outcome.blocked && !isAboutKey(outcome.complaint)
          ? { type: 'failed', trouble: toTrouble(outcome.complaint) }
          : neverSent(outcome.complaint, now);
      case 'throttled': {
        uploads.withdraw(upload.id);
        const until = clients.queues(account).upload.heldUntil() ?? now;
        return held(until, messageFor('failure.uploadThrottled'), { saw: 'answer' });
      }
      case 'refused':
        if (outcome.complaint.httpStatus === 401) {
          uploads.withdraw(upload.id);
          return neverSent({ ...outcome.complaint, code: 'no_key' }, now);
        }
        return this.#fail(upload.id, toTrouble(outcome.complaint));
      case 'unclear':
        uploads.lostAnswer(upload.id, now);
        return held(
          now + Math.ceil(500 + backoff(upload.tries, this.#parts.ports.random)),
          outcome.complaint.message,
          outcome.complaint.httpStatus === undefined ? NO_INCIDENT : { saw: 'answer' },
        );
    }
  }

  async #accept(account: Account, request: UploadRequest, upload: StoredUpload, asset: Asset): Promise<UploadResult> {
    const { assets, uploads, ports } = this.#parts;
    if (this.#refusedForms.delete(formName(account, request))) this.#shortForms.add(accountKey(account));
    if (missedGroup(request.groupId, asset) !== null) {
      const { id, groupId: group } = asset;
      const facts = { asset: id, name: upload.name, wanted: request.groupId, group };
      ports.logger.warn('An upload lies in another asset group than it was sent to', facts);
    }
    const isWhatWasMeant = request.file === null || (await this.#identities.isUnchanged(request.file));
    assets.inOneCommit(() => {
      assets.saveAsset(account, asset);
      if (isWhatWasMeant) uploads.arrived(upload.id, asset.id, this.#parts.ports.clock.now());
      // We do not know which bytes were sent: the asset stays, but belongs to no file.
      else uploads.withdraw(upload.id);
    });
    return isWhatWasMeant
      ? arrived(asset.id, true, this.#parts.ports.clock.now())
      : held(this.#parts.ports.clock.now(), messageFor('failure.fileChanged'));
  }

  #fail(uploadId: string, trouble: MediaTrouble): Failed {
    this.#parts.uploads.failed(uploadId, failureFor(trouble, this.#parts.ports.clock.now()));
    return { type: 'failed', trouble };
  }

  /** Finds uploads of earlier engines whose answer was lost. Returns how many. */
  async adoptAll(account: Account): Promise<number> {
    let found = 0;
    for (const { id } of this.#parts.uploads.unknown(account)) {
      // Another step may have found it.
      const upload = this.#parts.uploads.unknown(account).find((each) => each.id === id);
      if (!upload) continue;
      const search = await this.#lookFor(account, upload);
      if (search.type === 'found') found += 1;
    }
    return found;
  }

  /** Several who look for one upload share the search: what one of them found is not missing for the other. */
  #lookFor(account: Account, upload: StoredUpload): Promise<Search> {
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
      if (!asset && whole) return { type: 'not_there' };
      if (!asset) return held(ports.clock.now() + LIST_AGAIN_MS, messageFor('failure.listChanging'));
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

const arrived = (assetId: string, sent: boolean, arrivedAt: number): UploadResult => ({
  type: 'arrived',
  assetId,
  sent,
  arrivedAt,
});

const isAboutKey = ({ code }: ServiceProblem): boolean => code === 'no_key' || code === 'bad_key';

function neverSent(complaint: ServiceProblem, now: number): Held {
  const saw = isAboutKey(complaint) ? 'key_refused' : 'no_connection';
  return held(now + 1000, complaint.message, { saw, message: complaint.message });
}

const uploadKey = (account: Account, { content, model, mode, purpose, role, groupId }: UploadIdentity): string =>
  JSON.stringify([accountKey(account), content, model, mode, purpose, role, groupId]);

const formName = (account: Account, request: UploadRequest): string =>
  uploadKey(account, { ...request, content: request.source });

/** A refusal that may be about the fields beside the file: all but those that blame the group. */
const isAboutTheForm = (outcome: SendOutcome<Asset>): boolean =>
  outcome.type === 'refused' &&
  [400, 422].includes(outcome.complaint.httpStatus) &&
  !['invalid_group_id', 'asset_group_not_found'].includes(outcome.complaint.code ?? '');

/** It certainly did not reach the service, so its content does not matter. */
const isWithdrawn = (outcome: SendOutcome<Asset>): boolean =>
  outcome.type === 'never_sent' ||
  outcome.type === 'throttled' ||
  (outcome.type === 'refused' && outcome.complaint.httpStatus === 401);

function watching({ onTheWay }: UploadRequest): (chunk: Buffer) => void {
  let sentBytes = 0;
  return (chunk) => {
    sentBytes += chunk.length;
    onTheWay?.onSent(sentBytes);
  };
}

/** How much a form that brings a file says; see `assumed.uploadForm` of the settings. */
type UploadForm = Settings['assumed']['uploadForm'];

/** A field that must be said with a file all the same: it is made ready for a model, or a person has chosen it. */
export type Said = 'model' | 'mode' | 'role';

/** A reference video is made ready for one model of the CL line alone (reference, "CL video line"). */
export const ALL_SAID: readonly Said[] = ['model', 'mode', 'role'];

/** Everything an upload says about itself. `metadata` names it for people, and tags it for us. */
function allFields({ id, name, type, model, mode, purpose, role, groupId }: StoredUpload): UploadFields {
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

/**
 * The fields beside the file of a multipart upload. The reference shows `type` and `purpose` there, and the rest only for
 * uploads by address (service reference, "Assets and groups"). Pure.
 */
function formFields(upload: StoredUpload, form: UploadForm, says: readonly Said[]): UploadFields {
  const { model, mode, type, purpose, role, groupId } = allFields(upload);
  const shown = { type, ...(purpose !== undefined && { purpose }) };
  switch (form) {
    case 'all':
      return allFields(upload);
    case 'shown':
      return shown;
    case 'needed':
      return {
        ...(says.includes('model') && model !== undefined && { model }),
        ...(says.includes('mode') && mode !== undefined && { mode }),
        ...shown,
        ...(says.includes('role') && role !== undefined && { role }),
        ...(groupId !== undefined && { groupId }),
      };
  }
}

function hasMoreFields({ type: _type, purpose: _purpose, ...more }: UploadFields): boolean {
  return Object.keys(more).length > 0;
}

interface MadeBy {
  readonly taskId: string;
  readonly model: string;
  readonly now: number;
}

/** Enters an asset that a task made, under its purpose; listings bring the rest. Call it in the task's last commit. */
export function keepMadeAsset(
  { assets, uploads }: Pick<LibraryParts, 'assets' | 'uploads'>,
  account: Account,
  { id, purpose, name = '' }: MadeAsset,
  { taskId, model, now }: MadeBy,
): void {
  const type: AssetType = purpose.includes('voice') ? 'audio' : 'image';
  if (!assets.asset(account, id)) {
    assets.saveAsset(account, {
      ...{ id, groupId: null, type, name, description: '', reference: `Asset://${id}`, status: 'created' },
      ...{ generationReady: false, createdAt: now, updatedAt: now },
    });
  }
  if (uploads.ofAsset(account, id)) return;
  // The journal says what every asset is for.
  const content = `task:${taskId}`;
  const facts = { content, source: content, type, name, bytes: null };
  const { id: entry } = uploads.intend(
    account,
    `made:${id}`,
    { ...facts, ...{ model, mode: 'asset', purpose, role: '', groupId: '' } },
    now,
  );
  uploads.arrived(entry, id, now);
}

type Search = { readonly type: 'found'; readonly assetId: string } | { readonly type: 'not_there' } | Held;

/** Looks for a moment later when a list could not be read whole, ms. */
const LIST_AGAIN_MS = 3000;

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
