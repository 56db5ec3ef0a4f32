import type Database from 'better-sqlite3';
import type { OutputFormat } from '../../contract/formats.ts';
import type { Output } from '../../contract/take.ts';
import type { Slot } from '../machine/result-slots.ts';
import type { EngineDatabase } from './open.ts';

/**
 * How much of a part is certainly on the disk, and the full length by the server. The first `offset` bytes of the part
 * were fsynced before this value was made.
 */
export interface ResumePoint {
  readonly offset: number;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Length of the whole file, when the server named it. */
  readonly length?: number;
}

/** A file that was fetched to its end; its format is known once it has been checked. */
export interface FetchedPart {
  readonly bytes: number;
  readonly sha256: string;
  /** Its name at the server. */
  readonly contentType: string | null;
  readonly format: OutputFormat | null;
  /** False for a format that cannot be checked. */
  readonly verified: boolean;
}

/** Another output of a take that has the same content. */
export interface SameContent {
  readonly number: number;
  /** Where its content came from. */
  readonly url: string | null;
}

interface OutputRow {
  number: number;
  part_offset: number;
  part_etag: string | null;
  part_modified: string | null;
  part_length: number | null;
  bytes: number | null;
  sha256: string | null;
  content_type: string | null;
  format: OutputFormat | null;
  verified: 0 | 1;
  file: string | null;
  home: string | null;
  url: string | null;
}

/** A statement on the connection that syncs each commit, and on the one that does not. */
type Durably = Readonly<Record<keyof Omit<EngineDatabase, 'close'>, Database.Statement>>;

const NOTHING_FETCHED = 'bytes = NULL, sha256 = NULL, content_type = NULL, format = NULL, verified = 1, is_earlier = 0';

/**
 * The state of the files of a take. Mere progress is written without a separate sync: after a power cut the disk or the
 * recipe shows it again, or a file is fetched once more, which is free. The commit that makes the take saved makes all
 * of it durable.
 */
export class OutputStore {
  readonly #row: Database.Statement;
  readonly #rows: Database.Statement;
  readonly #part: Database.Statement;
  readonly #fetched: Database.Statement;
  readonly #found: Database.Statement;
  readonly #published: Durably;
  readonly #forget: Database.Statement;
  readonly #forgetAll: Database.Statement;
  readonly #place: Database.Statement;
  readonly #sameContent: Database.Statement;
  readonly #source: Database.Statement;

  constructor(db: EngineDatabase) {
    this.#row = db.facts.prepare('SELECT * FROM outputs WHERE job_id = ? AND number = ?');
    this.#rows = db.facts.prepare('SELECT * FROM outputs WHERE job_id = +? ORDER BY number');
    this.#part = db.hints.prepare(
      `INSERT INTO outputs (job_id, number, part_offset, part_etag, part_modified, part_length)
       VALUES (@jobId, @number, @offset, @etag, @lastModified, @length)
       ON CONFLICT (job_id, number) DO UPDATE SET part_offset = @offset, part_etag = @etag,
         part_modified = @lastModified, part_length = @length, ${NOTHING_FETCHED}
       WHERE file IS NULL`,
    );
    this.#fetched = db.hints.prepare(
      `INSERT INTO outputs (job_id, number, bytes, sha256, content_type, format, verified)
       VALUES (@jobId, @number, @bytes, @sha256, @contentType, @format, @verified)
       ON CONFLICT (job_id, number) DO UPDATE SET bytes = @bytes, sha256 = @sha256, content_type = @contentType,
         format = @format, verified = @verified`,
    );
    this.#found = db.facts.prepare(
      `INSERT INTO outputs (job_id, number, bytes, sha256, format, verified, file, home)
       VALUES (@jobId, @number, @bytes, @sha256, @format, @verified, @file, @home)
       ON CONFLICT (job_id, number) DO UPDATE SET bytes = @bytes, sha256 = @sha256, content_type = NULL,
         format = @format, verified = @verified, file = @file, home = @home`,
    );
    const published = (connection: Database.Database) =>
      connection.prepare('UPDATE outputs SET file = ? WHERE job_id = ? AND number = ?');
    this.#published = { facts: published(db.facts), hints: published(db.hints) };
    this.#forgetAll = db.facts.prepare('DELETE FROM outputs WHERE job_id = ?');
    this.#forget = db.facts.prepare(
      `UPDATE outputs SET part_offset = 0, part_etag = NULL, part_modified = NULL, part_length = NULL, ${NOTHING_FETCHED}
       WHERE job_id = ? AND number = ? AND file IS NULL`,
    );
    // What is here keeps the address it came from; see `SameContent`.
    this.#place = db.hints.prepare(
      `INSERT INTO outputs (job_id, number, url) VALUES (@jobId, @number, @url)
       ON CONFLICT (job_id, number) DO UPDATE SET url = iif(sha256 IS NULL, @url, url), is_earlier = sha256 IS NOT NULL`,
    );
    this.#sameContent = db.facts.prepare(
      'SELECT number, url FROM outputs WHERE job_id = ? AND number <> ? AND sha256 = ? AND is_earlier = 1',
    );
    this.#source = db.facts.prepare('UPDATE outputs SET url = ? WHERE job_id = ? AND number = ?');
  }

  /** The durable part of one output, or null when none of it is certainly on disk. */
  part(jobId: string, number: number): ResumePoint | null {
    const row = this.#row.get(jobId, number) as OutputRow | undefined;
    if (!row || row.part_offset === 0) return null;
    return {
      offset: row.part_offset,
      ...(row.part_etag !== null && { etag: row.part_etag }),
      ...(row.part_modified !== null && { lastModified: row.part_modified }),
      ...(row.part_length !== null && { length: row.part_length }),
    };
  }

  /** Call only after the part file was synced up to `offset`. */
  savePart(jobId: string, number: number, part: ResumePoint): void {
    this.#part.run({
      jobId,
      number,
      offset: part.offset,
      etag: part.etag ?? null,
      lastModified: part.lastModified ?? null,
      length: part.length ?? null,
    });
  }

  /** The part is unusable: the next try starts from nothing. */
  forgetPart(jobId: string, number: number): void {
    this.#forget.run(jobId, number);
  }

  /** The facts of an output that was fetched whole, or null. */
  fetched(jobId: string, number: number): FetchedPart | null {
    const row = this.#row.get(jobId, number) as OutputRow | undefined;
    return row && row.sha256 !== null && row.bytes !== null
      ? {
          bytes: row.bytes,
          sha256: row.sha256,
          contentType: row.content_type,
          format: row.format,
          verified: row.verified === 1,
        }
      : null;
  }

  /** Call only after the whole part file was synced. */
  saveFetched(jobId: string, number: number, { bytes, sha256, contentType, format, verified }: FetchedPart): void {
    this.#fetched.run({ jobId, number, bytes, sha256, contentType, format, verified: verified ? 1 : 0 });
  }

  /** A file of the take that the project folder already has. Call in the commit that adopts the take. */
  saveFound(jobId: string, { number, file, home, bytes, sha256, format, verified }: Output): void {
    this.#found.run({ jobId, number, file, home: home ?? null, bytes, sha256, format, verified: verified ? 1 : 0 });
  }

  /** The known outputs of a take, by number from 1; an unknown one between them is a gap. */
  slots(jobId: string): Slot[] {
    const rows = this.#rows.all(jobId) as OutputRow[];
    const slots = Array.from({ length: rows.at(-1)?.number ?? 0 }, (): Slot => ({ url: null, isFetched: false }));
    for (const { number, url, sha256 } of rows) slots[number - 1] = { url, isFetched: sha256 !== null };
    return slots;
  }

  /** Sets the present addresses of a take's outputs, in order. Outputs that were fetched belong to an earlier list. */
  place(jobId: string, urls: readonly string[]): void {
    urls.forEach((url, index) => this.#place.run({ jobId, number: index + 1, url }));
  }

  /** The output fetched from an earlier list that has this content, or null. */
  sameContent(jobId: string, number: number, sha256: string): SameContent | null {
    return (this.#sameContent.get(jobId, number, sha256) as SameContent | undefined) ?? null;
  }

  /** The content of an output was found at this address too. */
  saveSource(jobId: string, number: number, url: string): void {
    this.#source.run(url, jobId, number);
  }

  isPublished(jobId: string, number: number): boolean {
    const row = this.#row.get(jobId, number) as OutputRow | undefined;
    return row !== undefined && row.file !== null;
  }

  /** `file` is relative to the project folder, with forward slashes. `synced`: its source is about to be removed. */
  savePublished(jobId: string, number: number, file: string, { synced = false } = {}): void {
    this.#published[synced ? 'facts' : 'hints'].run(file, jobId, number);
  }

  /** Forgets every output of a take, so that all of them are fetched again. */
  forgetAll(jobId: string): void {
    this.#forgetAll.run(jobId);
  }

  /** The published files of a take, in order. */
  outputs(jobId: string): Output[] {
    return (this.#rows.all(jobId) as OutputRow[]).flatMap((row) =>
      row.file !== null && row.bytes !== null && row.sha256 !== null && row.format !== null
        ? [
            {
              number: row.number,
              file: row.file,
              ...(row.home !== null && { home: row.home }),
              bytes: row.bytes,
              sha256: row.sha256,
              format: row.format,
              verified: row.verified === 1,
            },
          ]
        : [],
    );
  }
}
