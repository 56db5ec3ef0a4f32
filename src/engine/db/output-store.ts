import type { OutputFormat } from '../../contract/formats.ts';
import type { Output } from '../../contract/take.ts';
import type { Slot } from '../machine/result-slots.ts';
import { sql, Store, withoutNulls } from './connection.ts';

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

interface OutputRow extends Pick<FetchedPart, 'contentType' | 'format' | 'verified'> {
  readonly number: number;
  readonly partOffset: number;
  readonly partEtag: string | null;
  readonly partModified: string | null;
  readonly partLength: number | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly file: string | null;
  readonly home: string | null;
  readonly url: string | null;
}

const NOTHING_FETCHED = sql`bytes = NULL, sha256 = NULL, content_type = NULL, format = NULL, verified = 1,
  is_earlier = 0`;

/**
 * The state of the files of a take. Mere progress is written without a separate sync: after a power cut the disk or the
 * recipe shows it again, or a file is fetched once more, which is free. The commit that makes the take saved makes all
 * of it durable.
 */
export class OutputStore extends Store {
  #row(jobId: string, number: number): OutputRow | null {
    return this.facts.one`SELECT * FROM outputs WHERE job_id = ${jobId} AND number = ${number}`;
  }

  #rows(jobId: string): OutputRow[] {
    return this.facts.all`SELECT * FROM outputs WHERE job_id = +${jobId} ORDER BY number`;
  }

  /** The durable part of one output, or null when none of it is certainly on disk. */
  part(jobId: string, number: number): ResumePoint | null {
    const row = this.#row(jobId, number);
    if (!row || row.partOffset === 0) return null;
    const { partOffset: offset, partEtag: etag, partModified: lastModified, partLength: length } = row;
    return { offset, ...withoutNulls({ etag, lastModified, length }) };
  }

  /** Call only after the part file was synced up to `offset`. */
  savePart(jobId: string, number: number, { offset, etag, lastModified, length }: ResumePoint): void {
    this.hints.run`INSERT INTO outputs (job_id, number, part_offset, part_etag, part_modified, part_length)
      VALUES (${jobId}, ${number}, ${offset}, ${etag}, ${lastModified}, ${length})
      ON CONFLICT (job_id, number) DO UPDATE SET part_offset = excluded.part_offset, part_etag = excluded.part_etag,
        part_modified = excluded.part_modified, part_length = excluded.part_length, ${NOTHING_FETCHED}
      WHERE file IS NULL`;
  }

  /** The part is unusable: the next try starts from nothing. */
  forgetPart(jobId: string, number: number): void {
    this.facts.run`UPDATE outputs SET part_offset = 0, part_etag = NULL, part_modified = NULL, part_length = NULL,
        ${NOTHING_FETCHED}
      WHERE job_id = ${jobId} AND number = ${number} AND file IS NULL`;
  }

  /** The facts of an output that was fetched whole, or null. */
  fetched(jobId: string, number: number): FetchedPart | null {
    const { bytes, sha256, contentType, format, verified } = this.#row(jobId, number) ?? {};
    if (typeof bytes !== 'number' || typeof sha256 !== 'string') return null;
    return { bytes, sha256, contentType: contentType ?? null, format: format ?? null, verified: verified === true };
  }

  /** Call only after the whole part file was synced. */
  saveFetched(jobId: string, number: number, { bytes, sha256, contentType, format, verified }: FetchedPart): void {
    this.hints.run`INSERT INTO outputs (job_id, number, bytes, sha256, content_type, format, verified)
      VALUES (${jobId}, ${number}, ${bytes}, ${sha256}, ${contentType}, ${format}, ${verified})
      ON CONFLICT (job_id, number) DO UPDATE SET bytes = excluded.bytes, sha256 = excluded.sha256,
        content_type = excluded.content_type, format = excluded.format, verified = excluded.verified`;
  }

  /** A file of the take that the project folder already has. Call in the commit that adopts the take. */
  saveFound(jobId: string, { number, file, home, bytes, sha256, format, verified }: Output): void {
    this.facts.run`INSERT INTO outputs (job_id, number, bytes, sha256, format, verified, file, home)
      VALUES (${jobId}, ${number}, ${bytes}, ${sha256}, ${format}, ${verified}, ${file}, ${home})
      ON CONFLICT (job_id, number) DO UPDATE SET bytes = excluded.bytes, sha256 = excluded.sha256, content_type = NULL,
        format = excluded.format, verified = excluded.verified, file = excluded.file, home = excluded.home`;
  }

  /** The known outputs of a take, by number from 1; an unknown one between them is a gap. */
  slots(jobId: string): Slot[] {
    const rows = this.#rows(jobId);
    const slots = Array.from({ length: rows.at(-1)?.number ?? 0 }, (): Slot => ({ url: null, isFetched: false }));
    for (const { number, url, sha256 } of rows) slots[number - 1] = { url, isFetched: sha256 !== null };
    return slots;
  }

  /** Sets the present addresses of a take's outputs, in order. Outputs that were fetched belong to an earlier list. */
  place(jobId: string, urls: readonly string[]): void {
    // What is here keeps the address it came from; see `SameContent`.
    for (const [index, url] of urls.entries())
      this.hints.run`INSERT INTO outputs (job_id, number, url) VALUES (${jobId}, ${index + 1}, ${url})
        ON CONFLICT (job_id, number) DO UPDATE SET url = iif(sha256 IS NULL, excluded.url, url),
          is_earlier = sha256 IS NOT NULL`;
  }

  /** The output fetched from an earlier list that has this content, or null. */
  sameContent(jobId: string, number: number, sha256: string): SameContent | null {
    return this.facts.one<SameContent>`SELECT number, url FROM outputs
      WHERE job_id = ${jobId} AND number <> ${number} AND sha256 = ${sha256} AND is_earlier = 1`;
  }

  /** The content of an output was found at this address too. */
  saveSource(jobId: string, number: number, url: string): void {
    this.facts.run`UPDATE outputs SET url = ${url} WHERE job_id = ${jobId} AND number = ${number}`;
  }

  isPublished(jobId: string, number: number): boolean {
    return typeof this.#row(jobId, number)?.file === 'string';
  }

  /** `file` is relative to the project folder, with forward slashes. `synced`: its source is about to be removed. */
  savePublished(jobId: string, number: number, file: string, { synced = false } = {}): void {
    const connection = synced ? this.facts : this.hints;
    connection.run`UPDATE outputs SET file = ${file} WHERE job_id = ${jobId} AND number = ${number}`;
  }

  /** Forgets every output of a take, so that all of them are fetched again. */
  forgetAll(jobId: string): void {
    this.facts.run`DELETE FROM outputs WHERE job_id = ${jobId}`;
  }

  /** The published files of a take, in order. */
  outputs(jobId: string): Output[] {
    type Row = Omit<Output, 'home'> & { readonly home: string | null };
    const rows = this.facts.all<Row>`SELECT number, file, home, bytes, sha256, format, verified FROM outputs
      WHERE job_id = +${jobId} AND file IS NOT NULL AND bytes IS NOT NULL AND sha256 IS NOT NULL AND format IS NOT NULL
      ORDER BY number`;
    return rows.map((row) => withoutNulls(row));
  }
}
