import type Database from 'better-sqlite3';
import type { OutputFormat } from '../../contract/kinds/kind.ts';
import type { Output } from '../../contract/take.ts';
import type { ResumePoint } from '../downloads/outcomes.ts';
import type { EngineDatabase } from './open.ts';

/** A file that came down whole; its format is known once it has been checked. */
export interface FetchedPart {
  readonly bytes: number;
  readonly sha256: string;
  readonly format: OutputFormat | null;
}

interface OutputRow {
  number: number;
  part_offset: number;
  part_etag: string | null;
  part_modified: string | null;
  part_length: number | null;
  bytes: number | null;
  sha256: string | null;
  format: OutputFormat | null;
  file: string | null;
}

/** Where the files of a take stand. */
export class OutputStore {
  readonly #row: Database.Statement;
  readonly #rows: Database.Statement;
  readonly #part: Database.Statement;
  readonly #fetched: Database.Statement;
  readonly #published: Database.Statement;
  readonly #forget: Database.Statement;
  readonly #forgetAll: Database.Statement;

  constructor(db: EngineDatabase) {
    this.#row = db.facts.prepare('SELECT * FROM outputs WHERE job_id = ? AND number = ?');
    this.#rows = db.facts.prepare('SELECT * FROM outputs WHERE job_id = ? ORDER BY number');
    this.#part = db.facts.prepare(
      `INSERT INTO outputs (job_id, number, part_offset, part_etag, part_modified, part_length)
       VALUES (@jobId, @number, @offset, @etag, @lastModified, @length)
       ON CONFLICT (job_id, number) DO UPDATE SET part_offset = @offset, part_etag = @etag,
         part_modified = @lastModified, part_length = @length, bytes = NULL, sha256 = NULL, format = NULL
       WHERE file IS NULL`,
    );
    this.#fetched = db.facts.prepare(
      `INSERT INTO outputs (job_id, number, bytes, sha256, format) VALUES (@jobId, @number, @bytes, @sha256, @format)
       ON CONFLICT (job_id, number) DO UPDATE SET bytes = @bytes, sha256 = @sha256, format = @format`,
    );
    this.#published = db.facts.prepare('UPDATE outputs SET file = ? WHERE job_id = ? AND number = ?');
    this.#forgetAll = db.facts.prepare('DELETE FROM outputs WHERE job_id = ?');
    this.#forget = db.facts.prepare('DELETE FROM outputs WHERE job_id = ? AND number = ? AND file IS NULL');
  }

  /** The durable part of one output, or null when nothing of it is on disk for certain. */
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

  /** The part is of no use: the next try starts from nothing. */
  forgetPart(jobId: string, number: number): void {
    this.#forget.run(jobId, number);
  }

  /** What is known of an output that has been fetched whole, or null. */
  fetched(jobId: string, number: number): FetchedPart | null {
    const row = this.#row.get(jobId, number) as OutputRow | undefined;
    return row && row.sha256 !== null && row.bytes !== null
      ? { bytes: row.bytes, sha256: row.sha256, format: row.format }
      : null;
  }

  /** Call only after the whole part file was synced. */
  saveFetched(jobId: string, number: number, part: FetchedPart): void {
    this.#fetched.run({ jobId, number, ...part });
  }

  isPublished(jobId: string, number: number): boolean {
    const row = this.#row.get(jobId, number) as OutputRow | undefined;
    return row !== undefined && row.file !== null;
  }

  /** `file` is relative to the project folder, with forward slashes. */
  savePublished(jobId: string, number: number, file: string): void {
    this.#published.run(file, jobId, number);
  }

  /** Forgets every output of a take, so that all of them are fetched again. */
  forgetAll(jobId: string): void {
    this.#forgetAll.run(jobId);
  }

  /** The published files of a take, in order. */
  outputs(jobId: string): Output[] {
    return (this.#rows.all(jobId) as OutputRow[]).flatMap((row) =>
      row.file !== null && row.bytes !== null && row.sha256 !== null && row.format !== null
        ? [{ number: row.number, file: row.file, bytes: row.bytes, sha256: row.sha256, format: row.format }]
        : [],
    );
  }
}
