import type { TakeAsset } from '../../contract/asset.ts';
import type { JobStateName } from '../../contract/job.ts';
import { ShotSpec } from '../../contract/shot.ts';
import type { AssetStore } from './asset-store.ts';
import { sql, Store, withoutNulls, type EngineDatabase } from './connection.ts';
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

type VersionRow = Omit<ShotVersion, 'spec' | 'current' | 'takes'> & {
  readonly spec: string;
  readonly isCurrent: boolean;
};

const VERSION = sql`SELECT shots.id, projects.name AS project, batches.name AS batch, shots.spec,
    shots.current AS isCurrent FROM shots
  JOIN batches ON batches.id = shots.batch_id JOIN projects ON projects.id = batches.project_id`;

export class AssetUseStore extends Store {
  readonly #assets: AssetStore;

  constructor(db: EngineDatabase, assets: AssetStore) {
    super(db);
    this.#assets = assets;
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
      this.facts.run`INSERT INTO asset_uses (job_id, parameter, cell, account_id, asset_id, sha256)
        VALUES (${jobId}, ${parameter}, ${path ?? ''}, ${accountId}, ${assetId}, ${sha256})
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

  #uses(jobId: string, account: number | null): TakeAsset[] {
    type Row = Omit<TakeAsset, 'sha256'> & { sha256: string | null };
    const rows = this.facts.all<Row>`SELECT parameter, cell AS path, sha256, asset_id FROM asset_uses
      WHERE job_id = +${jobId} AND (${account} IS NULL OR account_id = +${account}) ORDER BY parameter, cell`;
    return rows.map((row) => withoutNulls(row));
  }

  #version({ isCurrent, ...row }: VersionRow): ShotVersion {
    const takes = this.facts.all<TakeOfUse>`SELECT id AS jobId, take, state FROM jobs WHERE shot_id = ${row.id}
      ORDER BY take`;
    return { ...row, current: isCurrent, spec: ShotSpec.parse(JSON.parse(row.spec)), takes };
  }
}
