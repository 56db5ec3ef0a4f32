import { sumOf } from '../../contract/batch.ts';
import type { Counts, Standing } from '../../contract/job.ts';
import { inScope, type Scope } from './job-row.ts';
import { sql, Store, type Sql } from './connection.ts';
import { standingCase, IS_SET_ASIDE } from './standing-sql.ts';

/**
 * The number of takes of each batch by standing, in a temporary table of this connection. Its triggers run in every
 * commit that changes a standing, and are undone with it. Only the synced connection makes such commits: the other one
 * writes steps of takes that are unfinished before and after.
 */
const KEEP_COUNT = sql`
  CREATE TEMP TABLE take_tally (
    batch_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    standing TEXT NOT NULL,
    takes INTEGER NOT NULL,
    PRIMARY KEY (batch_id, standing)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO take_tally SELECT batch_id, project_id, ${standingCase('jobs')}, COUNT(*) FROM jobs GROUP BY 1, 3;

  CREATE TEMP TRIGGER take_added AFTER INSERT ON main.jobs BEGIN
    INSERT INTO take_tally VALUES (NEW.batch_id, NEW.project_id, ${standingCase('NEW')}, 1)
      ON CONFLICT DO UPDATE SET takes = takes + 1;
  END;
  CREATE TEMP TRIGGER take_moved AFTER UPDATE OF state, paused ON main.jobs
  WHEN ${standingCase('OLD')} <> ${standingCase('NEW')} BEGIN
    UPDATE take_tally SET takes = takes - 1 WHERE batch_id = OLD.batch_id AND standing = ${standingCase('OLD')};
    INSERT INTO take_tally VALUES (NEW.batch_id, NEW.project_id, ${standingCase('NEW')}, 1)
      ON CONFLICT DO UPDATE SET takes = takes + 1;
  END;
`;

/** Few of many, and found by a separate index. */
export const setAside = (
  scope: Scope,
): Sql => sql`SELECT ${standingCase('jobs')} AS standing, COUNT(*) AS takes FROM jobs
  WHERE ${inScope(scope)} AND ${IS_SET_ASIDE} GROUP BY 1`;

/**
 * The number of takes of a scope by standing, without what was set aside; the same as `JobQueries.counts`. A window
 * asks for it several times a second, and counting 50,000 takes costs 20 ms, so they are counted at the first call and
 * the count is updated from then on.
 */
export class TakeTally extends Store {
  #isKept = false;

  counts(scope: Scope): Counts {
    if (!this.#isKept) {
      this.facts.pragma('temp_store = MEMORY');
      this.facts.transaction(() => this.facts.exec(KEEP_COUNT.text))();
      this.#isKept = true;
    }
    type Row = { readonly standing: Standing; readonly takes: number };
    const counts = sumOf([]);
    const all = this.facts.all<Row>`SELECT standing, takes FROM take_tally AS jobs WHERE ${inScope(scope)}`;
    for (const { standing, takes } of all) counts[standing] += takes;
    if (counts.failed + counts.cancelled === 0) return counts;
    for (const { standing, takes } of this.facts.all<Row>`${setAside(scope)}`) counts[standing] -= takes;
    return counts;
  }
}
