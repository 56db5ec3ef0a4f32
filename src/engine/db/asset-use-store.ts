import type Database from 'better-sqlite3';
import type { JobStateName } from '../../contract/job.ts';
import type { TakeAsset } from '../../contract/asset.ts';
import { ShotSpec } from '../../contract/shot.ts';
import type { AssetStore } from './asset-store.ts';
import type { EngineDatabase } from './open.ts';
import type { Account } from './service-store.ts';

/** One version of a shot that may name an asset, with the takes made from it. */
export interface ShotMention {
  readonly project: string;
  readonly batch: string;
  readonly spec: ShotSpec;
  readonly current: boolean;
  readonly takes: readonly { readonly jobId: string; readonly take: number; readonly state: JobStateName }[];
}

interface MentionRow {
  id: string;
  project: string;
  batch: string;
  spec: string;
  current: number;
}

const MENTIONS = `SELECT shots.id, projects.name AS project, batches.name AS batch, shots.spec, shots.current FROM shots
  JOIN batches ON batches.id = shots.batch_id JOIN projects ON projects.id = batches.project_id`;

/** Which take was prepared with which asset, and which rows of lists name one. */
export class AssetUseStore {
  readonly #db: EngineDatabase;
  readonly #assets: AssetStore;
  readonly #ofJob: Database.Statement;

  constructor(db: EngineDatabase, assets: AssetStore) {
    this.#db = db;
    this.#assets = assets;
    this.#ofJob = db.facts.prepare(
      `SELECT parameter, cell AS path, sha256, asset_id AS assetId FROM asset_uses
       WHERE job_id = @jobId AND (@account IS NULL OR account_id = @account) ORDER BY parameter, cell`,
    );
  }

  /** What a job was prepared with, for this account. A job may be prepared anew for another one. */
  preparedFor(account: Account, jobId: string): TakeAsset[] {
    // An account that the library does not know has prepared nothing.
    return this.#uses(jobId, this.#assets.knownAccount(account) ?? 0);
  }

  /** What a take was prepared with, whoever pays for it. */
  ofTake(jobId: string): TakeAsset[] {
    return this.#uses(jobId, null);
  }

  save(account: Account, jobId: string, uses: readonly TakeAsset[]): void {
    const insert = this.#db.facts.prepare(
      `INSERT INTO asset_uses (job_id, parameter, cell, account_id, asset_id, sha256)
       VALUES (@jobId, @parameter, @cell, @account, @assetId, @sha256)
       ON CONFLICT DO UPDATE SET account_id = @account, asset_id = @assetId, sha256 = @sha256`,
    );
    const accountId = this.#assets.accountId(account);
    for (const { parameter, path, sha256, assetId } of uses) {
      insert.run({ jobId, parameter, cell: path ?? '', account: accountId, assetId, sha256: sha256 ?? null });
    }
  }

  /** Versions of shots whose takes were prepared with the asset. */
  preparedWith(assetId: string): ShotMention[] {
    const rows = this.#db.facts
      .prepare(
        `${MENTIONS} WHERE shots.id IN (SELECT shot_id FROM jobs JOIN asset_uses ON asset_uses.job_id = jobs.id
           WHERE asset_uses.asset_id = ?)`,
      )
      .all(assetId) as MentionRow[];
    return rows.map((row) => this.#mention(row));
  }

  /** Versions of shots in whose cells the id occurs. A piece of another id counts too: read the cells to be sure. */
  mentioning(assetId: string): ShotMention[] {
    const rows = this.#db.facts
      .prepare(`${MENTIONS} WHERE instr(shots.spec, ?) > 0 ORDER BY shots.batch_id, shots.position`)
      // As it stands inside JSON text.
      .all(JSON.stringify(assetId).slice(1, -1)) as MentionRow[];
    return rows.map((row) => this.#mention(row));
  }

  #uses(jobId: string, account: number | null): TakeAsset[] {
    const rows = this.#ofJob.all({ jobId, account }) as (Omit<TakeAsset, 'sha256'> & { sha256: string | null })[];
    return rows.map(({ sha256, ...use }) => ({ ...use, ...(sha256 !== null && { sha256 }) }));
  }

  #mention(row: MentionRow): ShotMention {
    const takes = this.#db.facts
      .prepare('SELECT id AS jobId, take, state FROM jobs WHERE shot_id = ? ORDER BY take')
      .all(row.id) as ShotMention['takes'];
    const { project, batch, spec, current } = row;
    return { project, batch, spec: ShotSpec.parse(JSON.parse(spec)), current: current === 1, takes };
  }
}
