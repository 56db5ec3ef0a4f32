import { type AssetType, type UploadReport, type UploadTarget, AssetRole, mediaOfRole } from '../../contract/asset.ts';
import { FileHash } from '../base/file-hash.ts';
import { type Account, accountKey } from '../db/service-store.ts';
import { type StoredUpload, unreadContent, type UploadIdentity } from '../db/upload-store.ts';
import {
  type IdentifiedFile,
  type Identities,
  type SeenFile,
  LocalFileError,
  requireContent,
  seen,
  unreadable,
} from './identity.ts';
import { type Failed, type Held, type LibraryParts, type MediaTrouble, troubleOfError } from './library-parts.ts';
import { type Said, type UploadRequest, type UploadResult, type Uploads, ALL_SAID } from './uploads.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { basename, extname } from 'node:path';
import { toMediaType } from '../kinds/media-reference.ts';
import { lineFor } from '../models/index.ts';
import type { Groups } from './sync.ts';
import { assetFor } from './views.ts';

interface FilePurpose extends Omit<UploadIdentity, 'content'> {
  readonly type: AssetType;
  readonly says: readonly Said[];
  readonly triedAgainAfter: number;
  /** The sha256 that the file must have, hex. */
  readonly holds?: string | undefined;
}

type FileResult =
  | (Extract<UploadResult, { type: 'arrived' }> & { readonly sha256: string | undefined })
  | Failed
  | Held;

/** From this size on a second reading of a file is worth sparing, bytes. */
const LARGE = 4 * 1000 ** 2;

/**
 * Brings local files into the library. A file is identified by its content, so it is read before it is sent. A large
 * file whose size is new cannot be a copy, so it is hashed while it is sent.
 */
export class FileUploads {
  readonly #parts: LibraryParts;
  readonly #identities: Identities;
  readonly #uploads: Uploads;
  readonly #groups: Groups;
  /** Running uploads of files that were never read before, by account and size: one of the same size may be a copy. */
  readonly #unread = new Map<string, Promise<unknown>>();

  constructor(parts: LibraryParts, identities: Identities, uploads: Uploads, groups: Groups) {
    this.#parts = parts;
    this.#identities = identities;
    this.#uploads = uploads;
    this.#groups = groups;
  }

  /** `path` is absolute. Rejects with `LocalFileError` for a file that cannot be uploaded. */
  async bring(account: Account, path: string, purpose: FilePurpose): Promise<FileResult> {
    const file = await seen(path);
    const { bytes } = file.stamp;
    const sizeOf = `${accountKey(account)} ${String(bytes)}`;
    for (let other = this.#unread.get(sizeOf); other; other = this.#unread.get(sizeOf)) await other;
    if (bytes >= LARGE) {
      for (const upload of this.#parts.uploads.unread(account, bytes)) await this.#readBelatedly(upload);
      if (purpose.holds === undefined && !this.#parts.media.knowsSize(bytes)) {
        const bringing = this.#bringUnread(account, file, purpose);
        this.#unread.set(sizeOf, settled(bringing));
        return bringing.finally(() => this.#unread.delete(sizeOf));
      }
    }
    const identified = await this.#identities.identify(path);
    requireContent(path, identified.sha256, purpose.holds);
    const request = requestFor(identified, identified.sha256, purpose);
    return withContent(await this.#uploads.bring(account, request), identified.sha256);
  }

  async #bringUnread(account: Account, file: SeenFile, purpose: FilePurpose): Promise<FileResult> {
    const hash = new FileHash(file.path);
    let found: IdentifiedFile | null = null;
    const onTheWay = {
      onSent: (bytes: number) => hash.follow(bytes),
      learn: async (wasSentWhole: boolean): Promise<string> => {
        found = wasSentWhole
          ? await this.#identities.remember(file, await digestFor(hash, file))
          : await this.#identities.identify(file.path);
        return found.sha256;
      },
    };
    const request = { ...requestFor(file, unreadContent(file.path), purpose), onTheWay };
    try {
      const result = await this.#uploads.bring(account, request);
      return withContent(result, (found as IdentifiedFile | null)?.sha256);
    } finally {
      await hash.close();
    }
  }

  /** Finds out what an upload of a dead engine was, from its file, unless that has changed since. */
  async #readBelatedly({ id, source, bytes, intendedAt }: StoredUpload): Promise<void> {
    const { uploads } = this.#parts;
    try {
      const { sha256, stamp } = await this.#identities.identify(source);
      const isStillTheSame = stamp.bytes === bytes && stamp.modifiedMs <= intendedAt;
      if (isStillTheSame) uploads.learnContent(id, sha256);
      else uploads.forget(id);
    } catch (error) {
      if (!(error instanceof LocalFileError)) throw error;
      uploads.forget(id);
    }
  }

  /** `path` is absolute. */
  file(account: Account, path: string, target: UploadTarget, signal: AbortSignal | undefined): Promise<UploadReport> {
    const type = target.type ?? typeOfRole(target) ?? typeOfName(path) ?? 'file';
    return this.#byHand(account, path, target, signal, (groupId) =>
      this.bring(account, path, { ...toPurpose(target), type, groupId, ...ASKED_ANEW }),
    );
  }

  address(account: Account, url: string, target: UploadTarget, signal: AbortSignal | undefined): Promise<UploadReport> {
    const name = nameOfAddress(url);
    const type = target.type ?? typeOfRole(target) ?? typeOfName(name) ?? 'file';
    const facts = { type, name, bytes: null, content: url, source: url, file: null };
    return this.#byHand(account, url, target, signal, (groupId) =>
      this.#uploads.bring(account, { ...toPurpose(target), ...facts, groupId, ...ASKED_ANEW }),
    );
  }

  async #byHand(
    account: Account,
    source: string,
    target: UploadTarget,
    signal: AbortSignal | undefined,
    send: (groupId: string) => Promise<UploadResult>,
  ): Promise<UploadReport> {
    try {
      const group = await this.#insist(signal, () => this.#group(account, target));
      if (group.type === 'failed') return refused(source, group.trouble);
      const brought = await this.#insist(signal, () => send(group.groupId));
      if (brought.type === 'failed') return refused(source, brought.trouble);
      const asset = assetFor(this.#parts, account, brought.assetId);
      return {
        ...{ ok: true, source, assetId: brought.assetId, sent: brought.sent },
        reference: asset?.reference ?? `Asset://${brought.assetId}`,
        readiness: asset?.readiness ?? 'waiting',
        ...(asset?.wantedGroup !== undefined && {
          wantedGroup: asset.wantedGroup,
          group: asset.groupName ?? asset.groupId ?? '',
        }),
      };
    } catch (error) {
      if (error instanceof LocalFileError) return refused(source, troubleOfError(error));
      throw error;
    }
  }

  #group(account: Account, { group }: UploadTarget): ReturnType<Groups['find']> {
    return group === undefined ? Promise.resolve({ type: 'found', groupId: '' }) : this.#groups.find(account, group);
  }

  /** Repeats for as long as it takes, and gives up when the key is refused or no answer comes for a while. */
  async #insist<Result extends { readonly type: string }>(
    signal: AbortSignal | undefined,
    attempt: () => Promise<Result | Failed | Held>,
  ): Promise<Exclude<Result, Held> | Failed> {
    const { clock } = this.#parts.ports;
    const ended = signal ? AbortSignal.any([signal, this.#parts.stopping]) : this.#parts.stopping;
    for (let misses = 0; ;) {
      ended.throwIfAborted();
      // The upload goes on and is not lost; only the waiting ends.
      const result = await untilAborted(attempt(), ended);
      if (!isHeld(result)) return result as Exclude<Result, Held> | Failed;
      misses = result.report.saw === 'no_connection' ? misses + 1 : 0;
      if (misses >= PATIENCE || result.report.saw === 'key_refused')
        return { type: 'failed', trouble: asTrouble(result) };
      await clock.sleep(Math.max(0, result.until - clock.now()), { signal: ended });
    }
  }
}

const settled = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);

function digestFor(hash: FileHash, { path }: SeenFile): Promise<string> {
  return hash.digest().catch((error: unknown) => {
    throw unreadable(path, error);
  });
}

function requestFor(file: SeenFile, content: string, purpose: FilePurpose): UploadRequest {
  return { ...purpose, content, file, source: file.path, name: file.name, bytes: file.stamp.bytes };
}

function withContent(result: UploadResult, sha256: string | undefined): FileResult {
  return result.type === 'arrived' ? { ...result, sha256 } : result;
}

/** How many times in a row a connection may fail before the waiting person hears of it. */
const PATIENCE = 5;

const ASKED_ANEW = { triedAgainAfter: Number.POSITIVE_INFINITY };

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const isHeld = (result: { readonly type: string }): result is Held => result.type === 'held';

function asTrouble({ report, why }: Held): MediaTrouble {
  return report.saw === 'key_refused'
    ? { code: 'key_refused', message: why, remedy: messageFor('remedy.setKeyAndRunAgain') }
    : { code: 'unreachable', message: why, remedy: messageFor('remedy.checkConnectionAndRunAgain') };
}

const refused = (source: string, { code, message: problem, remedy }: MediaTrouble): UploadReport => ({
  ...{ ok: false, source, code, problem, remedy },
});

/** The upload's fields beside its content. A reference video always has the purpose that the reference names. */
function toPurpose({ model = '', mode, purpose, role = '' }: UploadTarget) {
  const isVideo = role === 'reference_video';
  const chosen: readonly Said[] = [...(model === '' ? [] : ['model' as const]), ...(mode ? ['mode' as const] : [])];
  return {
    ...{ model, mode: mode ?? ('asset' as const), role },
    purpose: purpose ?? (isVideo ? 'reference_video' : ''),
    says: isVideo && lineFor(model)?.preparedVideosOnly === true ? ALL_SAID : chosen,
  };
}

function typeOfRole({ role }: UploadTarget): AssetType | undefined {
  const known = AssetRole.safeParse(role);
  return known.success ? mediaOfRole[known.data] : undefined;
}

function typeOfName(name: string): AssetType | undefined {
  return toMediaType(extname(name).slice(1)) ?? undefined;
}

function nameOfAddress(url: string): string {
  const path = URL.parse(url)?.pathname ?? url;
  const last = basename(path);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
