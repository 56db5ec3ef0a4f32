import type Database from 'better-sqlite3';
import { textFromColumn, textToColumn, type Text } from '../../contract/messages/message.ts';
import type { WaitSpan } from '../../contract/night-report.ts';
import type { EngineDatabase } from './open.ts';

export interface OpenSpan {
  readonly cause: string;
  readonly projectId: string | null;
  readonly from: number;
  readonly until: number;
  readonly waiting: number;
  readonly message: Text | null;
  readonly isOpen: boolean;
  readonly clockBy?: number;
}

export interface NightHeartbeat {
  readonly at: number;
  readonly waiting: number;
}

interface SpanRow {
  readonly cause: string;
  readonly started_at: number;
  readonly ended_at: number;
  readonly is_open: 0 | 1;
  readonly waiting: number;
  readonly message: string | null;
  readonly clock_by: number | null;
}

/**
 * What kept takes waiting, and when. Written without a separate sync: after a power cut, only the last minute of a wait
 * is missing.
 */
export class NightSpans {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.hints;
  }

  /** Returns the id of the span. */
  begin({ cause, projectId, from, until, waiting, message, isOpen, clockBy = 0 }: OpenSpan): number {
    const { lastInsertRowid } = this.#db
      .prepare(
        `INSERT INTO night_spans (cause, project_id, started_at, ended_at, is_open, waiting, message, clock_by)
         VALUES (@cause, @projectId, @from, @until, @isOpen, @waiting, @message, @clockBy)`,
      )
      .run({
        ...{ cause, projectId, from, until, waiting },
        isOpen: isOpen ? 1 : 0,
        message: message === null ? null : textToColumn(message),
        clockBy: clockBy === 0 ? null : clockBy,
      });
    return Number(lastInsertRowid);
  }

  /** An open span lasts at least until `at` (ms), or ended then. */
  extend(id: number, at: number, { waiting, isOpen }: { readonly waiting: number; readonly isOpen: boolean }): void {
    this.#db
      .prepare(
        `UPDATE night_spans SET ended_at = MAX(started_at, @at), waiting = MAX(waiting, @waiting), is_open = @isOpen
         WHERE id = @id`,
      )
      .run({ id, at, waiting, isOpen: isOpen ? 1 : 0 });
  }

  /** Spans that a dead engine left open end at the last time they were known to last. */
  closeAll(): void {
    this.#db.prepare('UPDATE night_spans SET is_open = 0 WHERE is_open = 1').run();
  }

  /** Spans that overlap a time, the oldest first: of a project only those that held it back, else all. */
  within(since: number, until: number, projectId: string | null): WaitSpan[] {
    const rows = this.#db
      .prepare(
        `SELECT * FROM night_spans WHERE ended_at >= @since AND started_at < @until
           AND (@projectId IS NULL OR project_id IS NULL OR project_id = @projectId)
         ORDER BY started_at, id`,
      )
      .all({ since, until, projectId }) as SpanRow[];
    return rows.map((row) => ({
      cause: row.cause,
      from: row.started_at,
      until: row.ended_at,
      waiting: row.waiting,
      message: row.message === null ? null : textFromColumn(row.message),
      isOpen: row.is_open === 1,
      clockBy: row.clock_by,
    }));
  }

  /** Forgets spans that ended before a time, ms. */
  forgetBefore(at: number): void {
    this.#db.prepare('DELETE FROM night_spans WHERE ended_at < ?').run(at);
  }

  beat(): NightHeartbeat | null {
    return (this.#db.prepare('SELECT at, waiting FROM night_beat').get() as NightHeartbeat | undefined) ?? null;
  }

  /** Null when nothing runs on. */
  setBeat(beat: NightHeartbeat | null): void {
    if (beat === null) this.#db.prepare('DELETE FROM night_beat').run();
    else this.#db.prepare('INSERT OR REPLACE INTO night_beat (id, at, waiting) VALUES (1, @at, @waiting)').run(beat);
  }
}
