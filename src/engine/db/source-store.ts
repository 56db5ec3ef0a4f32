import { TakeExtras, type TakeLink, type TakeSource } from '../../contract/take.ts';
import { sql, Store, withoutNulls, type Sql } from './connection.ts';

export interface ShotResults {
  /** The take to use; null while there is none. */
  readonly best: { readonly takeId: string; readonly take: number; readonly isPick: boolean } | null;
  /** A take of the shot may still get a result, automatically or by a decision. */
  readonly mayCome: boolean;
}

/** The takes that count: those of an earlier text of the row do not, unless the row has that text again. */
const counted = (batchId: string, key: string): Sql => sql`FROM jobs JOIN shots AS made ON made.id = jobs.shot_id
  LEFT JOIN shots AS now ON now.batch_id = jobs.batch_id AND now.key = jobs.shot_key AND now.current = 1
  WHERE jobs.batch_id = ${batchId} AND jobs.shot_key = ${key} AND jobs.take >= COALESCE((
    SELECT MIN(first.take) FROM jobs AS first JOIN shots AS of_first ON of_first.id = first.shot_id
    WHERE first.batch_id = ${batchId} AND first.shot_key = ${key} AND of_first.content_hash = now.content_hash), 1)`;

const LINK = sql`take_sources.how, take_sources.output, take_sources.frame, take_sources.note, jobs.shot_key AS shot, jobs.take`;

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
      best: this.facts
        .one`SELECT jobs.id AS takeId, jobs.take, jobs.flag IS 'pick' AS isPick ${takes} AND jobs.state = 'saved' AND jobs.trash IS NULL
          AND NOT EXISTS (SELECT 1 FROM verdicts WHERE job_id = jobs.id AND flag = 'reject')
        ORDER BY EXISTS (SELECT 1 FROM verdicts WHERE job_id = jobs.id AND flag = 'pick') DESC,
          made.content_hash IS now.content_hash DESC, jobs.take DESC LIMIT 1`,
      mayCome: this.facts.has`SELECT 1 ${takes} AND jobs.state NOT IN
        ('saved', 'rejected', 'remote_failed', 'remote_cancelled', 'result_lost', 'cancelled') LIMIT 1`,
    };
  }

  /** Files of takes that would count are in the trash. */
  isTrashed(batchId: string, key: string): boolean {
    return this.facts
      .has`SELECT 1 ${counted(batchId, key)} AND jobs.state = 'saved' AND jobs.trash IS NOT NULL LIMIT 1`;
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
