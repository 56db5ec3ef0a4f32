import type { AssetType } from '../../contract/asset.ts';
import { FileHash } from '../base/file-hash.ts';
import { type Account, accountKey } from '../db/service-store.ts';
import { type StoredUpload, unreadContent, type UploadIdentity } from '../db/upload-store.ts';
import type { IdentifiedFile, Identities, SeenFile } from './identity.ts';
import { LocalFileError, requireContent, seen, unreadable } from './identity.ts';
import type { Failed, Held, LibraryParts } from './library-parts.ts';
import type { Said, UploadRequest, UploadResult, Uploads } from './uploads.ts';

export interface FilePurpose extends Omit<UploadIdentity, 'content'> {
  readonly type: AssetType;
  /** See `UploadRequest`. */
  readonly says: readonly Said[];
  readonly triedAgainAfter: number;
  /** The sha256 that the file must have, hex. */
  readonly holds?: string | undefined;
}

export type FileResult =
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
  /** Running uploads of files that were never read before, by account and size: one of the same size may be a copy. */
  readonly #unread = new Map<string, Promise<unknown>>();

  constructor(parts: LibraryParts, identities: Identities, uploads: Uploads) {
    this.#parts = parts;
    this.#identities = identities;
    this.#uploads = uploads;
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
