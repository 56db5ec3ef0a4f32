import type Database from 'better-sqlite3';
import type { Standing } from '../../contract/job.ts';
import {
  MOST_USED_TAGS,
  noVerdict,
  tagsOf,
  type TakeFilter,
  type TakeGroup,
  type TakeTally,
  type TakeView,
  type UsedTag,
  type Verdict,
} from '../../contract/review.ts';
import type { JobQueries } from './job-queries.ts';
import type { EngineDatabase } from './open.ts';
import { standingSql } from './standing-sql.ts';
import { groupSql, takeQuery, type TakesWanted } from './take-query.ts';

export interface Window {
  readonly start: number;
  readonly count: number;
}

const NO_TAGS = '[]';

/** Which jobs a list shows; a missing field does not restrict. */
export interface JobsWanted {
  readonly projectId?: string | undefined;
  readonly batchId?: string | undefined;
  readonly standing?: Standing | undefined;
}

interface VerdictRow {
  rating: number;
  flag: Verdict['flag'];
  note: string;
  /** JSON. */
  tags: string;
}

/** Takes saved in the present run, and when the first of them was, ms. */
export interface SavedInRun {
  readonly takes: number;
  readonly since: number;
}

export class ReviewStore {
  readonly #db: EngineDatabase;
  readonly #queries: JobQueries;
  readonly #verdict: Database.Statement;
  readonly #save: Database.Statement;
  readonly #savedAt: Database.Statement;
  readonly #idAt: Database.Statement;

  constructor(db: EngineDatabase, queries: JobQueries) {
    this.#db = db;
    this.#queries = queries;
    this.#verdict = db.facts.prepare('SELECT rating, flag, note, tags FROM verdicts WHERE job_id = ?');
    this.#savedAt = db.facts.prepare('SELECT NULLIF(saved_at, 0) FROM jobs WHERE id = ?').pluck();
    this.#idAt = db.facts.prepare('SELECT id FROM jobs WHERE seq = ?').pluck();
    this.#save = db.facts.prepare(
      `INSERT INTO verdicts (job_id, rating, flag, note, tags, in_recipe)
       VALUES (@jobId, @rating, @flag, @note, @tags, @inRecipe)
       ON CONFLICT (job_id) DO UPDATE
       SET rating = @rating, flag = @flag, note = @note, tags = @tags, in_recipe = @inRecipe`,
    );
  }

  /** The verdict on a take; null when nobody has given one. */
  verdict(takeId: string): Verdict | null {
    const row = this.#verdict.get(takeId) as VerdictRow | undefined;
    if (!row) return null;
    const { tags, ...verdict } = row;
    return tags === NO_TAGS ? verdict : { ...verdict, tags: JSON.parse(tags) as string[] };
  }

  /** `inRecipe`: the take's recipe file already has it. */
  saveVerdict(takeId: string, verdict: Verdict, inRecipe: boolean): void {
    this.#save.run({ jobId: takeId, ...verdict, tags: JSON.stringify(tagsOf(verdict)), inRecipe: inRecipe ? 1 : 0 });
  }

  verdictsToWrite(limit: number): string[] {
    return this.#db.facts
      .prepare('SELECT job_id FROM verdicts WHERE in_recipe = 0 LIMIT ?')
      .pluck()
      .all(limit) as string[];
  }

  /** The recipe file of a take now has `verdict`; one that changed in the meantime still has to be written. */
  verdictWritten(takeId: string, verdict: Verdict): void {
    this.#db.facts
      .prepare(
        `UPDATE verdicts SET in_recipe = 1
         WHERE job_id = @takeId AND rating = @rating AND flag IS @flag AND note = @note AND tags = @tags`,
      )
      .run({ takeId, ...verdict, tags: JSON.stringify(tagsOf(verdict)) });
  }

  take(takeId: string): TakeView | null {
    const outputs = this.#queries.outputs(takeId);
    const job = this.#queries.view(takeId, outputs);
    if (!job) return null;
    return {
      ...job,
      outputs,
      verdict: this.verdict(takeId) ?? noVerdict,
      savedAt: this.#savedAt.get(takeId) as number | null,
    };
  }

  /** Ids of a page of takes, and the total number. */
  takes(filter: TakeFilter, { start, count }: Window): { total: number; ids: string[] } {
    const { sort: _, group: _group, ...wanted } = filter;
    if (wanted.text) {
      // Counting what has a text takes as long as listing it. The ids are not in the index that lists it.
      const all = this.#column<number>('jobs.seq', filter);
      return { total: all.length, ids: this.#idsAt(all.slice(start, start + count)) };
    }
    const total = this.#count(wanted);
    if (start >= total) return { total, ids: [] };
    // Everything before a page is read as well, so a page of the second half is read from the end.
    if (start <= total / 2) return { total, ids: this.#page(filter, { start, count }) };
    const behind = Math.max(0, total - start - count);
    const fromEnd = { start: behind, count: total - start - behind };
    return { total, ids: this.#page(filter, fromEnd, { fromEnd: true }).reverse() };
  }

  /** Groups are sorted by what the index contains, which has no ids. */
  #page(filter: TakeFilter, window: Window, end: { fromEnd?: boolean } = {}): string[] {
    if (!filter.group) return this.#column('jobs.id', filter, window, end);
    return this.#idsAt(this.#column('jobs.seq', filter, window, end));
  }

  #idsAt(seqs: readonly number[]): string[] {
    return seqs.map((seq) => this.#idAt.get(seq) as string);
  }

  ids(filter: TakeFilter): string[] {
    return this.#column('jobs.id', filter);
  }

  #column<Value extends string | number>(
    column: 'jobs.id' | 'jobs.seq',
    { sort, group, ...wanted }: TakeFilter,
    window?: Window,
    { fromEnd = false } = {},
  ): Value[] {
    const { from, order, parameters } = takeQuery(wanted, { sort, group, fromEnd });
    return this.#db.facts
      .prepare(`SELECT ${column} ${from} ORDER BY ${order} ${window ? 'LIMIT @count OFFSET @start' : ''}`)
      .pluck()
      .all({ ...parameters, ...window }) as Value[];
  }

  groups({ sort: _, group, ...wanted }: TakeFilter): TakeGroup[] {
    if (!group) return [];
    const { name, apart, order } = groupSql(group);
    const { from, parameters } = takeQuery(wanted, { group });
    const groups = this.#db.facts
      .prepare(`SELECT ${name} AS name, COUNT(*) AS count ${from} GROUP BY ${apart} ORDER BY ${order}`)
      .all(parameters) as TakeGroup[];
    if (group.by !== 'tag') return groups;
    return groups.map(({ name: tags, count }) => ({ name: (JSON.parse(tags) as string[]).join(', '), count }));
  }

  /** How many of the takes that fit have each flag, ignoring the flag that is searched for. */
  tally({ flag: _, ...wanted }: TakesWanted): TakeTally {
    const { from, parameters } = takeQuery(wanted);
    return this.#db.facts
      .prepare(
        `SELECT COUNT(*) FILTER (WHERE jobs.flag = 'pick') AS pick, COUNT(*) FILTER (WHERE jobs.flag = 'reject') AS reject,
           COUNT(*) FILTER (WHERE jobs.flag IS NULL) AS none ${from}`,
      )
      .get(parameters) as TakeTally;
  }

  #count(wanted: TakesWanted): number {
    const { from, parameters } = takeQuery(wanted);
    return this.#db.facts.prepare(`SELECT COUNT(*) ${from}`).pluck().get(parameters) as number;
  }

  models(projectId: string): string[] {
    return this.#db.facts
      .prepare(
        `SELECT DISTINCT jobs.model FROM batches JOIN jobs ON jobs.batch_id = batches.id
         WHERE batches.project_id = ? ORDER BY jobs.model`,
      )
      .pluck()
      .all(projectId) as string[];
  }

  /** The values of one of the person's own columns for jobs, in the order of the ids; empty where there is none. */
  columnTexts(jobIds: readonly string[], column: string): string[] {
    return this.#db.facts
      .prepare(
        `SELECT COALESCE(own.value, '') FROM json_each(?) AS wanted LEFT JOIN jobs ON jobs.id = wanted.value
         LEFT JOIN shot_columns AS own ON own.batch_id = jobs.batch_id AND own.name = ? AND own.shot_id = jobs.shot_id
         ORDER BY wanted.key`,
      )
      .pluck()
      .all(JSON.stringify(jobIds), column) as string[];
  }

  /** The person's own columns in the lists of a project, by name, as written in the first of its lists. */
  columns(projectId: string): string[] {
    const batches = this.#db.facts
      .prepare('SELECT id FROM batches WHERE project_id = ? ORDER BY created_at, id')
      .pluck();
    // One step of the index each: a list has a few columns and many rows.
    const next = this.#db.facts
      .prepare('SELECT name FROM shot_columns WHERE batch_id = ? AND name > ? ORDER BY name LIMIT 1')
      .pluck();
    const found = new Map<string, string>();
    for (const batchId of batches.all(projectId) as string[]) {
      for (let name = next.get(batchId, '') as string | undefined; name !== undefined;) {
        if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), name);
        name = next.get(batchId, name) as string | undefined;
      }
    }
    return [...found.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, name]) => name);
  }

  /** Tags of its takes, the most used first. Tags that differ only in case are one. */
  tags(projectId: string): UsedTag[] {
    return this.#db.facts
      .prepare(
        `SELECT MIN(own.value) AS tag, COUNT(*) AS takes FROM jobs, json_each(jobs.tags) AS own
         WHERE project_id = ? AND tags <> '[]' GROUP BY own.value COLLATE NOCASE ORDER BY takes DESC, tag LIMIT ?`,
      )
      .all(projectId, MOST_USED_TAGS) as UsedTag[];
  }

  siblings(takeId: string): string[] {
    return this.#db.facts
      .prepare(
        `SELECT other.id FROM jobs JOIN jobs AS other ON other.batch_id = jobs.batch_id AND other.shot_key = jobs.shot_key
         WHERE jobs.id = ? ORDER BY other.take`,
      )
      .pluck()
      .all(takeId) as string[];
  }

  /** Jobs in the order they were made, a page of them, and how many there are. */
  jobs(wanted: JobsWanted, window: Window): { total: number; ids: string[] } {
    const from = wanted.projectId === undefined ? 'FROM jobs' : 'FROM batches JOIN jobs ON jobs.batch_id = batches.id';
    const where = [
      'TRUE',
      ...(wanted.projectId === undefined ? [] : ['batches.project_id = @projectId']),
      ...(wanted.batchId === undefined ? [] : ['jobs.batch_id = @batchId']),
      ...(wanted.standing === undefined ? [] : [standingSql[wanted.standing]]),
    ].join(' AND ');
    const parameters = { projectId: wanted.projectId ?? null, batchId: wanted.batchId ?? null };
    const total = this.#db.facts.prepare(`SELECT COUNT(*) ${from} WHERE ${where}`).pluck().get(parameters) as number;
    const ids = this.#db.facts
      .prepare(`SELECT jobs.id ${from} WHERE ${where} ORDER BY jobs.seq LIMIT @count OFFSET @start`)
      .pluck()
      .all({ ...parameters, ...window }) as string[];
    return { total, ids };
  }

  /** How many takes were saved in each of the last 60 minutes, oldest first. */
  savedPerMinute(now: number): number[] {
    const minutes = Array.from({ length: 60 }, () => 0);
    const rows = this.#db.facts
      .prepare(
        `SELECT CAST((@now - updated_at) / 60000 AS INTEGER) AS ago, COUNT(*) AS takes FROM jobs
         WHERE state = 'saved' AND updated_at > @now - 3600000 AND updated_at <= @now GROUP BY ago`,
      )
      .all({ now }) as { ago: number; takes: number }[];
    for (const { ago, takes } of rows) minutes[59 - ago] = takes;
    return minutes;
  }

  /** What was saved at `from` (ms) or later, and since the oldest unfinished take was queued. */
  savedInRun(from: number): SavedInRun {
    // The rows of that index end with the number of the job, so the oldest is found without reading a job.
    const oldest = `SELECT created_at FROM jobs WHERE seq =
      (SELECT MIN(seq) FROM jobs INDEXED BY jobs_due WHERE paused IS NULL AND step IS NOT NULL)`;
    const { takes, since } = this.#db.facts
      .prepare(
        `SELECT COUNT(*) AS takes, MIN(updated_at) AS since FROM jobs
         WHERE state = 'saved' AND updated_at >= MAX(@from, IFNULL((${oldest}), @from))`,
      )
      .get({ from }) as { takes: number; since: number | null };
    return { takes, since: since ?? from };
  }
}
