import type Database from 'better-sqlite3';
import { TakeExtras } from '../../contract/take-extras.ts';
import type { EngineDatabase } from './open.ts';

export class ExtrasStore {
  readonly #save: Database.Statement;
  readonly #of: Database.Statement;

  constructor(db: EngineDatabase) {
    this.#save = db.facts.prepare(
      `INSERT INTO take_extras (job_id, extras) VALUES (?, ?)
       ON CONFLICT (job_id) DO UPDATE SET extras = excluded.extras`,
    );
    this.#of = db.facts.prepare('SELECT extras FROM take_extras WHERE job_id = ?').pluck();
  }

  save(jobId: string, extras: TakeExtras): void {
    this.#save.run(jobId, JSON.stringify(extras));
  }

  of(jobId: string): TakeExtras | null {
    const text = this.#of.get(jobId);
    return typeof text === 'string' ? TakeExtras.parse(JSON.parse(text)) : null;
  }
}
