import type Database from 'better-sqlite3';
import type { JobStateName } from '../../contract/job.ts';
import type { TakeAsset } from '../../contract/asset.ts';
import { ShotSpec } from '../../contract/shot.ts';
import type { AssetStore } from './asset-store.ts';
import type { EngineDatabase } from './open.ts';
import type { Account } from './service-store.ts';

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

interface VersionRow {
  id: string;
  project: string;
  batch: string;
  spec: string;
  current: number;
}

const VERSION = `SELECT shots.id, projects.name AS project, batches.name AS batch, shots.spec, shots.current FROM shots
  JOIN batches ON batches.id = shots.batch_id JOIN projects ON projects.id = batches.project_id`;

export class AssetUseStore {
  readonly #db: EngineDatabase;
  readonly #assets: AssetStore;
  readonly #ofJob: Database.Statement;
  readonly #insert: Database.Statement;

  constructor(db: EngineDatabase, assets: AssetStore) {
    this.#db = db;
    this.#assets = assets;
    this.#insert = db.facts.prepare(
      `INSERT INTO asset_uses (job_id, parameter, cell, account_id, asset_id, sha256)
       VALUES (@jobId, @parameter, @cell, @account, @assetId, @sha256)
       ON CONFLICT DO UPDATE SET account_id = @account, asset_id = @assetId, sha256 = @sha256`,
    );
    this.#ofJob = db.facts.prepare(
      `SELECT parameter, cell AS path, sha256, asset_id AS assetId FROM asset_uses
       WHERE job_id = +@jobId AND (@account IS NULL OR account_id = +@account) ORDER BY parameter, cell`,
    );
  }

  /** What a job was prepared with, for this account. It may be prepared again for another one. */
  preparedFor(account: Account, jobId: string): TakeAsset[] {
    // Nothing was prepared for an account that the library does not know.
    return this.#uses(jobId, this.#assets.knownAccount(account) ?? 0);
  }

  ofTake(jobId: string): TakeAsset[] {
    return this.#uses(jobId, null);
  }

  save(account: Account, jobId: string, uses: readonly TakeAsset[]): void {
    const accountId = this.#assets.accountId(account);
    for (const { parameter, path, sha256, assetId } of uses) {
      this.#insert.run({ jobId, parameter, cell: path ?? '', account: accountId, assetId, sha256: sha256 ?? null });
    }
  }

  preparedWith(assetId: string): PreparedUse[] {
    return this.#db.facts
      .prepare(
        `SELECT jobs.shot_id AS shotId, asset_uses.parameter, asset_uses.cell AS path, jobs.id AS jobId, jobs.take,
           jobs.state
         FROM asset_uses JOIN jobs ON jobs.id = asset_uses.job_id WHERE asset_uses.asset_id = ? ORDER BY jobs.seq`,
      )
      .all(assetId) as PreparedUse[];
  }

  /** Versions of shots whose cells contain the id, even as part of a longer one: read the cells to be sure. */
  mentioning(assetId: string): ShotVersion[] {
    const rows = this.#db.facts
      .prepare(`${VERSION} WHERE instr(shots.spec, ?) > 0 ORDER BY shots.batch_id, shots.position`)
      // Written as inside JSON.
      .all(JSON.stringify(assetId).slice(1, -1)) as VersionRow[];
    return rows.map((row) => this.#version(row));
  }

  shotVersion(shotId: string): ShotVersion | null {
    const row = this.#db.facts.prepare(`${VERSION} WHERE shots.id = ?`).get(shotId) as VersionRow | undefined;
    return row ? this.#version(row) : null;
  }

  shotOfTake(jobId: string): ShotVersion | null {
    const row = this.#db.facts
      .prepare(`${VERSION} WHERE shots.id = (SELECT shot_id FROM jobs WHERE id = ?)`)
      .get(jobId) as VersionRow | undefined;
    return row ? this.#version(row) : null;
  }

  #uses(jobId: string, account: number | null): TakeAsset[] {
    const rows = this.#ofJob.all({ jobId, account }) as (Omit<TakeAsset, 'sha256'> & { sha256: string | null })[];
    return rows.map(({ sha256, ...use }) => ({ ...use, ...(sha256 !== null && { sha256 }) }));
  }

  #version(row: VersionRow): ShotVersion {
    const takes = this.#db.facts
      .prepare('SELECT id AS jobId, take, state FROM jobs WHERE shot_id = ? ORDER BY take')
      .all(row.id) as TakeOfUse[];
    const { id, project, batch, spec, current } = row;
    return { id, project, batch, spec: ShotSpec.parse(JSON.parse(spec)), current: current === 1, takes };
  }
}
