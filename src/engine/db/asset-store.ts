import type { Asset, AssetGroup, TakeAsset, LocalMedia } from '../../contract/asset.ts';
import type { MediaFacts } from '../../contract/media-facts.ts';
import { sql, Store, withoutNulls, type Connection, type EngineDatabase, type Sql } from './connection.ts';
import { isOf, type Account } from './service-store.ts';
import type { JobStateName } from '../../contract/job.ts';
import { ShotSpec } from '../../contract/shot.ts';

interface Mirrored {
  /** When a whole listing first lacked it, ms; null while the service lists it. */
  readonly missingSince: number | null;
  readonly hidden: boolean;
}

export type StoredGroup = AssetGroup & Mirrored;
export type StoredAsset = Asset & Mirrored;

type Row<Kept> = Mirrored & { readonly facts: Kept };

const TABLES = { asset: sql`assets`, group: sql`asset_groups` } as const;

/** The number of an account in the library's tables; NULL while the library does not know it. */
export const toId = (account: Account): Sql => sql`(SELECT id FROM accounts WHERE ${isOf(account)})`;

/** From then on `toId` has a number for it. */
export function know(facts: Connection, { origin, keyFingerprint }: Account): void {
  facts.run`INSERT OR IGNORE INTO accounts (origin, key_fingerprint) VALUES (${origin}, ${keyFingerprint})`;
}

export class AssetStore extends Store {
  readonly #onChange: () => void;

  constructor(db: EngineDatabase, onChange: () => void = () => undefined) {
    super(db);
    this.#onChange = onChange;
  }

  groups(account: Account): StoredGroup[] {
    return this.facts.all<Row<AssetGroup>>`SELECT facts, missing_since, hidden FROM asset_groups
      WHERE account_id = ${toId(account)}`.map(stored);
  }

  assets(account: Account): StoredAsset[] {
    return this.facts.all<Row<Asset>>`SELECT facts, missing_since, hidden FROM assets
      WHERE account_id = ${toId(account)} ORDER BY id`.map(stored);
  }

  asset(account: Account, id: string): StoredAsset | null {
    const row = this.facts.one<Row<Asset>>`SELECT facts, missing_since, hidden FROM assets
      WHERE account_id = ${toId(account)} AND id = ${id}`;
    return row && stored(row);
  }

  saveAsset(account: Account, asset: Asset): void {
    this.#save(account, 'asset', asset);
  }

  saveGroup(account: Account, group: AssetGroup): void {
    this.#save(account, 'group', group);
  }

  #save(account: Account, kind: keyof typeof TABLES, record: Asset | AssetGroup): void {
    know(this.facts, account);
    this.facts.run`INSERT INTO ${TABLES[kind]} (account_id, id, facts)
      VALUES (${toId(account)}, ${record.id}, ${record})
      ON CONFLICT DO UPDATE SET facts = excluded.facts, missing_since = NULL`;
    this.#onChange();
  }

  /** A whole listing lacked it. The record stays. */
  markMissing(account: Account, kind: keyof typeof TABLES, id: string, now: number): void {
    this.facts.run`UPDATE ${TABLES[kind]} SET missing_since = COALESCE(missing_since, ${now})
      WHERE account_id = ${toId(account)} AND id = ${id}`;
    this.#onChange();
  }

  /** Hides a record here, or shows it again. The service is not told, as it cannot delete one. False when unknown. */
  setHidden(account: Account, kind: keyof typeof TABLES, id: string, hidden: boolean): boolean {
    const changes = this.facts.run`UPDATE ${TABLES[kind]} SET hidden = ${hidden}
      WHERE account_id = ${toId(account)} AND id = ${id}`;
    this.#onChange();
    return changes === 1;
  }
}

const stored = <Kept>({ facts, ...mirrored }: Row<Kept>): Kept & Mirrored => ({ ...facts, ...mirrored });

interface TakeOfUse {
  readonly jobId: string;
  readonly take: number;
  readonly state: JobStateName;
}

export interface ShotVersion {
  readonly id: string;
  readonly project: string;
  readonly batch: string;
  readonly spec: ShotSpec;
  /** False when the list has since changed or removed the row. */
  readonly current: boolean;
  readonly takes: readonly TakeOfUse[];
}

/** One take that was prepared with an asset: for which parameter, and from which local path in the list. */
export interface PreparedUse extends TakeOfUse {
  readonly shotId: string;
  readonly parameter: string;
  readonly path: string;
}

type VersionRow = Omit<ShotVersion, 'current' | 'takes'> & { readonly isCurrent: boolean };

const VERSION = sql`SELECT shots.id, projects.name AS project, batches.name AS batch, shots.spec,
    shots.current AS isCurrent FROM shots
  JOIN batches ON batches.id = shots.batch_id JOIN projects ON projects.id = batches.project_id`;

export class AssetUseStore extends Store {
  /** What a job was prepared with, for this account. It may be prepared again for another one. */
  preparedFor(account: Account, jobId: string): TakeAsset[] {
    return this.#uses(jobId, sql`account_id = ${toId(account)}`);
  }

  ofTake(jobId: string): TakeAsset[] {
    return this.#uses(jobId, sql`TRUE`);
  }

  save(account: Account, jobId: string, uses: readonly TakeAsset[]): void {
    know(this.facts, account);
    for (const { parameter, path, sha256, assetId } of uses) {
      this.facts.run`INSERT INTO asset_uses (job_id, parameter, cell, account_id, asset_id, sha256)
        VALUES (${jobId}, ${parameter}, ${path ?? ''}, ${toId(account)}, ${assetId}, ${sha256})
        ON CONFLICT DO UPDATE SET account_id = excluded.account_id, asset_id = excluded.asset_id,
          sha256 = excluded.sha256`;
    }
  }

  preparedWith(assetId: string): PreparedUse[] {
    return this.facts.all<PreparedUse>`SELECT jobs.shot_id, asset_uses.parameter, asset_uses.cell AS path,
        jobs.id AS jobId, jobs.take, jobs.state
      FROM asset_uses JOIN jobs ON jobs.id = asset_uses.job_id
      WHERE asset_uses.asset_id = ${assetId} ORDER BY jobs.seq`;
  }

  /** Versions of shots whose cells contain the id, even as part of a longer one: read the cells to be sure. */
  mentioning(assetId: string): ShotVersion[] {
    const inJson = JSON.stringify(assetId).slice(1, -1);
    const rows = this.facts.all<VersionRow>`${VERSION} WHERE instr(shots.spec, ${inJson}) > 0
      ORDER BY shots.batch_id, shots.position`;
    return rows.map((row) => this.#version(row));
  }

  shotVersion(shotId: string): ShotVersion | null {
    const row = this.facts.one<VersionRow>`${VERSION} WHERE shots.id = ${shotId}`;
    return row && this.#version(row);
  }

  shotOfTake(jobId: string): ShotVersion | null {
    const row = this.facts.one<VersionRow>`${VERSION} WHERE shots.id = (SELECT shot_id FROM jobs WHERE id = ${jobId})`;
    return row && this.#version(row);
  }

  #uses(jobId: string, which: Sql): TakeAsset[] {
    const rows = this.facts.all<object>`SELECT parameter, cell AS path, sha256, asset_id FROM asset_uses
      WHERE job_id = +${jobId} AND ${which} ORDER BY parameter, cell`;
    return rows.map(withoutNulls<TakeAsset>);
  }

  #version({ isCurrent, ...row }: VersionRow): ShotVersion {
    const takes = this.facts.all<TakeOfUse>`SELECT id AS jobId, take, state FROM jobs WHERE shot_id = ${row.id}
      ORDER BY take`;
    return { ...row, current: isCurrent, spec: ShotSpec.parse(row.spec), takes };
  }
}

/** What shows, without reading it, that a file is still the one that was hashed. Times in ms. */
export interface FileStamp {
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly changedMs: number;
}

interface LocalFacts extends Pick<MediaFacts, 'width' | 'height' | 'seconds'> {
  readonly contentType?: string;
}

/** Local media by content: the same bytes under two names are one. */
export class MediaStore extends Store {
  /** sha256 of the file at `path`, when it is unchanged since it was hashed; null otherwise. */
  knownContent(path: string, { bytes, modifiedMs, changedMs }: FileStamp): string | null {
    return this.facts.value<string>`SELECT sha256 FROM media_paths
      WHERE path = ${path} AND bytes = ${bytes} AND modified_ms = ${modifiedMs} AND changed_ms = ${changedMs}`;
  }

  /** True when some file of this size was read before: another one may be a copy of it. */
  knowsSize(bytes: number): boolean {
    return this.facts.has`SELECT 1 FROM media_files WHERE bytes = ${bytes}`;
  }

  knows(sha256: string): boolean {
    return this.facts.has`SELECT 1 FROM media_files WHERE sha256 = ${sha256}`;
  }

  /** Remembers the file at `path`. Not synced: losing it costs reading the file again. */
  save(path: string, sha256: string, stamp: FileStamp, facts: LocalFacts, now: number): void {
    const { bytes, modifiedMs, changedMs } = stamp;
    const { contentType, width, height, seconds } = facts;
    this.hints.transaction(() => {
      this.hints.run`INSERT INTO media_files (sha256, bytes, content_type, width, height, duration)
        VALUES (${sha256}, ${bytes}, ${contentType}, ${width}, ${height}, ${seconds}) ON CONFLICT DO NOTHING`;
      this.hints.run`INSERT OR REPLACE INTO media_paths (path, sha256, bytes, modified_ms, changed_ms, seen_at)
        VALUES (${path}, ${sha256}, ${bytes}, ${modifiedMs}, ${changedMs}, ${now})`;
    })();
  }

  /** The local file an asset was made from, by content; null when these bytes were never seen here. */
  media(sha256: string): LocalMedia | null {
    const row = this.facts.one<object>`SELECT * FROM media_files WHERE sha256 = ${sha256}`;
    if (!row) return null;
    const paths = this.facts.values<string>`SELECT path FROM media_paths WHERE sha256 = ${sha256}
      ORDER BY seen_at DESC, path`;
    return { ...withoutNulls<Omit<LocalMedia, 'paths'>>(row), paths };
  }
}
