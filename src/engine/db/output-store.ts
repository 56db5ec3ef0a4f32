import type { OutputFormat } from '../../contract/formats.ts';
import type { MediaFacts } from '../../contract/media-facts.ts';
import type { Output } from '../../contract/take.ts';
import type { Slot } from '../machine/result-slots.ts';
import { sql, Store, withoutNulls, type Sql } from './connection.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { TrashPhase, TrashSize } from '../../contract/trash.ts';
import { standingFor, type JobStateName } from '../../contract/job.ts';
import type { ProjectFacts, RoomStanding } from '../../contract/project-facts.ts';

/** What of a part is certainly on the disk, fsynced up to `offset`, and the full length by the server. */
export interface ResumePoint {
  readonly offset: number;
  readonly etag?: string;
  readonly lastModified?: string;
  readonly length?: number;
}

export interface FetchedPart {
  readonly bytes: number;
  readonly sha256: string;
  readonly contentType: string | null;
  readonly format: OutputFormat | null;
  /** False for a format that cannot be checked. */
  readonly verified: boolean;
  /** Null where they were not read. */
  readonly facts: MediaFacts | null;
}

export interface SameContent {
  readonly number: number;
  readonly url: string | null;
}

export interface FileWithoutFacts extends Pick<Output, 'number' | 'file' | 'format'> {
  readonly jobId: string;
  readonly batchId: string;
}

/** More than any take has, since the next ones are asked for behind its take. */
const FILES_AT_ONCE = 10_000;

const NOTHING_FETCHED = sql`bytes = NULL, sha256 = NULL, content_type = NULL, format = NULL, verified = 1,
  facts = NULL, is_earlier = 0`;

/**
 * The state of the files of a take. Mere progress is written without a separate sync: after a power cut the disk or the
 * recipe shows it again, or a file is fetched once more, which is free. The commit that makes the take saved makes all
 * of it durable.
 */
export class OutputStore extends Store {
  /** The durable part of one output, or null when none of it is certainly on disk. */
  part(jobId: string, number: number): ResumePoint | null {
    const row = this.facts.one<object>`SELECT part_offset AS "offset", part_etag AS etag, part_modified AS lastModified,
        part_length AS length
      FROM outputs WHERE job_id = ${jobId} AND number = ${number} AND part_offset > 0`;
    return row && withoutNulls<ResumePoint>(row);
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

  fetched(jobId: string, number: number): FetchedPart | null {
    return this.facts.one<FetchedPart>`SELECT bytes, sha256, content_type, format, verified, facts FROM outputs
      WHERE job_id = ${jobId} AND number = ${number} AND bytes IS NOT NULL AND sha256 IS NOT NULL`;
  }

  /** Call only after the whole part file was synced. */
  saveFetched(
    jobId: string,
    number: number,
    { bytes, sha256, contentType, format, verified, facts }: FetchedPart,
  ): void {
    this.hints.run`INSERT INTO outputs (job_id, number, bytes, sha256, content_type, format, verified, facts)
      VALUES (${jobId}, ${number}, ${bytes}, ${sha256}, ${contentType}, ${format}, ${verified}, ${facts})
      ON CONFLICT (job_id, number) DO UPDATE SET bytes = excluded.bytes, sha256 = excluded.sha256,
        content_type = excluded.content_type, format = excluded.format, verified = excluded.verified,
        facts = excluded.facts`;
  }

  /** A file of the take that the project folder already has. Call in the commit that adopts the take. */
  saveFound(jobId: string, { number, file, home, bytes, sha256, format, verified, facts }: Output): void {
    this.facts.run`INSERT INTO outputs (job_id, number, bytes, sha256, format, verified, facts, file, home)
      VALUES (${jobId}, ${number}, ${bytes}, ${sha256}, ${format}, ${verified}, ${facts}, ${file}, ${home})
      ON CONFLICT (job_id, number) DO UPDATE SET
        facts = IFNULL(excluded.facts, iif(sha256 = excluded.sha256, facts, NULL)), bytes = excluded.bytes, sha256 = excluded.sha256, content_type = NULL,
        format = excluded.format, verified = excluded.verified, file = excluded.file, home = excluded.home`;
  }

  /** The known outputs of a take, by number from 1; an unknown one between them is a gap. */
  slots(jobId: string): Slot[] {
    const rows = this.facts.all<Slot & { readonly number: number }>`SELECT number, url, sha256 IS NOT NULL AS isFetched
      FROM outputs WHERE job_id = +${jobId} ORDER BY number`;
    const slots = Array.from({ length: rows.at(-1)?.number ?? 0 }, (): Slot => ({ url: null, isFetched: false }));
    for (const { number, ...slot } of rows) slots[number - 1] = slot;
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

  saveSource(jobId: string, number: number, url: string): void {
    this.facts.run`UPDATE outputs SET url = ${url} WHERE job_id = ${jobId} AND number = ${number}`;
  }

  isPublished(jobId: string, number: number): boolean {
    return this.facts.has`SELECT 1 FROM outputs
      WHERE job_id = ${jobId} AND number = ${number} AND file IS NOT NULL`;
  }

  /** `file` is relative to the project folder, with forward slashes. `synced`: its source is about to be removed. */
  savePublished(jobId: string, number: number, file: string, { synced = false } = {}): void {
    const connection = synced ? this.facts : this.hints;
    connection.run`UPDATE outputs SET file = ${file} WHERE job_id = ${jobId} AND number = ${number}`;
  }

  /** Not synced: they can be read again. */
  saveFacts(jobId: string, number: number, facts: MediaFacts): void {
    this.hints.run`UPDATE outputs SET facts = ${facts} WHERE job_id = ${jobId} AND number = ${number}`;
  }

  /** Files of saved takes of a project whose facts were not read, in the order of their takes behind `afterId`. */
  withoutFacts(projectId: string, after: { readonly jobId: string; readonly number: number }): FileWithoutFacts[] {
    return this.facts.all<FileWithoutFacts>`SELECT job_id, batch_id, number, file, format
      FROM outputs INDEXED BY outputs_without_facts CROSS JOIN jobs ON jobs.id = outputs.job_id
      WHERE outputs.file IS NOT NULL AND outputs.facts IS NULL
        AND (outputs.job_id, outputs.number) > (${after.jobId}, ${after.number})
        AND jobs.project_id = ${projectId} AND jobs.state = 'saved' AND jobs.trash IS NOT 'emptied'
      ORDER BY job_id, number LIMIT ${FILES_AT_ONCE}`;
  }

  forgetAll(jobId: string): void {
    this.facts.run`DELETE FROM outputs WHERE job_id = ${jobId}`;
  }

  /** The takes of any project by size (bytes) and sha256 of their files, for files of these sizes. */
  ofSizes(sizes: readonly number[]): ReadonlyMap<number, ReadonlyMap<string, string>> {
    const rows = this.facts.all<
      Pick<Output, 'bytes' | 'sha256'> & { readonly jobId: string }
    >`SELECT job_id, bytes, sha256 FROM outputs
      WHERE bytes IN (SELECT value FROM json_each(${sizes})) AND file IS NOT NULL AND sha256 IS NOT NULL`;
    const bySize = Map.groupBy(rows, ({ bytes }) => bytes);
    return new Map(
      [...bySize].map(([bytes, files]) => [bytes, new Map(files.map(({ sha256, jobId }) => [sha256, jobId]))]),
    );
  }

  outputs(jobId: string): Output[] {
    return this.outputsOf([jobId]).get(jobId) ?? [];
  }

  outputsOf(jobIds: readonly string[]): Map<string, Output[]> {
    const rows = this.facts.all<
      Output & { readonly jobId: string }
    >`SELECT job_id, number, file, home, bytes, sha256, format, verified, facts
      FROM json_each(${jobIds}) CROSS JOIN outputs ON job_id = value
      WHERE file IS NOT NULL ORDER BY json_each.id, number`;
    const found = Map.groupBy(rows, ({ jobId }) => jobId);
    return new Map(
      [...found].map(([id, outputs]) => [id, outputs.map(({ jobId: _, ...row }) => withoutNulls<Output>(row))]),
    );
  }
}

/** Where one file of a take is, or is going. Both are relative to the project folder. */
export interface FilePlace {
  readonly number: number;
  readonly file: string;
  /** Its place outside the trash while it is there; null for one in its place. */
  readonly home: string | null;
}

/** States of jobs whose request the service does not have yet, or that may have to be sent again. */
const STILL_SENDS = sql`('needs_assets', 'ready', 'submitting', 'submit_unknown')`;

/** Which takes are in the trash, or on their way. Writes belong in a caller's commit, before the first file moves. */
export class TrashStore extends Store {
  /** The files of a take are moving, or have moved, to where `phase` says. */
  set(jobId: string, phase: TrashPhase | null, places: readonly FilePlace[] = []): void {
    for (const { number, file, home } of places)
      this.facts.run`UPDATE outputs SET file = ${file}, home = ${home} WHERE job_id = ${jobId} AND number = ${number}`;
    this.facts.run`UPDATE jobs SET trash = ${phase} WHERE id = ${jobId}`;
  }

  inPhases(projectId: string, phases: readonly TrashPhase[]): string[] {
    return this.facts.values<string>`SELECT id FROM jobs WHERE project_id = ${projectId} AND trash IS NOT NULL
         AND trash IN (SELECT value FROM json_each(${phases})) ORDER BY seq`;
  }

  unfinished(): string[] {
    return this.facts.values<string>`SELECT DISTINCT project_id FROM jobs
      WHERE trash IS NOT NULL AND trash IN ('trashing', 'restoring', 'emptying')`;
  }

  size(projectId: string): TrashSize {
    const size = this.facts.one<TrashSize>`SELECT COUNT(DISTINCT jobs.id) AS takes, COUNT(*) AS files,
        COALESCE(SUM(outputs.bytes), 0) AS bytes
      FROM jobs JOIN outputs ON outputs.job_id = jobs.id
      WHERE jobs.project_id = ${projectId} AND jobs.trash IN ('trashing', 'trashed', 'emptying')
        AND outputs.home IS NOT NULL`;
    return size ?? { takes: 0, files: 0, bytes: 0 };
  }

  /** A take that was prepared with a file of this one and may still send it; null when there is none. */
  needing(jobId: string): { shot: string; take: number } | null {
    return this.facts.one`SELECT jobs.shot_key AS shot, jobs.take
      FROM take_sources JOIN jobs ON jobs.id = take_sources.job_id
      WHERE take_sources.source_id = ${jobId} AND take_sources.output IS NOT NULL AND take_sources.text IS NULL
        AND jobs.state IN ${STILL_SENDS} LIMIT 1`;
  }

  /** `path` is absolute. */
  isBeingUploaded(path: string): boolean {
    return this.facts.has`SELECT 1 FROM uploads WHERE source = ${path} AND state = 'intended' LIMIT 1`;
  }

  isUploaded(jobId: string): boolean {
    return this.facts.has`SELECT 1 FROM outputs JOIN uploads ON uploads.content = outputs.sha256
       WHERE outputs.job_id = ${jobId} AND uploads.state = 'arrived' LIMIT 1`;
  }

  waitingShots(projectId: string): { readonly batchId: string; readonly spec: ShotSpec }[] {
    return this.facts.all`SELECT jobs.batch_id, shots.spec FROM jobs JOIN shots ON shots.id = jobs.shot_id
      WHERE jobs.project_id = ${projectId} AND jobs.state IN ('needs_assets', 'ready') AND shots.spec LIKE '%shot://%'
      GROUP BY shots.id`;
  }

  /** A file of the take also belongs to another take of the project: both had the same content and name. */
  isShared(jobId: string, projectId: string): boolean {
    // Names that differ only in case are one file on two of the three systems.
    return this.facts.has`SELECT 1 FROM outputs AS own JOIN outputs AS other
        ON lower(other.file) = lower(own.file) AND other.file IS NOT NULL AND other.job_id <> own.job_id
      JOIN jobs ON jobs.id = other.job_id
      WHERE own.job_id = ${jobId} AND own.file IS NOT NULL AND jobs.project_id = ${projectId} AND jobs.state = 'saved'
      LIMIT 1`;
  }
}

export interface KnownFile {
  readonly file: string;
  readonly batch: string;
  /** The standing of its take; `trash` for a file in the trash. */
  readonly standing: RoomStanding;
}

export interface SavedFile {
  readonly file: string;
  readonly number: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly takeId: string;
  readonly batchId: string;
  readonly shot: string;
  readonly take: number;
  readonly isEmptied: boolean;
  /** A person has rejected its take, and may have removed it. */
  readonly mayBeGone: boolean;
}

const PART = 2000;

export class ProjectFilesStore extends Store {
  *files(projectId: string): Generator<KnownFile[]> {
    const columns = sql`outputs.file, outputs.home, batches.name AS batch, jobs.state`;
    type Row = Pick<KnownFile, 'file' | 'batch'> & { readonly state: JobStateName; readonly home: string | null };
    for (const rows of this.#parts<Row>(columns, projectId)) {
      yield rows.map(({ file, batch, state, home }) => ({
        file,
        batch,
        standing: home === null ? standingFor(state, null) : 'trash',
      }));
    }
  }

  /** Every file of takes that are saved, or were until a file was gone, in parts. */
  *saved(projectId: string): Generator<SavedFile[]> {
    const columns = sql`outputs.file, outputs.number, outputs.sha256, outputs.bytes, jobs.id AS takeId,
      jobs.batch_id AS batchId, jobs.shot_key AS shot, jobs.take, jobs.trash IS 'emptied' AS isEmptied,
      jobs.trash IS NULL AND jobs.flag IS 'reject' AS mayBeGone`;
    const which = sql`jobs.state IN ('saved', 'result_lost') AND outputs.sha256 IS NOT NULL`;
    yield* this.#parts<SavedFile>(columns, projectId, which);
  }

  /** Where a file of a take is now; null where it was removed for good. */
  placeOf({ takeId, number }: Pick<SavedFile, 'takeId' | 'number'>): string | null {
    return this.facts.value<string>`SELECT outputs.file FROM outputs JOIN jobs ON jobs.id = outputs.job_id
       WHERE outputs.job_id = ${takeId} AND outputs.number = ${number} AND jobs.trash IS NOT 'emptied'`;
  }

  *#parts<Found>(columns: Sql, projectId: string, which = sql`TRUE`): Generator<Found[]> {
    const last = this.facts.count`SELECT MAX(seq) FROM jobs`;
    for (let from = 0; from < last; from += PART)
      yield this.facts.all<Found>`SELECT ${columns} FROM jobs NOT INDEXED
        CROSS JOIN outputs ON outputs.job_id = jobs.id JOIN batches ON batches.id = jobs.batch_id
        WHERE jobs.seq > ${from} AND jobs.seq <= ${from + PART} AND jobs.project_id = ${projectId}
          AND outputs.file IS NOT NULL AND ${which}`;
  }

  /** When the first take of a project was queued, and when one last changed, ms; null without takes. */
  dates(projectId: string): ProjectFacts['dates'] {
    const dates = this.facts.one<
      ProjectFacts['dates']
    >`SELECT MIN(created_at) AS first, MAX(updated_at) AS last FROM jobs
      WHERE project_id = ${projectId}`;
    return dates ?? { first: null, last: null };
  }
}
