import type { Cap } from '../../contract/ledger.ts';
import { Store } from './connection.ts';
import { MICROS } from './ledger-store.ts';

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

/**
 * Files that the shots of a project may send, as a person agreed: real paths of files, and of folders with all their
 * content.
 */
export class AgreementStore extends Store {
  of(projectId: string): string[] {
    return this.facts.values<string>`SELECT path FROM agreed_paths WHERE project_id = ${projectId}`;
  }

  add(projectId: string, paths: readonly string[]): void {
    this.facts.run`INSERT OR IGNORE INTO agreed_paths (project_id, path)
      SELECT ${projectId}, value FROM json_each(${paths})`;
  }
}
