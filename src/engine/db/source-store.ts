import { TakeExtras, type Stale, type TakeLink, type TakeSource } from '../../contract/take.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { marksOf } from '../../contract/frame-changes.ts';
import type { Marks } from '../../contract/frame-notes.ts';
import { type Best, type PinnedSource, staleness } from '../machine/staleness.ts';
import { sql, Store, withoutNulls, type Sql } from './connection.ts';
import { type Job, type Scope, UNSENT, WITHOUT_RESULT } from './job-sql.ts';

export interface ShotResults {
  /** The take to use; null while there is none. */
  readonly best: { readonly takeId: string; readonly take: number; readonly isPick: boolean } | null;
  /** A take of the shot may still get a result, automatically or by a decision. */
  readonly mayCome: boolean;
}

/** The takes that count: those of an earlier text of the row do not, unless the row has that text again. */
const counted = (
  batchId: string | Sql,
  key: string | Sql,
): Sql => sql`FROM jobs JOIN shots AS made ON made.id = jobs.shot_id
  LEFT JOIN shots AS now ON now.batch_id = jobs.batch_id AND now.key = jobs.shot_key AND now.current = 1
  WHERE jobs.batch_id = ${batchId} AND jobs.shot_key = ${key}
    AND (made.current = 1 OR jobs.take >= COALESCE((
      SELECT MIN(first.take) FROM jobs AS first JOIN shots AS of_first ON of_first.id = first.shot_id
      WHERE first.batch_id = ${batchId} AND first.shot_key = ${key} AND of_first.content_hash = now.content_hash), 1))`;

/** Of those, the one that a reference means. */
const bestOf = (what: Sql, batchId: string | Sql, key: string | Sql): Sql => sql`SELECT ${what} ${counted(batchId, key)}
    AND jobs.state = 'saved' AND jobs.trash IS NULL AND jobs.flag IS NOT 'reject'
  ORDER BY jobs.flag IS 'pick' DESC, made.content_hash IS now.content_hash DESC, jobs.take DESC LIMIT 1`;

const LINK = sql`take_sources.how, take_sources.output, take_sources.frame, take_sources.note, jobs.shot_key AS shot, jobs.take`;

/** A take that was made with changes, or again from such a one, is of no row of the list. */
const HAS_OWN_ROW = sql`EXISTS (WITH RECURSIVE line(id) AS (SELECT jobs.id UNION SELECT made.source_id FROM line
    JOIN take_sources AS made ON made.job_id = line.id AND made.how = 'again')
  SELECT 1 FROM line JOIN take_sources AS made ON made.job_id = line.id AND made.how NOT IN ('reference', 'again'))`;

interface Pinned extends PinnedSource {
  readonly jobId: string;
  readonly spec: ShotSpec | null;
  /** It is the pick, of the present text of its row: nothing else can count. */
  readonly isSure: boolean;
}

interface Marked extends Pick<Pinned, 'cell' | 'output'> {
  readonly marks: readonly Marks[] | null;
  /** Of the film; null where it is not known. */
  readonly frames: number | null;
}

/** `#in` and `#out` follow the marks of the take; null where it is not known which frame they mean. */
function frameNow({ cell, output, marks, frames }: Marked): number | null {
  if (marks === null) return null;
  const { in: first = 0, out = frames } = marksOf(marks, output ?? 1);
  if (/#in$/i.test(cell)) return first;
  return out === null ? null : out - 1;
}

function toBest(facts: string | null): Best | null {
  if (facts === null) return null;
  const [takeId, take, isPick, isOfText, askedAt] = JSON.parse(facts) as [string, number, number, number, number];
  return { takeId, take, isPick: isPick === 1, isOfText: isOfText === 1, askedAt };
}

interface ToRefresh {
  readonly id: string;
  readonly shotId: string;
  readonly shot: string;
  readonly others: readonly string[];
}

export class SourceStore extends Store {
  /** What is stored for a take stays: with another source it would be another take. */
  save(jobId: string, sources: readonly TakeSource[]): void {
    for (const { parameter = '', cell = '', how, takeId, output, frame, sha256, isDark, text, note } of sources)
      this.facts
        .run`INSERT INTO take_sources (job_id, parameter, cell, how, source_id, output, frame, sha256, is_dark, text,
          note)
        VALUES (${jobId}, ${parameter}, ${cell}, ${how}, ${takeId}, ${output}, ${frame}, ${sha256}, ${isDark ? 1 : null},
          ${text}, ${note})
        ON CONFLICT DO NOTHING`;
  }

  /** The sources of a take are those that an attempt sends: part of the commit of its intent. */
  pin(jobId: string, attemptId: string): void {
    this.facts.run`UPDATE take_sources SET attempt_id = ${attemptId} WHERE job_id = ${jobId}`;
  }

  /** Forgets what was chosen for a take that has to wait again, so that the next choice is used. */
  forgetReferences(jobId: string): void {
    this.facts.run`DELETE FROM asset_uses WHERE job_id = ${jobId} AND cell LIKE 'shot://%'`;
    this.facts.run`DELETE FROM take_sources WHERE job_id = ${jobId} AND how = 'reference'`;
  }

  of(jobId: string): TakeSource[] {
    const rows = this.facts.all<{ isDark: boolean }>`SELECT iif(cell = '', NULL, parameter) AS parameter,
        NULLIF(cell, '') AS cell, how, source_id AS takeId, output, frame, sha256, is_dark, text,
        note
      FROM take_sources WHERE job_id = ${jobId}`;
    return rows.map(({ isDark, ...row }) => ({ ...withoutNulls<TakeSource>(row), ...(isDark && { isDark }) }));
  }

  /** The pick, else the newest saved take of the row's present text, else the newest since. No rejected take. */
  resultsOf(batchId: string, key: string): ShotResults {
    const takes = counted(batchId, key);
    return {
      best: this.facts.one`${bestOf(sql`jobs.id AS takeId, jobs.take, jobs.flag IS 'pick' AS isPick`, batchId, key)}`,
      mayCome: this.facts.has`SELECT 1 ${takes} AND jobs.state NOT IN
        ('saved', 'rejected', 'remote_failed', 'remote_cancelled', 'result_lost', 'cancelled') LIMIT 1`,
    };
  }

  /** Files of takes that would count are in the trash. */
  isTrashed(batchId: string, key: string): boolean {
    return this.facts
      .has`SELECT 1 ${counted(batchId, key)} AND jobs.state = 'saved' AND jobs.trash IS NOT NULL LIMIT 1`;
  }

  /**
   * Of takes with a result, or that may get one, those whose sources would be others now, and why. Nothing of it is
   * stored. Two statements, however many takes there are.
   */
  stale(wanted: Scope | readonly string[]): ReadonlyMap<string, Stale> {
    const pinned = this.#pinned(wanted);
    const shotOf = ({ batchId, key }: Pinned): string => `${String(batchId)}\n${String(key)}`;
    const unsure = pinned.filter(({ isSure, batchId }) => !isSure && batchId !== null);
    const shots = new Map(unsure.map((source) => [shotOf(source), source.takeId]));
    const facts = sql`json_array(jobs.id, jobs.take, jobs.flag IS 'pick', made.content_hash IS now.content_hash, jobs.created_at)`;
    const found = this.facts.values<string | null>`
      SELECT (${bestOf(facts, sql`source.batch_id`, sql`source.shot_key`)})
      FROM json_each(${[...shots.values()]}) AS wanted CROSS JOIN jobs AS source ON source.id = wanted.value
      ORDER BY wanted.key`;
    const best = new Map([...shots.keys()].map((shot, at) => [shot, toBest(found[at] ?? null)]));
    const stale = new Map<string, Stale>();
    for (const [id, sources] of Map.groupBy(pinned, ({ jobId }) => jobId)) {
      const why = staleness({ sources, row: sources[0]?.spec ?? null }, (source) =>
        source.isSure
          ? { ...source, take: source.take ?? 0, isPick: true, askedAt: 0 }
          : (best.get(shotOf(source)) ?? null),
      );
      if (why) stale.set(id, why);
    }
    return stale;
  }

  /** What takes were made from by references, in the order of their cells. `spec`: `row` of `MadeTake`. */
  #pinned(wanted: Scope | readonly string[]): Pinned[] {
    const takes =
      'length' in wanted
        ? sql`json_each(${wanted}) AS wanted CROSS JOIN jobs ON jobs.id = wanted.value`
        : wanted.batchId === undefined
          ? sql`batches AS own CROSS JOIN jobs ON jobs.batch_id = own.id AND own.project_id = ${wanted.projectId}`
          : sql`(SELECT ${wanted.batchId} AS id) AS own CROSS JOIN jobs ON jobs.batch_id = own.id`;
    const isOfText = sql`iif(text.current = 1, 1, text.content_hash IS (SELECT content_hash FROM shots AS now
      WHERE now.batch_id = source.batch_id AND now.key = source.shot_key AND now.current = 1))`;
    const rows = this.facts.all<
      Omit<Pinned, 'frameNow'> & Marked
    >`SELECT jobs.id AS jobId, jobs.created_at AS usedAt, pin.parameter, pin.cell, pin.output, pin.source_id AS takeId,
        iif(pin.frame IS NULL, pin.sha256, NULL) AS sha256,
        (SELECT sha256 FROM outputs WHERE job_id = pin.source_id AND number = pin.output) AS sha256Now,
        (SELECT facts ->> 'frames' FROM outputs WHERE job_id = pin.source_id AND number = pin.output) AS frames,
        pin.frame, iif(pin.frame IS NOT NULL AND (pin.cell LIKE '%#in' OR pin.cell LIKE '%#out'),
          COALESCE((SELECT marks FROM verdicts WHERE job_id = pin.source_id), '[]'), NULL) AS marks,
        source.batch_id AS batchId, source.shot_key AS key, source.take, source.state = 'saved' AS isSaved,
        source.trash IS NOT NULL AS isTrashed, source.flag IS 'reject' AS isRejected,
        iif(source.batch_id = jobs.batch_id, NULL, (SELECT name FROM batches WHERE id = source.batch_id)) AS batch,
        ${isOfText} AS isOfText,
        iif(source.flag IS 'pick' AND source.state = 'saved' AND source.trash IS NULL, ${isOfText}, 0) AS isSure,
        iif(made.current = 1, NULL, (SELECT spec FROM shots AS now WHERE now.batch_id = jobs.batch_id
          AND now.key = jobs.shot_key AND now.current = 1 AND now.content_hash <> made.content_hash
          AND NOT ${HAS_OWN_ROW})) AS spec
      FROM ${takes} CROSS JOIN take_sources AS pin ON pin.job_id = jobs.id AND pin.how = 'reference'
      JOIN shots AS made ON made.id = jobs.shot_id
      LEFT JOIN jobs AS source ON source.id = pin.source_id
      LEFT JOIN shots AS text ON text.id = source.shot_id
      WHERE jobs.state NOT IN ${WITHOUT_RESULT} AND jobs.trash IS NULL`;
    return rows.map(({ marks, frames, ...pin }) => ({ ...pin, frameNow: frameNow({ ...pin, marks, frames }) }));
  }

  /**
   * Of these takes those that were sent, in the order of their numbers: the version of the shot that another take would be
   * made from, and other takes of that version which are there, or may come.
   */
  toRefresh(takeIds: readonly string[]): ToRefresh[] {
    const rows = this.facts.all<ToRefresh & { readonly ids: string }>`SELECT jobs.id, text.id AS shotId,
        jobs.batch_id || char(10) || jobs.shot_key AS shot, (SELECT json_group_array(other.id) FROM jobs AS other
          JOIN shots AS of_other ON of_other.id = other.shot_id AND of_other.content_hash = text.content_hash
          WHERE other.batch_id = jobs.batch_id AND other.shot_key = jobs.shot_key AND other.id <> jobs.id
            AND other.state NOT IN ${WITHOUT_RESULT} AND other.trash IS NULL AND other.flag IS NOT 'reject') AS ids
      FROM json_each(${takeIds}) AS wanted CROSS JOIN jobs ON jobs.id = wanted.value
      JOIN shots AS made ON made.id = jobs.shot_id
      LEFT JOIN shots AS now ON now.batch_id = jobs.batch_id AND now.key = jobs.shot_key AND now.current = 1
      JOIN shots AS text ON text.id = iif(now.content_hash = made.content_hash OR ${HAS_OWN_ROW}, made.id, COALESCE(now.id, made.id))
      WHERE jobs.state NOT IN ${UNSENT} ORDER BY jobs.take`;
    return rows.map(({ ids, ...row }) => ({ ...row, others: JSON.parse(ids) as string[] }));
  }

  /** Takes that were made from a take of these shots: what becomes of those may make them stale, or fresh again. */
  usersOf(shots: readonly Pick<Job, 'batchId' | 'shotKey'>[]): Pick<Job, 'id' | 'batchId'>[] {
    const keys = shots.map(({ batchId, shotKey }) => [batchId, shotKey]);
    return this.facts.all`SELECT DISTINCT users.id, users.batch_id FROM json_each(${keys}) AS shot
      CROSS JOIN jobs ON jobs.batch_id = shot.value ->> 0 AND jobs.shot_key = shot.value ->> 1
      CROSS JOIN take_sources ON take_sources.source_id = jobs.id AND take_sources.how = 'reference'
      JOIN jobs AS users ON users.id = take_sources.job_id`;
  }

  /** Takes that were made from another one in this way, but for those that failed or were cancelled. */
  made(takeId: string, how: TakeSource['how']): { note: string; contentHash: string }[] {
    return this.facts.all`SELECT IFNULL(note, '') AS note, shots.content_hash FROM take_sources
      JOIN jobs ON jobs.id = take_sources.job_id JOIN shots ON shots.id = jobs.shot_id
      WHERE source_id = ${takeId} AND how = ${how}
        AND jobs.state NOT IN ('rejected', 'remote_failed', 'remote_cancelled', 'cancelled')`;
  }

  usedIn(takeId: string): TakeLink[] {
    const rows = this.facts.all<object>`SELECT DISTINCT take_sources.job_id AS takeId, ${LINK}
      FROM take_sources JOIN jobs ON jobs.id = job_id WHERE source_id = ${takeId} ORDER BY jobs.seq`;
    return rows.map(withoutNulls<TakeLink>);
  }

  links(jobIds: readonly string[]): ReadonlyMap<string, TakeLink[]> {
    const rows = this.facts.all<
      TakeLink & { readonly of: string }
    >`SELECT DISTINCT take_sources.job_id AS of, source_id AS takeId, ${LINK}
      FROM json_each(${jobIds})
      CROSS JOIN take_sources ON take_sources.job_id = value LEFT JOIN jobs ON jobs.id = source_id`;
    const found = Map.groupBy(rows, (row) => row.of);
    return new Map(
      [...found].map(([jobId, links]) => [jobId, links.map(({ of: _, ...link }) => withoutNulls<TakeLink>(link))]),
    );
  }
}

export class ExtrasStore extends Store {
  save(jobId: string, extras: TakeExtras): void {
    this.facts.run`INSERT INTO take_extras (job_id, extras) VALUES (${jobId}, ${extras})
      ON CONFLICT (job_id) DO UPDATE SET extras = excluded.extras`;
  }

  of(jobId: string): TakeExtras | null {
    return TakeExtras.nullable().parse(this.facts.value`SELECT extras FROM take_extras WHERE job_id = ${jobId}`);
  }
}
