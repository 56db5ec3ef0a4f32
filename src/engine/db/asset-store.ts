import type { Asset, AssetGroup } from '../../contract/asset.ts';
import { sql, Store, type EngineDatabase } from './connection.ts';
import type { Account } from './service-store.ts';

interface Mirrored {
  /** When a whole listing first lacked it, ms; null while the service lists it. */
  readonly missingSince: number | null;
  readonly hidden: boolean;
}

export type StoredGroup = AssetGroup & Mirrored;
export type StoredAsset = Asset & Mirrored;

/** `facts` is JSON. */
type Row = Mirrored & { readonly facts: string };

const TABLES = { asset: sql`assets`, group: sql`asset_groups` } as const;

export class AssetStore extends Store {
  readonly #onChange: () => void;

  /** `onChange` is called after each change. */
  constructor(db: EngineDatabase, onChange: () => void = () => undefined) {
    super(db);
    this.#onChange = onChange;
  }

  /** The number of an account in the library's tables; null when the library does not know it yet. */
  knownAccount({ origin, keyFingerprint }: Account): number | null {
    return this.facts.value<number>`SELECT id FROM accounts
      WHERE origin = ${origin} AND key_fingerprint = ${keyFingerprint}`;
  }

  accountId(account: Account): number {
    return (
      this.knownAccount(account) ??
      this.facts.insert`INSERT INTO accounts (origin, key_fingerprint)
        VALUES (${account.origin}, ${account.keyFingerprint})`
    );
  }

  groups(account: Account): StoredGroup[] {
    const rows = this.facts.all<Row>`SELECT facts, missing_since, hidden FROM asset_groups
      WHERE account_id = ${this.knownAccount(account)}`;
    return rows.map(stored<AssetGroup>);
  }

  assets(account: Account): StoredAsset[] {
    const rows = this.facts.all<Row>`SELECT facts, missing_since, hidden FROM assets
      WHERE account_id = ${this.knownAccount(account)} ORDER BY id`;
    return rows.map(stored<Asset>);
  }

  asset(account: Account, id: string): StoredAsset | null {
    const row = this.facts.one<Row>`SELECT facts, missing_since, hidden FROM assets
      WHERE account_id = ${this.knownAccount(account)} AND id = ${id}`;
    return row && stored<Asset>(row);
  }

  saveAsset(account: Account, asset: Asset): void {
    this.#save(account, 'asset', asset);
  }

  saveGroup(account: Account, group: AssetGroup): void {
    this.#save(account, 'group', group);
  }

  #save(account: Account, kind: keyof typeof TABLES, record: Asset | AssetGroup): void {
    this.facts.run`INSERT INTO ${TABLES[kind]} (account_id, id, facts)
      VALUES (${this.accountId(account)}, ${record.id}, ${record})
      ON CONFLICT DO UPDATE SET facts = excluded.facts, missing_since = NULL`;
    this.#onChange();
  }

  /** A whole listing lacked it. The record stays. */
  markMissing(account: Account, kind: keyof typeof TABLES, id: string, now: number): void {
    this.facts.run`UPDATE ${TABLES[kind]} SET missing_since = COALESCE(missing_since, ${now})
      WHERE account_id = ${this.accountId(account)} AND id = ${id}`;
    this.#onChange();
  }

  /** Hides a record here, or shows it again. The service is not told, as it cannot delete one. False when unknown. */
  setHidden(account: Account, kind: keyof typeof TABLES, id: string, hidden: boolean): boolean {
    const changes = this.facts.run`UPDATE ${TABLES[kind]} SET hidden = ${hidden}
      WHERE account_id = ${this.knownAccount(account)} AND id = ${id}`;
    this.#onChange();
    return changes === 1;
  }
}

const stored = <Kept>({ facts, ...mirrored }: Row): Kept & Mirrored => ({
  ...(JSON.parse(facts) as Kept),
  ...mirrored,
});
