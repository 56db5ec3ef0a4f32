import type Database from 'better-sqlite3';
import type { CapScope } from '../../contract/ledger.ts';
import { idOfScope } from './ledger-store.ts';
import type { EngineDatabase } from './open.ts';

export type LimitScope = Exclude<CapScope, { scope: 'night' }>;
export type Limit = 'cap' | 'window';

export class LimitStore {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.facts;
  }

  /** Every project and batch of it that has or had a limit, batches with their folder. */
  scopes(projectId: string): { readonly scope: LimitScope; readonly folder: string | null }[] {
    const rows = this.#db
      .prepare(
        `SELECT DISTINCT scope_id AS id, folder FROM limit_decisions LEFT JOIN batches ON batches.id = scope_id
         WHERE (scope = 'project' AND scope_id = @projectId) OR (scope = 'batch' AND batches.project_id = @projectId)
         ORDER BY folder`,
      )
      .all({ projectId }) as { id: string; folder: string | null }[];
    return rows.map(({ id, folder }) => ({
      scope: folder === null ? { scope: 'project', projectId: id } : { scope: 'batch', batchId: id },
      folder,
    }));
  }

  /** When a limit was decided, ms: 0 where that is not known; null when it never was. */
  decidedAt(what: Limit, scope: LimitScope): number | null {
    const decided = this.#db.prepare('SELECT at FROM limit_decisions WHERE what = ? AND scope = ? AND scope_id = ?');
    return (decided.pluck().get(what, scope.scope, idOfScope(scope)) as number | undefined) ?? null;
  }

  setDecidedAt(what: Limit, scope: LimitScope, at: number): void {
    this.#db
      .prepare('INSERT INTO limit_decisions VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at')
      .run(what, scope.scope, idOfScope(scope), at);
  }

  /** A person decides now, which is later than any decision that is known. */
  decide(what: Limit, scope: CapScope, now: number): void {
    if (scope.scope === 'night') return;
    this.setDecidedAt(what, scope, Math.max(now, (this.decidedAt(what, scope) ?? 0) + 1));
  }
}
