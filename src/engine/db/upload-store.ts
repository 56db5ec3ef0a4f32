import type Database from 'better-sqlite3';
import type { AssetType, UploadMode } from '../../contract/asset.ts';
import { Failure } from '../../contract/failure.ts';
import type { AssetStore } from './asset-store.ts';
import type { EngineDatabase } from './open.ts';
import type { Account } from './service-store.ts';

/**
 * The identity of an upload: content and purpose. Empty texts are fields that are not sent; an empty group is the
 * service's default one.
 */
export interface UploadIdentity {
  /** sha256 of a local file, or a public address. */
  readonly content: string;
  readonly model: string;
  readonly mode: UploadMode;
  readonly purpose: string;
  readonly role: string;
  readonly groupId: string;
}

/** Further fields of the request, to recognise the asset in a listing. */
export interface UploadFacts {
  /** Absolute path of the file, or the address. */
  readonly source: string;
  readonly type: AssetType;
  readonly name: string;
  /** Null for a public address. */
  readonly bytes: number | null;
}

/**
 * One upload in the journal. `intended`: stored, and perhaps sent. `sent_unknown`: sent, and its answer was lost.
 * `arrived`: the service has it as `assetId`. `failed`: refused, or its asset is unusable.
 */
export interface StoredUpload extends UploadIdentity, UploadFacts {
  readonly id: string;
  readonly state: 'intended' | 'sent_unknown' | 'arrived' | 'failed';
  readonly assetId: string | null;
  /** Uploads in a row with an unclear result. */
  readonly tries: number;
  readonly failure: Failure | null;
  readonly intendedAt: number;
  /** When its last request ended, ms. */
  readonly endedAt: number | null;
}

/** Prefix of the placeholder for the content of an unread file; the id of its upload follows. */
const UNREAD = 'unread:';
export const unreadContent = (uploadId: string): string => UNREAD + uploadId;

const COLUMNS = `id, content, source, model, mode, purpose, role, group_id AS groupId, type, name, bytes, state,
  asset_id AS assetId, tries, failure, intended_at AS intendedAt, ended_at AS endedAt`;

const IDENTITY = `account_id = @account AND content = @content AND model = @model AND mode = @mode
  AND purpose = @purpose AND role = @role AND group_id = @groupId`;

export class UploadStore {
  readonly #db: EngineDatabase;
  readonly #assets: AssetStore;
  readonly #find: Database.Statement;

  constructor(db: EngineDatabase, assets: AssetStore) {
    this.#db = db;
    this.#assets = assets;
    this.#find = db.facts.prepare(`SELECT ${COLUMNS} FROM uploads WHERE ${IDENTITY}`);
  }

  find(account: Account, { content, model, mode, purpose, role, groupId }: UploadIdentity): StoredUpload | null {
    const row = this.#find.get({
      account: this.#assets.knownAccount(account),
      ...{ content, model, mode, purpose, role, groupId },
    });
    return row ? toUpload(row) : null;
  }

  /** The upload an asset came from; null when it was not uploaded from here. */
  ofAsset(account: Account, assetId: string): StoredUpload | null {
    const row = this.#db.facts
      .prepare(`SELECT ${COLUMNS} FROM uploads WHERE account_id = ? AND asset_id = ? ORDER BY intended_at DESC`)
      .get(this.#assets.knownAccount(account), assetId);
    return row ? toUpload(row) : null;
  }

  byAsset(account: Account): Map<string, StoredUpload> {
    const rows = this.#db.facts
      .prepare(`SELECT ${COLUMNS} FROM uploads WHERE account_id = ? AND asset_id IS NOT NULL ORDER BY intended_at`)
      .all(this.#assets.knownAccount(account));
    return new Map(rows.map(toUpload).map((upload) => [upload.assetId ?? '', upload]));
  }

  unknown(account: Account): StoredUpload[] {
    return this.#db.facts
      .prepare(`SELECT ${COLUMNS} FROM uploads WHERE account_id = ? AND state = 'sent_unknown' ORDER BY intended_at`)
      .all(this.#assets.knownAccount(account))
      .map(toUpload);
  }

  /** True when an asset is known to belong to another upload. */
  isTaken(account: Account, assetId: string): boolean {
    return this.ofAsset(account, assetId) !== null;
  }

  /**
   * True when another content may have been sent under the same name and with the same size, and its answer is unknown.
   */
  hasLookAlike(account: Account, { content, type, name, bytes }: StoredUpload): boolean {
    const other = this.#db.facts
      .prepare(
        `SELECT 1 FROM uploads WHERE account_id = ? AND content <> ? AND type = ? AND name = ? AND bytes IS ?
         AND state IN ('intended', 'sent_unknown')`,
      )
      .get(this.#assets.knownAccount(account), content, type, name, bytes);
    return other !== undefined;
  }

  /** Writes the intent of one request down, on disk before this returns. `id` names the request from then on. */
  intend(account: Account, id: string, identity: UploadIdentity & UploadFacts, now: number): StoredUpload {
    const tries = this.find(account, identity)?.tries ?? 0;
    const { content, source, model, mode, purpose, role, groupId, type, name, bytes } = identity;
    this.#db.facts
      .prepare(
        `INSERT INTO uploads (id, account_id, content, source, model, mode, purpose, role, group_id, type, name, bytes, state,
           tries, intended_at)
         VALUES (@id, @account, @content, @source, @model, @mode, @purpose, @role, @groupId, @type, @name, @bytes, 'intended',
           @tries, @now)
         ON CONFLICT (account_id, content, model, mode, purpose, role, group_id) DO UPDATE SET id = @id, source = @source, type = @type,
           name = @name, bytes = @bytes, state = 'intended', asset_id = NULL, failure = NULL, intended_at = @now,
           ended_at = NULL`,
      )
      .run({
        ...{ id, content, source, model, mode, purpose, role, groupId, type, name, bytes },
        ...{ account: this.#assets.accountId(account), tries, now },
      });
    return {
      ...{ id, content, source, model, mode, purpose, role, groupId, type, name, bytes },
      ...{ state: 'intended', assetId: null, tries, failure: null, intendedAt: now, endedAt: null },
    };
  }

  /** Uploads of files of this size whose content was never read: their engine ended while they were on their way. */
  unread(account: Account, bytes: number): StoredUpload[] {
    return this.#db.facts
      .prepare(`SELECT ${COLUMNS} FROM uploads WHERE account_id = ? AND bytes = ? AND content = ? || id`)
      .all(this.#assets.knownAccount(account), bytes, UNREAD)
      .map(toUpload);
  }

  /** Stores the hash of the sent content. If an upload with the same identity exists, that one counts. */
  learnContent(uploadId: string, content: string): void {
    const { changes } = this.#db.facts
      .prepare('UPDATE OR IGNORE uploads SET content = ? WHERE id = ?')
      .run(content, uploadId);
    if (changes === 0) this.forget(uploadId);
  }

  /** Its content can no longer be known. An asset made from it stays, but belongs to no file. */
  forget(uploadId: string): void {
    this.#db.facts.prepare('DELETE FROM uploads WHERE id = ?').run(uploadId);
  }

  /** It certainly did not reach the service: treated as never intended. */
  withdraw(uploadId: string): void {
    this.#db.facts.prepare('DELETE FROM uploads WHERE id = ? AND asset_id IS NULL').run(uploadId);
  }

  lostAnswer(uploadId: string, now: number): void {
    this.#db.facts
      .prepare(`UPDATE uploads SET state = 'sent_unknown', tries = tries + 1, ended_at = ? WHERE id = ?`)
      .run(now, uploadId);
  }

  arrived(uploadId: string, assetId: string, now: number): void {
    this.#db.facts
      .prepare(
        `UPDATE uploads SET state = 'arrived', asset_id = ?, tries = 0, failure = NULL, ended_at = ? WHERE id = ?`,
      )
      .run(assetId, now, uploadId);
  }

  /** Refused or unusable: `failure` says why. The asset, if there is one, stays known. */
  failed(uploadId: string, failure: Failure): void {
    this.#db.facts
      .prepare(`UPDATE uploads SET state = 'failed', failure = ?, tries = 0, ended_at = ? WHERE id = ?`)
      .run(JSON.stringify(failure), failure.at, uploadId);
  }

  /** At start: requests that the last engine was about to send may have been sent. */
  markUnclear(now: number): void {
    this.#db.facts.prepare(`UPDATE uploads SET state = 'sent_unknown', ended_at = ? WHERE state = 'intended'`).run(now);
  }
}

function toUpload(row: unknown): StoredUpload {
  const { failure, ...rest } = row as Omit<StoredUpload, 'failure'> & { failure: string | null };
  return { ...rest, failure: failure === null ? null : Failure.parse(JSON.parse(failure)) };
}
