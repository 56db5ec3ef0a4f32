import type Database from 'better-sqlite3';
import type { Asset, AssetGroup } from '../../contract/asset.ts';
import type { EngineDatabase } from './open.ts';
import type { Account } from './service-store.ts';

interface Mirrored {
  /** When a whole listing first lacked it, ms; null while the service lists it. */
  readonly missingSince: number | null;
  readonly hidden: boolean;
}

export type StoredGroup = AssetGroup & Mirrored;
export type StoredAsset = Asset & Mirrored;

interface Row {
  facts: string;
  missing_since: number | null;
  hidden: number;
}

export class AssetStore {
  readonly #db: EngineDatabase;
  readonly #onChange: () => void;
  readonly #accountId: Database.Statement;
  readonly #asset: Database.Statement;
  readonly #saveAsset: Database.Statement;
  readonly #saveGroup: Database.Statement;

  /** `onChange` is called after each change. */
  constructor(db: EngineDatabase, onChange: () => void = () => undefined) {
    this.#db = db;
    this.#onChange = onChange;
    this.#accountId = db.facts.prepare('SELECT id FROM accounts WHERE origin = ? AND key_fingerprint = ?').pluck();
    this.#asset = db.facts.prepare('SELECT facts, missing_since, hidden FROM assets WHERE account_id = ? AND id = ?');
    this.#saveAsset = db.facts.prepare(
      `INSERT INTO assets (account_id, id, facts) VALUES (@account, @id, @facts)
       ON CONFLICT DO UPDATE SET facts = @facts, missing_since = NULL`,
    );
    this.#saveGroup = db.facts.prepare(
      `INSERT INTO asset_groups (account_id, id, facts) VALUES (@account, @id, @facts)
       ON CONFLICT DO UPDATE SET facts = @facts, missing_since = NULL`,
    );
  }

  /** The number of an account in the library's tables; null when the library does not know it yet. */
  knownAccount(account: Account): number | null {
    const id = this.#accountId.get(account.origin, account.keyFingerprint);
    return typeof id === 'number' ? id : null;
  }

  accountId(account: Account): number {
    const known = this.knownAccount(account);
    if (known !== null) return known;
    return Number(
      this.#db.facts
        .prepare('INSERT INTO accounts (origin, key_fingerprint) VALUES (?, ?)')
        .run(account.origin, account.keyFingerprint).lastInsertRowid,
    );
  }

  groups(account: Account): StoredGroup[] {
    const rows = this.#db.facts
      .prepare('SELECT facts, missing_since, hidden FROM asset_groups WHERE account_id = ?')
      .all(this.knownAccount(account)) as Row[];
    return rows.map((row) => ({ ...(JSON.parse(row.facts) as AssetGroup), ...mirrored(row) }));
  }

  assets(account: Account): StoredAsset[] {
    const rows = this.#db.facts
      .prepare('SELECT facts, missing_since, hidden FROM assets WHERE account_id = ? ORDER BY id')
      .all(this.knownAccount(account)) as Row[];
    return rows.map(toAsset);
  }

  asset(account: Account, id: string): StoredAsset | null {
    const row = this.#asset.get(this.knownAccount(account), id) as Row | undefined;
    return row ? toAsset(row) : null;
  }

  saveAsset(account: Account, asset: Asset): void {
    this.#saveAsset.run({ account: this.accountId(account), id: asset.id, facts: JSON.stringify(asset) });
    this.#onChange();
  }

  saveGroup(account: Account, group: AssetGroup): void {
    this.#saveGroup.run({ account: this.accountId(account), id: group.id, facts: JSON.stringify(group) });
    this.#onChange();
  }

  /** A whole listing lacked it. The record stays. */
  markMissing(account: Account, kind: 'asset' | 'group', id: string, now: number): void {
    this.#db.facts
      .prepare(`UPDATE ${TABLES[kind]} SET missing_since = COALESCE(missing_since, ?) WHERE account_id = ? AND id = ?`)
      .run(now, this.accountId(account), id);
    this.#onChange();
  }

  /** Hides a record here, or shows it again. The service is not told, as it cannot delete one. False when unknown. */
  setHidden(account: Account, kind: 'asset' | 'group', id: string, hidden: boolean): boolean {
    const { changes } = this.#db.facts
      .prepare(`UPDATE ${TABLES[kind]} SET hidden = ? WHERE account_id = ? AND id = ?`)
      .run(hidden ? 1 : 0, this.knownAccount(account), id);
    this.#onChange();
    return changes === 1;
  }

  inOneCommit(work: () => void): void {
    this.#db.facts.transaction(work).immediate();
  }
}

const TABLES = { asset: 'assets', group: 'asset_groups' } as const;

const mirrored = (row: Row): Mirrored => ({ missingSince: row.missing_since, hidden: row.hidden === 1 });

const toAsset = (row: Row): StoredAsset => ({ ...(JSON.parse(row.facts) as Asset), ...mirrored(row) });
