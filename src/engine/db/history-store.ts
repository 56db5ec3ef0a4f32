import type Database from 'better-sqlite3';
import { historyText, type Actor, type HistoryCode, type HistoryFacts } from '../../contract/history.ts';
import type { Message, Value } from '../../contract/messages/message.ts';
import type { EngineDatabase } from './open.ts';

/** What was done, to be written down. */
export interface HistoryNote<Code extends HistoryCode> {
  readonly code: Code;
  readonly facts: HistoryFacts<Code>;
  readonly by: Actor;
  /** ms. */
  readonly at: number;
  readonly projectId?: string;
  readonly batchId?: string;
  readonly takeId?: string;
}

/** What was done, as it is read. */
export interface HistoryEntry {
  /** Grows from entry to entry. */
  readonly id: number;
  readonly at: number;
  readonly projectId: string | null;
  readonly batchId: string | null;
  readonly takeId: string | null;
  readonly by: Actor;
  readonly code: string;
  readonly facts: Readonly<Record<string, Value>>;
  readonly text: Message;
}

export interface HistoryWanted {
  readonly projectId?: string;
  /** Nothing of before, ms. */
  readonly since?: number;
  /** Only entries before this one, by its id. */
  readonly before?: number;
  readonly count: number;
}

/** What was done to projects and batches, when, and by which hand. Takes have their recipes for what became of them. */
export class HistoryStore {
  readonly #note: Database.Statement;
  readonly #page: Database.Statement;
  readonly #pageOf: Database.Statement;

  constructor(db: EngineDatabase) {
    this.#note = db.facts.prepare(
      `INSERT INTO history (at, project_id, batch_id, take_id, actor, code, facts)
       VALUES (@at, @projectId, @batchId, @takeId, @by, @code, @facts)`,
    );
    const page = (where: string): string =>
      `SELECT id, at, project_id AS projectId, batch_id AS batchId, take_id AS takeId, actor AS "by", code, facts
       FROM history WHERE ${where} id < +@before AND at >= +@since ORDER BY id DESC LIMIT +@count`;
    this.#page = db.facts.prepare(page(''));
    this.#pageOf = db.facts.prepare(page('project_id = @projectId AND'));
  }

  /** Writes one thing down. Called in the transaction of what it is about, so that both are there or neither is. */
  note<Code extends HistoryCode>(note: HistoryNote<Code>): void {
    const { projectId = null, batchId = null, takeId = null, facts } = note;
    this.#note.run({ ...note, projectId, batchId, takeId, facts: JSON.stringify(facts) });
  }

  /** The newest first. */
  page({ projectId, since = 0, before = Number.MAX_SAFE_INTEGER, count }: HistoryWanted): HistoryEntry[] {
    const wanted = { since, before, count };
    const rows = projectId === undefined ? this.#page.all(wanted) : this.#pageOf.all({ ...wanted, projectId });
    return (rows as (Omit<HistoryEntry, 'facts' | 'text'> & { readonly facts: string })[]).map((row) => {
      const facts = JSON.parse(row.facts) as HistoryEntry['facts'];
      return { ...row, facts, text: historyText(row.code, facts) };
    });
  }
}
