import type { AssetType, UploadMode } from '../../contract/asset.ts';
import type { Failure } from '../../contract/failure.ts';
import { toId, know } from './asset-store.ts';
import { sql, Store } from './connection.ts';
import type { Account } from './service-store.ts';

/** The identity of an upload: content and purpose. Empty: a field that is not sent, or the default group. */
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
  readonly tries: number;
  readonly failure: Failure | null;
  readonly intendedAt: number;
  readonly endedAt: number | null;
}

/** Prefix of the placeholder for the content of an unread file; the id of its upload follows. */
const UNREAD = 'unread:';
export const unreadContent = (uploadId: string): string => UNREAD + uploadId;

const COLUMNS = sql`id, content, source, model, mode, purpose, role, group_id, type, name, bytes, state,
  asset_id, tries, failure, intended_at, ended_at`;
const UPLOADS = sql`SELECT ${COLUMNS} FROM uploads`;

export class UploadStore extends Store {
  find(account: Account, { content, model, mode, purpose, role, groupId }: UploadIdentity): StoredUpload | null {
    return this.facts.one<StoredUpload>`${UPLOADS} WHERE account_id = ${toId(account)} AND content = ${content}
      AND model = ${model} AND mode = ${mode} AND purpose = ${purpose} AND role = ${role} AND group_id = ${groupId}`;
  }

  ofAsset(account: Account, assetId: string): StoredUpload | null {
    return this.facts.one<StoredUpload>`${UPLOADS} WHERE account_id = ${toId(account)} AND asset_id = ${assetId}
      ORDER BY intended_at DESC`;
  }

  byAsset(account: Account): Map<string, StoredUpload> {
    const rows = this.facts.all<StoredUpload>`${UPLOADS} WHERE account_id = ${toId(account)} AND asset_id IS NOT NULL
      ORDER BY intended_at`;
    return new Map(rows.map((upload) => [upload.assetId ?? '', upload]));
  }

  unknown(account: Account): StoredUpload[] {
    return this.facts.all<StoredUpload>`${UPLOADS} WHERE account_id = ${toId(account)} AND state = 'sent_unknown'
      ORDER BY intended_at`;
  }

  /** Another content may have been sent under the same name and size, and its answer is unknown. */
  hasLookAlike(account: Account, { content, type, name, bytes }: StoredUpload): boolean {
    return this.facts.has`SELECT 1 FROM uploads WHERE account_id = ${toId(account)} AND content <> ${content}
      AND type = ${type} AND name = ${name} AND bytes IS ${bytes} AND state IN ('intended', 'sent_unknown')`;
  }

  /** Writes the intent of one request down, on disk before this returns. `id` names the request from then on. */
  intend(account: Account, id: string, identity: UploadIdentity & UploadFacts, now: number): StoredUpload {
    const { content, source, model, mode, purpose, role, groupId, type, name, bytes } = identity;
    know(this.facts, account);
    return this.facts.one<StoredUpload>`INSERT INTO uploads
        (id, account_id, content, source, model, mode, purpose, role, group_id, type, name, bytes, state, tries,
        intended_at)
      VALUES (${id}, ${toId(account)}, ${content}, ${source}, ${model}, ${mode}, ${purpose}, ${role},
        ${groupId}, ${type}, ${name}, ${bytes}, 'intended', 0, ${now})
      ON CONFLICT (account_id, content, model, mode, purpose, role, group_id) DO UPDATE SET id = excluded.id,
        source = excluded.source, type = excluded.type, name = excluded.name, bytes = excluded.bytes,
        state = excluded.state, asset_id = NULL, failure = NULL, intended_at = excluded.intended_at, ended_at = NULL
      RETURNING ${COLUMNS}` as StoredUpload;
  }

  /** Uploads of files of this size whose content was never read: their engine ended while they were on their way. */
  unread(account: Account, bytes: number): StoredUpload[] {
    return this.facts.all<StoredUpload>`${UPLOADS} WHERE account_id = ${toId(account)} AND bytes = ${bytes}
      AND content = ${UNREAD} || id`;
  }

  /** Stores the hash of the sent content. If an upload with the same identity exists, that one counts. */
  learnContent(uploadId: string, content: string): void {
    const changes = this.facts.run`UPDATE OR IGNORE uploads SET content = ${content} WHERE id = ${uploadId}`;
    if (changes === 0) this.forget(uploadId);
  }

  /** Its content can no longer be known. An asset made from it stays, but belongs to no file. */
  forget(uploadId: string): void {
    this.facts.run`DELETE FROM uploads WHERE id = ${uploadId}`;
  }

  /** It certainly did not reach the service: treated as never intended. */
  withdraw(uploadId: string): void {
    this.facts.run`DELETE FROM uploads WHERE id = ${uploadId} AND asset_id IS NULL`;
  }

  lostAnswer(uploadId: string, now: number): void {
    this.facts.run`UPDATE uploads SET state = 'sent_unknown', tries = tries + 1, ended_at = ${now}
      WHERE id = ${uploadId}`;
  }

  arrived(uploadId: string, assetId: string, now: number): void {
    this.facts
      .run`UPDATE uploads SET state = 'arrived', asset_id = ${assetId}, tries = 0, failure = NULL, ended_at = ${now}
      WHERE id = ${uploadId}`;
  }

  /** Refused or unusable: `failure` says why. The asset, if there is one, stays known. */
  failed(uploadId: string, failure: Failure): void {
    this.facts.run`UPDATE uploads SET state = 'failed', failure = ${failure}, tries = 0, ended_at = ${failure.at}
      WHERE id = ${uploadId}`;
  }

  /** At start: requests that the last engine was about to send may have been sent. */
  markUnclear(now: number): void {
    this.facts.run`UPDATE uploads SET state = 'sent_unknown', ended_at = ${now} WHERE state = 'intended'`;
  }
}
