import type Database from 'better-sqlite3';
import { isTimeZone, NightWindow, ownTimeZone, type WindowScope } from '../../contract/night-window.ts';
import type { EngineDatabase } from './open.ts';

export interface StoredWindow {
  readonly scope: WindowScope;
  readonly window: NightWindow;
  /** The opening that a person skipped, ms. */
  readonly early: number | null;
}

interface WindowRow {
  readonly scope: WindowScope['scope'];
  readonly scope_id: string;
  readonly days: string;
  readonly opens: string;
  readonly closes: string;
  readonly time_zone: string;
  readonly early: number | null;
}

const keyOf = (scope: WindowScope) => ({
  scope: scope.scope,
  scopeId: scope.scope === 'batch' ? scope.batchId : scope.projectId,
});

export class WindowStore {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.facts;
  }

  list(): StoredWindow[] {
    const rows = this.#db.prepare('SELECT * FROM windows ORDER BY scope, scope_id').all() as WindowRow[];
    return rows.map(({ scope, scope_id, days, opens, closes, time_zone, early }) => ({
      scope: scope === 'batch' ? { scope, batchId: scope_id } : { scope, projectId: scope_id },
      // Another system may not have that time zone.
      window: NightWindow.parse({
        ...{ days: JSON.parse(days) as unknown, opens, closes },
        timeZone: isTimeZone(time_zone) ? time_zone : ownTimeZone(),
      }),
      early,
    }));
  }

  /** The window of a project or batch; null where it has none. */
  of(scope: WindowScope): NightWindow | null {
    const { scopeId } = keyOf(scope);
    return this.list().find((stored) => keyOf(stored.scope).scopeId === scopeId)?.window ?? null;
  }

  /** Null removes it. A changed window applies again. */
  change(scope: WindowScope, window: NightWindow | null): void {
    if (window === null) {
      this.#db.prepare('DELETE FROM windows WHERE scope = @scope AND scope_id = @scopeId').run(keyOf(scope));
      return;
    }
    const { days, opens, closes, timeZone } = window;
    this.#db
      .prepare(
        `INSERT INTO windows (scope, scope_id, days, opens, closes, time_zone)
         VALUES (@scope, @scopeId, @days, @opens, @closes, @timeZone)
         ON CONFLICT DO UPDATE SET days = @days, opens = @opens, closes = @closes, time_zone = @timeZone, early = NULL`,
      )
      .run({ ...keyOf(scope), days: JSON.stringify(days), opens, closes, timeZone });
  }

  /** `opening` is skipped, ms. */
  startEarly(scope: WindowScope, opening: number): void {
    this.#db
      .prepare('UPDATE windows SET early = @opening WHERE scope = @scope AND scope_id = @scopeId')
      .run({ ...keyOf(scope), opening });
  }
}
