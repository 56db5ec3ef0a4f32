import {
  historyText,
  isCounted,
  type Actor,
  type CountedCode,
  type HistoryCode,
  type HistoryFacts,
} from '../../contract/history.ts';
import type { Message, Value } from '../../contract/messages/message.ts';
import { sql, Store } from './connection.ts';

export interface HistoryNote<Code extends HistoryCode> {
  readonly code: Code;
  readonly facts: HistoryFacts<Code>;
  readonly by: Actor;
  /** ms. */
  readonly at: number;
  /** None: it is about all projects. */
  readonly projectId?: string | null;
  readonly batchId?: string;
  readonly takeId?: string;
}

export interface HistoryEntry {
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
  readonly projectId?: string | undefined;
  /** Nothing earlier than this, ms. */
  readonly since?: number | undefined;
  /** Only entries before this one, by its id. */
  readonly before?: number | undefined;
  readonly count: number;
}

/** Repeated actions within this time become one entry, ms. */
const COUNTED_WITHIN_MS = 60_000;

export class HistoryStore extends Store {
  /** Entries that may still be added to, by what they count and who did it. */
  readonly #counting = new Map<string, { readonly id: number; readonly at: number }>();

  /**
   * Called in the transaction of the action, so that both are stored or neither. Counts of one person and `window` on a
   * project within a minute become one entry with sums.
   */
  note<Code extends HistoryCode>(note: HistoryNote<Code>, window = ''): void {
    if (note.projectId != null && isCounted(note)) this.#count(note, note.projectId, window);
    else this.#add(note);
  }

  #add<Code extends HistoryCode>(note: HistoryNote<Code>): number {
    const { at, projectId, batchId, takeId, by, code, facts } = note;
    return this.facts.insert`INSERT INTO history (at, project_id, batch_id, take_id, actor, code, facts)
      VALUES (${at}, ${projectId}, ${batchId}, ${takeId}, ${by}, ${code}, ${facts})`;
  }

  #count(note: HistoryNote<CountedCode>, projectId: string, window: string): void {
    const { code, by, at, facts } = note;
    for (const [key, began] of this.#counting) {
      if (Math.abs(at - began.at) >= COUNTED_WITHIN_MS) this.#counting.delete(key);
    }
    const key = JSON.stringify([code, projectId, by, window]);
    const open = this.#counting.get(key);
    // A commit that failed also lost its entry.
    const before = open
      ? this.facts.value<HistoryFacts<CountedCode>>`SELECT facts FROM history
          WHERE id = ${open.id} AND at = ${open.at} AND code = ${code} AND project_id = ${projectId}`
      : null;
    if (before === null) this.#counting.set(key, { id: this.#add(note), at });
    else {
      const sum = sumOf(before, facts);
      this.facts.run`UPDATE history SET facts = ${sum} WHERE id = ${open?.id}`;
    }
  }

  page({ projectId, since = 0, before = Number.MAX_SAFE_INTEGER, count }: HistoryWanted): HistoryEntry[] {
    const ofProject = projectId === undefined ? sql`TRUE` : sql`project_id = ${projectId}`;
    const rows = this.facts.all<Omit<HistoryEntry, 'text'>>`
      SELECT id, at, project_id, batch_id, take_id, actor AS "by", code, facts FROM history
      WHERE ${ofProject} AND id < +${before} AND at >= +${since} ORDER BY id DESC LIMIT +${count}`;
    return rows.map((row) => ({ ...row, text: historyText(row.code, row.facts) }));
  }
}

const sumOf = <Counts extends HistoryFacts<CountedCode>>(before: Counts, more: Counts): Counts =>
  Object.fromEntries(
    Object.entries(more).map(([name, count]) => [name, (before[name as keyof Counts] as number) + count]),
  ) as unknown as Counts;
