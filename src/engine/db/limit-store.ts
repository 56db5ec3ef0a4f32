import type { CapScope, Cap } from '../../contract/ledger.ts';
import { type Hours, isTimeZone, NightWindow, ownTimeZone, type WindowScope } from '../../contract/night-window.ts';
import { Store } from './connection.ts';
import { UNSENT } from './job-sql.ts';
import { idOfScope, MICROS, scopeFor } from './ledger-store.ts';

/** Those that the folder of a project knows too. */
export type LimitScope = Exclude<CapScope, { scope: 'night' | 'account' }>;
export type Limit = 'cap' | 'window';

export interface StoredWindow {
  readonly scope: WindowScope;
  readonly window: NightWindow;
  readonly early: number | null;
}

export class LimitStore extends Store {
  /** Every project and batch of it that has or had a limit, batches with their folder. */
  scopes(projectId: string): { readonly scope: LimitScope; readonly folder: string | null }[] {
    const rows = this.facts.all<{ id: string; folder: string | null }>`
      SELECT DISTINCT scope_id AS id, folder FROM limit_decisions LEFT JOIN batches ON batches.id = scope_id
      WHERE (scope = 'project' AND scope_id = ${projectId}) OR (scope = 'batch' AND batches.project_id = ${projectId})
      ORDER BY folder`;
    return rows.map(({ id, folder }) => ({ scope: scopeFor(folder === null ? 'project' : 'batch', id), folder }));
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

  decide(what: Limit, scope: CapScope, now: number): void {
    if (scope.scope === 'night' || scope.scope === 'account') return;
    this.setDecidedAt(what, scope, Math.max(now, (this.decidedAt(what, scope) ?? 0) + 1));
  }
}

type WindowRow = NightWindow & {
  readonly scope: WindowScope['scope'];
  readonly scopeId: string;
  readonly early: number | null;
};

export class WindowStore extends Store {
  list(): StoredWindow[] {
    const rows = this.facts.all<WindowRow>`SELECT * FROM windows ORDER BY scope, scope_id`;
    return rows.map(({ scope, scopeId, early, timeZone, ...times }) => ({
      scope: scopeFor(scope, scopeId),
      // Another system may not have that time zone.
      window: NightWindow.parse({ ...times, timeZone: isTimeZone(timeZone) ? timeZone : ownTimeZone() }),
      early,
    }));
  }

  of(scope: WindowScope): NightWindow | null {
    return this.list().find((stored) => idOfScope(stored.scope) === idOfScope(scope))?.window ?? null;
  }

  change(scope: WindowScope, window: NightWindow | null): void {
    const id = idOfScope(scope);
    if (window === null) this.facts.run`DELETE FROM windows WHERE scope = ${scope.scope} AND scope_id = ${id}`;
    else
      this.facts.run`INSERT INTO windows (scope, scope_id, days, opens, closes, time_zone)
        VALUES (${scope.scope}, ${id}, ${window.days}, ${window.opens}, ${window.closes}, ${window.timeZone})
        ON CONFLICT DO UPDATE SET days = excluded.days, opens = excluded.opens, closes = excluded.closes,
          time_zone = excluded.time_zone, early = NULL`;
  }

  /** Marks a take that is on hold: it is let go when the hours begin. */
  holdForTonight(takeId: string, { opens, closes }: Hours): void {
    this.facts.run`INSERT OR REPLACE INTO tonight VALUES (${takeId}, ${opens}, ${closes})`;
  }

  /** Unsent takes on hold for tonight, the oldest first. One that was let go or cancelled is none any more. */
  tonight(projectId?: string): (Hours & { readonly takeId: string })[] {
    return this.facts
      .all`SELECT tonight.job_id AS take_id, opens, closes FROM tonight JOIN jobs ON jobs.id = tonight.job_id
      WHERE jobs.paused = 'user' AND jobs.state IN ${UNSENT} AND (${projectId} IS NULL OR jobs.project_id = ${projectId})
      ORDER BY jobs.seq`;
  }

  /** Whether it was put off until tonight, cancelled since or not. */
  isForTonight(takeId: string): boolean {
    return this.facts.has`SELECT 1 FROM tonight WHERE job_id = ${takeId}`;
  }

  notTonight(takeId: string): void {
    this.facts.run`DELETE FROM tonight WHERE job_id = ${takeId}`;
  }

  startEarly(scope: WindowScope, opening: number): void {
    this.facts.run`UPDATE windows SET early = ${opening}
      WHERE scope = ${scope.scope} AND scope_id = ${idOfScope(scope)}`;
  }
}

/**
 * What sessions of agents may spend. A take that an agent queued or let go belongs to its session, until a person lets
 * it go: each request for it counts against the cap of the session, which `LedgerStore.reserve` checks.
 */
export class AgentStore extends Store {
  /** A person lets a session spend so much; false where it was let before, which stays as it is. */
  allow(session: string, { money, takes }: Cap, now: number): boolean {
    const micros = money === null ? null : Math.round(money * MICROS);
    const changes = this.facts.run`INSERT INTO agent_sessions VALUES (${session}, ${micros}, ${takes}, ${now})
      ON CONFLICT DO NOTHING`;
    return changes > 0;
  }

  maySpend(session: string): boolean {
    return this.facts.has`SELECT 1 FROM agent_sessions WHERE id = ${session}`;
  }

  adopt(session: string, takeIds: readonly string[]): void {
    this.facts.run`INSERT OR REPLACE INTO agent_takes SELECT id, ${session} FROM jobs
      WHERE id IN (SELECT value FROM json_each(${takeIds}))`;
  }

  /** So do all takes of a project or a batch, or of all projects, that are still to be sent. */
  adoptUnsent(session: string, { projectId, batchId }: { projectId: string | null; batchId?: string }): void {
    this.facts.run`INSERT OR REPLACE INTO agent_takes SELECT id, ${session} FROM jobs
      WHERE state IN ('needs_assets', 'ready') AND (${projectId} IS NULL OR project_id = ${projectId})
        AND (${batchId} IS NULL OR batch_id = ${batchId})`;
  }

  /** A person lets these takes go: what they cost counts against no session any more. */
  release(takeIds: readonly string[]): void {
    this.facts.run`DELETE FROM agent_takes WHERE job_id IN (SELECT value FROM json_each(${takeIds}))`;
  }
}

/** Files that a project's shots may send, as a person agreed: real paths of files, and of folders with all in them. */
export class AgreementStore extends Store {
  of(projectId: string): string[] {
    return this.facts.values<string>`SELECT path FROM agreed_paths WHERE project_id = ${projectId}`;
  }

  add(projectId: string, paths: readonly string[]): void {
    this.facts.run`INSERT OR IGNORE INTO agreed_paths (project_id, path)
      SELECT ${projectId}, value FROM json_each(${paths})`;
  }
}
