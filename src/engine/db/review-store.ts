import type { Standing } from '../../contract/job.ts';
import {
  MAX_USED_TAGS,
  noVerdict,
  tagsOf,
  type TakeFilter,
  type TakeGroup,
  type FlagCounts,
  type TakeView,
  type UsedTag,
  type Verdict,
} from '../../contract/review.ts';
import { toMarks, toNotes } from '../../contract/frame-changes.ts';
import { withLists } from '../../contract/verdict.ts';
import type { Pace } from '../machine/expected-end.ts';
import { JobQueries } from './job-queries.ts';
import { OutputStore } from './output-store.ts';
import { joined, sql, Store, type Sql } from './connection.ts';
import { standingSql } from './job-sql.ts';
import { refused } from '../base/errors.ts';
import { messageFor } from '../../contract/messages/message-for.ts';
import { SourceStore } from './source-store.ts';
import { type Derived, groupSql, takeQuery, type TakesWanted } from './take-query.ts';

const MAX_NAMED = 5;

export interface Window {
  readonly start: number;
  readonly count: number;
}

export interface JobsWanted {
  readonly projectId?: string | undefined;
  readonly batchId?: string | undefined;
  readonly standing?: Standing | undefined;
}

export class ReviewStore extends Store {
  readonly #queries = new JobQueries(this.db);
  readonly #sources = new SourceStore(this.db);
  readonly #derived: Derived = { stale: (projectId) => this.#sources.stale({ projectId }).keys() };
  readonly #outputs = new OutputStore(this.db);

  verdict(takeId: string): Verdict | null {
    const verdict = this.facts.one<Verdict>`
      SELECT rating, flag, note, tags, marks, frame_notes AS notes FROM verdicts WHERE job_id = ${takeId}`;
    if (!verdict) return null;
    const { rating, flag, note } = verdict;
    return withLists({ rating, flag, note }, verdict);
  }

  saveVerdict(takeId: string, verdict: Verdict, inRecipe: boolean): void {
    const { rating, flag, note } = verdict;
    this.facts.run`INSERT INTO verdicts (job_id, rating, flag, note, tags, marks, frame_notes, in_recipe)
      VALUES (${takeId}, ${rating}, ${flag}, ${note}, ${tagsOf(verdict)}, ${toMarks(verdict)}, ${toNotes(verdict)},
        ${inRecipe})
      ON CONFLICT (job_id) DO UPDATE SET rating = excluded.rating, flag = excluded.flag, note = excluded.note,
        tags = excluded.tags, marks = excluded.marks, frame_notes = excluded.frame_notes,
        in_recipe = excluded.in_recipe`;
  }

  verdictsToWrite(limit: number): string[] {
    return this.facts.values<string>`SELECT job_id FROM verdicts WHERE in_recipe = 0 LIMIT +${limit}`;
  }

  /** The recipe file of a take now has `verdict`; one that changed in the meantime still has to be written. */
  verdictWritten(takeId: string, verdict: Verdict): void {
    const { rating, flag, note } = verdict;
    this.facts.run`UPDATE verdicts SET in_recipe = 1 WHERE job_id = ${takeId} AND rating = ${rating}
      AND flag IS ${flag} AND note = ${note} AND tags = ${tagsOf(verdict)} AND marks = ${toMarks(verdict)}
      AND frame_notes = ${toNotes(verdict)}`;
  }

  /** Marks and frame notes of the takes of a batch that have any. */
  framesOf(batchId: string): ReadonlyMap<string, Pick<Verdict, 'marks' | 'notes'>> {
    const rows = this.facts.all<Pick<Verdict, 'marks' | 'notes'> & { readonly id: string }>`
      SELECT jobs.id, marks, frame_notes AS notes FROM jobs JOIN verdicts ON verdicts.job_id = jobs.id
      WHERE jobs.batch_id = ${batchId} AND (marks <> '[]' OR frame_notes <> '[]')`;
    return new Map(rows.map(({ id, ...frames }) => [id, frames]));
  }

  take(takeId: string): TakeView | null {
    const outputs = this.#outputs.outputs(takeId);
    const job = this.#queries.view(takeId, outputs);
    if (!job) return null;
    return {
      ...job,
      outputs,
      verdict: this.verdict(takeId) ?? noVerdict,
      savedAt: this.facts.value<number>`SELECT NULLIF(saved_at, 0) FROM jobs WHERE id = ${takeId}`,
    };
  }

  takes(filter: TakeFilter, { start, count }: Window): { total: number; ids: string[] } {
    const { sort: _, group: _group, ...wanted } = filter;
    if (wanted.text) {
      // Counting what has a text takes as long as listing it. The ids are not in the index that lists it.
      const all = this.#column<number>(sql`jobs.seq`, filter);
      return { total: all.length, ids: this.#idsAt(all.slice(start, start + count)) };
    }
    const total = this.facts.count`SELECT COUNT(*) ${takeQuery(wanted, {}, this.#derived).from}`;
    if (start >= total) return { total, ids: [] };
    // Everything before a page is read as well, so a page of the second half is read from the end.
    if (start <= total / 2) return { total, ids: this.#page(filter, { start, count }) };
    const behind = Math.max(0, total - start - count);
    const fromEnd = { start: behind, count: total - start - behind };
    return { total, ids: this.#page(filter, fromEnd, { fromEnd: true }).reverse() };
  }

  /** Groups are sorted by what the index contains, which has no ids. */
  #page(filter: TakeFilter, window: Window, end: { fromEnd?: boolean } = {}): string[] {
    if (!filter.group) return this.#column(sql`jobs.id`, filter, window, end);
    return this.#idsAt(this.#column(sql`jobs.seq`, filter, window, end));
  }

  #idsAt(seqs: readonly number[]): string[] {
    return seqs.flatMap((seq) => this.facts.values<string>`SELECT id FROM jobs WHERE seq = ${seq}`);
  }

  ids(filter: TakeFilter): string[] {
    return this.#column(sql`jobs.id`, filter);
  }

  #column<Value extends string | number>(
    column: Sql,
    { sort, group, ...wanted }: TakeFilter,
    window?: Window,
    { fromEnd = false } = {},
  ): Value[] {
    const { from, order } = takeQuery(wanted, { sort, group, fromEnd }, this.#derived);
    const page = window ? sql`LIMIT ${window.count} OFFSET ${window.start}` : sql``;
    return this.facts.values<Value>`SELECT ${column} ${from} ORDER BY ${order} ${page}`;
  }

  groups({ sort: _, group, ...wanted }: TakeFilter): TakeGroup[] {
    if (!group) return [];
    const { name, apart, order } = groupSql(group);
    const { from } = takeQuery(wanted, { group }, this.#derived);
    return this.facts.all<TakeGroup>`SELECT ${name} AS name, COUNT(*) AS count ${from}
      GROUP BY ${apart} ORDER BY ${order}`;
  }

  /** How many of the takes that fit have each flag, ignoring the flag that is searched for. */
  tally({ flag: _, ...wanted }: TakesWanted): FlagCounts {
    const tally = this.facts.one<FlagCounts>`SELECT COUNT(*) FILTER (WHERE jobs.flag = 'pick') AS pick,
        COUNT(*) FILTER (WHERE jobs.flag = 'alternate') AS alternate,
        COUNT(*) FILTER (WHERE jobs.flag = 'reject') AS reject,
        COUNT(*) FILTER (WHERE jobs.flag IS NULL) AS none ${takeQuery(wanted, {}, this.#derived).from}`;
    return tally ?? { pick: 0, alternate: 0, reject: 0, none: 0 };
  }

  models(projectId: string): string[] {
    return this.facts.values<string>`SELECT DISTINCT jobs.model FROM batches JOIN jobs ON jobs.batch_id = batches.id
         WHERE batches.project_id = ${projectId} ORDER BY jobs.model`;
  }

  /** The person's own columns in the lists of a project, by name, as written in the first of its lists. */
  columns(projectId: string): string[] {
    // One step of the index each: a list has a few columns and many rows.
    const next = (batchId: string, after: string): string | null =>
      this.facts
        .value`SELECT name FROM shot_columns WHERE batch_id = ${batchId} AND name > ${after} ORDER BY name LIMIT 1`;
    const batchIds = this.facts.values<string>`SELECT id FROM batches WHERE project_id = ${projectId}
      ORDER BY created_at, id`;
    const found = new Map<string, string>();
    for (const batchId of batchIds) {
      for (let name = next(batchId, ''); name !== null; name = next(batchId, name))
        if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), name);
    }
    return [...found.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, name]) => name);
  }

  /** Tags of its takes, the most used first. Tags that differ only in case are one. */
  tags(projectId: string): UsedTag[] {
    return this.facts.all`SELECT MIN(own.value) AS tag, COUNT(*) AS takes FROM jobs, json_each(jobs.tags) AS own
      WHERE project_id = ${projectId} AND tags <> '[]'
      GROUP BY own.value COLLATE NOCASE ORDER BY takes DESC, tag LIMIT +${MAX_USED_TAGS}`;
  }

  /** Refuses to pick several takes of one shot. Throws RefusedError, which names them. */
  requireOnePickEach(takeIds: readonly string[]): void {
    const shots = this.facts.values<string>`
      SELECT jobs.shot_key || ' (' || group_concat(jobs.take, ', ' ORDER BY jobs.take) || ')'
      FROM (SELECT DISTINCT value FROM json_each(${takeIds})) AS wanted JOIN jobs ON jobs.id = wanted.value
      GROUP BY jobs.batch_id, jobs.shot_key HAVING COUNT(*) > 1 ORDER BY MIN(jobs.position), jobs.shot_key`;
    if (shots.length === 0) return;
    throw refused(
      'several_picks',
      messageFor('failure.severalPicks', {
        shots: [...shots.slice(0, MAX_NAMED), ...(shots.length > MAX_NAMED ? ['…'] : [])],
      }),
    );
  }

  /** Takes that are the picks of the shots of these takes, without these themselves. */
  otherPicks(takeIds: readonly string[]): string[] {
    return this.facts.values`SELECT DISTINCT other.id FROM json_each(${takeIds}) AS wanted
      JOIN jobs ON jobs.id = wanted.value
      JOIN jobs AS other ON other.batch_id = jobs.batch_id AND other.shot_key = jobs.shot_key
      WHERE other.flag = 'pick' AND other.id NOT IN (SELECT value FROM json_each(${takeIds}))`;
  }

  /** Of picks that are of one shot, only the newest stays one. */
  keepNewestPicks(batchId: string): void {
    this.facts.run`UPDATE verdicts SET flag = 'alternate', in_recipe = 0 WHERE job_id IN (
      SELECT jobs.id FROM jobs JOIN jobs AS newer
        ON newer.batch_id = jobs.batch_id AND newer.shot_key = jobs.shot_key AND newer.take > jobs.take
      WHERE jobs.batch_id = ${batchId} AND jobs.flag = 'pick' AND newer.flag = 'pick')`;
  }

  /** Saved takes of a batch that are a pick or an alternate, the newest of each shot first. */
  flagged(batchId: string): { readonly id: string; readonly shot: string; readonly flag: 'pick' | 'alternate' }[] {
    return this.facts.all`SELECT id, shot_key AS shot, flag FROM jobs
      WHERE batch_id = ${batchId} AND flag IN ('pick', 'alternate') AND state = 'saved' AND trash IS NULL
      ORDER BY shot_key, take DESC`;
  }

  siblings(takeId: string): string[] {
    return this.facts.values`SELECT other.id FROM jobs
      JOIN jobs AS other ON other.batch_id = jobs.batch_id AND other.shot_key = jobs.shot_key
      WHERE jobs.id = ${takeId} ORDER BY other.take`;
  }

  jobs({ projectId, batchId, standing }: JobsWanted, { start, count }: Window): { total: number; ids: string[] } {
    const wanted = joined([
      ...(projectId === undefined ? [] : [sql`batches.project_id = ${projectId}`]),
      ...(batchId === undefined ? [] : [sql`jobs.batch_id = ${batchId}`]),
      ...(standing === undefined ? [] : [standingSql[standing]]),
    ]);
    const jobs = projectId === undefined ? sql`jobs` : sql`batches JOIN jobs ON jobs.batch_id = batches.id`;
    return {
      total: this.facts.count`SELECT COUNT(*) FROM ${jobs} WHERE ${wanted}`,
      ids: this.facts.values`SELECT jobs.id FROM ${jobs} WHERE ${wanted}
        ORDER BY jobs.seq LIMIT ${count} OFFSET ${start}`,
    };
  }

  /** What was saved at `from` (ms) or later, and since the oldest unfinished take was queued. */
  savedInRun(from: number): Pace {
    // The rows of that index end with the number of the job, so the oldest is found without reading a job.
    const oldest = sql`SELECT created_at FROM jobs WHERE seq =
      (SELECT MIN(seq) FROM jobs INDEXED BY jobs_due WHERE paused IS NULL AND step IS NOT NULL)`;
    const saved = this.facts.one<Pace>`
      SELECT COUNT(*) AS takes, IFNULL(MIN(updated_at), ${from}) AS since FROM jobs
      WHERE state = 'saved' AND updated_at >= MAX(${from}, IFNULL((${oldest}), ${from}))`;
    return saved ?? { takes: 0, since: from };
  }
}
