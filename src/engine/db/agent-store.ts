import type Database from 'better-sqlite3';
import type { Cap } from '../../contract/ledger.ts';
import { MICROS } from './ledger-store.ts';
import type { EngineDatabase } from './open.ts';

/**
 * What sessions of agents may spend. A take that an agent queued or let go belongs to its session, until a person lets
 * it go: each request for it counts against the cap of the session, which `LedgerStore.reserve` checks.
 */
export class AgentStore {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.facts;
  }

  /** A person lets a session spend so much; false where it was let before, which stays as it is. */
  allow(session: string, { money, takes }: Cap, now: number): boolean {
    const micros = money === null ? null : Math.round(money * MICROS);
    const allow = this.#db.prepare('INSERT INTO agent_sessions VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
    return allow.run(session, micros, takes, now).changes > 0;
  }

  maySpend(session: string): boolean {
    return this.#db.prepare('SELECT 1 FROM agent_sessions WHERE id = ?').get(session) !== undefined;
  }

  adopt(session: string, takeIds: readonly string[]): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO agent_takes SELECT id, ? FROM jobs WHERE id IN (SELECT value FROM json_each(?))')
      .run(session, JSON.stringify(takeIds));
  }

  /** So do all takes of a project or a batch, or of all projects, that are still to be sent. */
  adoptUnsent(session: string, { projectId, batchId }: { projectId: string | null; batchId?: string }): void {
    this.#db
      .prepare(
        `INSERT OR REPLACE INTO agent_takes SELECT id, @session FROM jobs WHERE state IN ('needs_assets', 'ready')
         AND (@projectId IS NULL OR project_id = @projectId) AND (@batchId IS NULL OR batch_id = @batchId)`,
      )
      .run({ session, projectId, batchId: batchId ?? null });
  }

  /** A person lets these takes go: what they cost counts against no session any more. */
  release(takeIds: readonly string[]): void {
    this.#db
      .prepare('DELETE FROM agent_takes WHERE job_id IN (SELECT value FROM json_each(?))')
      .run(JSON.stringify(takeIds));
  }
}
