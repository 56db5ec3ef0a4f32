import type { CapScope } from '../../contract/ledger.ts';
import { isTimeZone, NightWindow, ownTimeZone, type WindowScope } from '../../contract/night-window.ts';
import { Store } from './connection.ts';
import { idOfScope } from './ledger-store.ts';

export type LimitScope = Exclude<CapScope, { scope: 'night' }>;
export type Limit = 'cap' | 'window';

export interface StoredWindow {
  readonly scope: WindowScope;
  readonly window: NightWindow;
  /** The opening that a person skipped, ms. */
  readonly early: number | null;
}

const scopeOf = (scope: LimitScope['scope'], id: string): LimitScope =>
  scope === 'batch' ? { scope, batchId: id } : { scope, projectId: id };

/** When a person last set or removed the cap or the window of a project or batch. */
export class LimitStore extends Store {
  /** Every project and batch of it that has or had a limit, batches with their folder. */
  scopes(projectId: string): { readonly scope: LimitScope; readonly folder: string | null }[] {
    const rows = this.facts.all<{ id: string; folder: string | null }>`
      SELECT DISTINCT scope_id AS id, folder FROM limit_decisions LEFT JOIN batches ON batches.id = scope_id
      WHERE (scope = 'project' AND scope_id = ${projectId}) OR (scope = 'batch' AND batches.project_id = ${projectId})
      ORDER BY folder`;
    return rows.map(({ id, folder }) => ({ scope: scopeOf(folder === null ? 'project' : 'batch', id), folder }));
  }

  /** When a limit was decided, ms: 0 where that is not known; null when it never was. */
  decidedAt(what: Limit, scope: LimitScope): number | null {
    return this.facts.value<number>`SELECT at FROM limit_decisions
      WHERE what = ${what} AND scope = ${scope.scope} AND scope_id = ${idOfScope(scope)}`;
  }

  setDecidedAt(what: Limit, scope: LimitScope, at: number): void {
    this.facts.run`INSERT INTO limit_decisions VALUES (${what}, ${scope.scope}, ${idOfScope(scope)}, ${at})
      ON CONFLICT DO UPDATE SET at = excluded.at`;
  }

  /** A person decides now, which is later than any decision that is known. */
  decide(what: Limit, scope: CapScope, now: number): void {
    if (scope.scope === 'night') return;
    this.setDecidedAt(what, scope, Math.max(now, (this.decidedAt(what, scope) ?? 0) + 1));
  }
}

type WindowRow = Omit<NightWindow, 'days'> & {
  readonly scope: WindowScope['scope'];
  readonly scopeId: string;
  /** JSON. */
  readonly days: string;
  readonly early: number | null;
};

export class WindowStore extends Store {
  list(): StoredWindow[] {
    const rows = this.facts.all<WindowRow>`SELECT * FROM windows ORDER BY scope, scope_id`;
    return rows.map(({ scope, scopeId, days, opens, closes, timeZone, early }) => ({
      scope: scopeOf(scope, scopeId),
      // Another system may not have that time zone.
      window: NightWindow.parse({
        ...{ days: JSON.parse(days) as unknown, opens, closes },
        timeZone: isTimeZone(timeZone) ? timeZone : ownTimeZone(),
      }),
      early,
    }));
  }

  /** The window of a project or batch; null where it has none. */
  of(scope: WindowScope): NightWindow | null {
    return this.list().find((stored) => idOfScope(stored.scope) === idOfScope(scope))?.window ?? null;
  }

  /** Null removes it. A changed window applies again. */
  change(scope: WindowScope, window: NightWindow | null): void {
    const id = idOfScope(scope);
    if (window === null) this.facts.run`DELETE FROM windows WHERE scope = ${scope.scope} AND scope_id = ${id}`;
    else
      this.facts.run`INSERT INTO windows (scope, scope_id, days, opens, closes, time_zone)
        VALUES (${scope.scope}, ${id}, ${window.days}, ${window.opens}, ${window.closes}, ${window.timeZone})
        ON CONFLICT DO UPDATE SET days = excluded.days, opens = excluded.opens, closes = excluded.closes,
          time_zone = excluded.time_zone, early = NULL`;
  }

  /** `opening` is skipped, ms. */
  startEarly(scope: WindowScope, opening: number): void {
    this.facts.run`UPDATE windows SET early = ${opening}
      WHERE scope = ${scope.scope} AND scope_id = ${idOfScope(scope)}`;
  }
}
