import type Database from 'better-sqlite3';
import type { SourceUse, TakeLink, TakeSource } from '../../contract/take-source.ts';
import type { EngineDatabase } from './open.ts';

export interface ShotResults {
  /** The take to use; null while there is none. */
  readonly best: { readonly takeId: string; readonly take: number } | null;
  /** A take of the shot may still get a result, automatically or by a decision. */
  readonly mayCome: boolean;
}

interface SourceRow {
  parameter: string;
  cell: string;
  how: SourceUse;
  takeId: string;
  output: number | null;
  sha256: string | null;
  text: string | null;
}

interface LinkRow {
  of: string;
  takeId: string;
  how: SourceUse;
  output: number | null;
  shot: string | null;
  take: number | null;
}

/** The takes that count: those of an earlier text of the row do not, unless the row has that text again. */
const COUNTED = `FROM jobs JOIN shots AS made ON made.id = jobs.shot_id
  LEFT JOIN shots AS now ON now.batch_id = jobs.batch_id AND now.key = jobs.shot_key AND now.current = 1
  WHERE jobs.batch_id = @batchId AND jobs.shot_key = @key AND jobs.take >= COALESCE((
    SELECT MIN(first.take) FROM jobs AS first JOIN shots AS of_first ON of_first.id = first.shot_id
    WHERE first.batch_id = @batchId AND first.shot_key = @key AND of_first.content_hash = now.content_hash), 1)`;

const LINK = 'take_sources.how, take_sources.output, jobs.shot_key AS shot, jobs.take';

export class SourceStore {
  readonly #insert: Database.Statement;
  readonly #of: Database.Statement;
  readonly #best: Database.Statement;
  readonly #mayCome: Database.Statement;
  readonly #usedIn: Database.Statement;

  constructor(db: EngineDatabase) {
    this.#insert = db.facts.prepare(
      `INSERT INTO take_sources (job_id, parameter, cell, how, source_id, output, sha256, text)
       VALUES (@jobId, @parameter, @cell, @how, @takeId, @output, @sha256, @text)
       ON CONFLICT DO NOTHING`,
    );
    this.#of = db.facts.prepare(
      `SELECT parameter, cell, how, source_id AS takeId, output, sha256, text FROM take_sources WHERE job_id = ?`,
    );
    this.#best = db.facts.prepare(
      `SELECT jobs.id AS takeId, jobs.take ${COUNTED} AND jobs.state = 'saved' AND jobs.trash IS NULL
         AND NOT EXISTS (SELECT 1 FROM verdicts WHERE job_id = jobs.id AND flag = 'reject')
       ORDER BY EXISTS (SELECT 1 FROM verdicts WHERE job_id = jobs.id AND flag = 'pick') DESC,
         made.content_hash IS now.content_hash DESC, jobs.take DESC LIMIT 1`,
    );
    this.#mayCome = db.facts.prepare(
      `SELECT 1 ${COUNTED} AND jobs.state NOT IN
         ('saved', 'rejected', 'remote_failed', 'remote_cancelled', 'result_lost', 'cancelled') LIMIT 1`,
    );
    this.#usedIn = db.facts.prepare(
      `SELECT DISTINCT take_sources.job_id AS takeId, ${LINK}, '' AS of FROM take_sources JOIN jobs ON jobs.id = job_id
       WHERE source_id = ? ORDER BY jobs.seq`,
    );
  }

  /** What is stored for a take stays: with another source it would be another take. */
  save(jobId: string, sources: readonly TakeSource[]): void {
    for (const { parameter = '', cell = '', output = null, sha256 = null, text = null, ...source } of sources)
      this.#insert.run({ jobId, parameter, cell, output, sha256, text, ...source });
  }

  of(jobId: string): TakeSource[] {
    return (this.#of.all(jobId) as SourceRow[]).map(({ parameter, cell, output, sha256, text, ...source }) => ({
      ...source,
      ...(cell !== '' && { parameter, cell }),
      ...(output !== null && { output }),
      ...(sha256 !== null && { sha256 }),
      ...(text !== null && { text }),
    }));
  }

  /**
   * The pick of a shot, else the newest saved take of the row's present text, else the newest since then. A rejected
   * take is not used.
   */
  resultsOf(batchId: string, key: string): ShotResults {
    const best = this.#best.get({ batchId, key }) as ShotResults['best'] | undefined;
    return { best: best ?? null, mayCome: this.#mayCome.get({ batchId, key }) !== undefined };
  }

  usedIn(takeId: string): TakeLink[] {
    return (this.#usedIn.all(takeId) as LinkRow[]).map(toLink);
  }
}

export function prepareLinks(db: EngineDatabase): (jobIds: readonly string[]) => ReadonlyMap<string, TakeLink[]> {
  const read = db.facts.prepare(
    `SELECT DISTINCT take_sources.job_id AS of, source_id AS takeId, ${LINK} FROM json_each(?)
     CROSS JOIN take_sources ON take_sources.job_id = value LEFT JOIN jobs ON jobs.id = source_id`,
  );
  return (jobIds) => {
    const found = new Map<string, TakeLink[]>();
    for (const row of read.all(JSON.stringify(jobIds)) as LinkRow[])
      found.set(row.of, [...(found.get(row.of) ?? []), toLink(row)]);
    return found;
  };
}

const toLink = ({ takeId, how, output, shot, take }: LinkRow): TakeLink => ({
  takeId,
  how,
  ...(output !== null && { output }),
  ...(shot !== null && take !== null && { shot, take }),
});
