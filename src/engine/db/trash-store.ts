import type Database from 'better-sqlite3';
import type { ShotSpec } from '../../contract/shot.ts';
import type { TrashPhase, TrashSize } from '../../contract/trash.ts';

/** Where one file of a take is, or is going. Both are relative to the project folder. */
export interface FilePlace {
  readonly number: number;
  readonly file: string;
  /** Its place outside the trash while it is there; null for one in its place. */
  readonly home: string | null;
}

export interface Needing {
  readonly shot: string;
  readonly take: number;
}

/** States of jobs whose request the service does not have yet, or that may have to be sent again. */
const STILL_SENDS = `('needs_assets', 'ready', 'submitting', 'submit_unknown')`;

/**
 * Which takes are in the trash of their project, or on their way. Every write belongs in the commit of a caller: a move
 * is stored before the first file moves.
 */
export class TrashStore {
  readonly #phase: Database.Statement;
  readonly #place: Database.Statement;
  readonly #inPhases: Database.Statement;
  readonly #unfinished: Database.Statement;
  readonly #size: Database.Statement;
  readonly #needing: Database.Statement;
  readonly #isRead: Database.Statement;
  readonly #isUploaded: Database.Statement;
  readonly #specs: Database.Statement;
  readonly #isShared: Database.Statement;

  constructor(db: Database.Database) {
    this.#phase = db.prepare('UPDATE jobs SET trash = @phase WHERE id = @jobId');
    this.#place = db.prepare(
      'UPDATE outputs SET file = @file, home = @home WHERE job_id = @jobId AND number = @number',
    );
    this.#inPhases = db
      .prepare(
        `SELECT id FROM jobs WHERE project_id = ? AND trash IS NOT NULL
         AND trash IN (SELECT value FROM json_each(?)) ORDER BY seq`,
      )
      .pluck();
    this.#unfinished = db
      .prepare(
        `SELECT DISTINCT project_id FROM jobs WHERE trash IS NOT NULL AND trash IN ('trashing', 'restoring', 'emptying')`,
      )
      .pluck();
    this.#size = db.prepare(
      `SELECT COUNT(DISTINCT jobs.id) AS takes, COUNT(*) AS files, COALESCE(SUM(outputs.bytes), 0) AS bytes
       FROM jobs JOIN outputs ON outputs.job_id = jobs.id
       WHERE jobs.project_id = ? AND jobs.trash IN ('trashing', 'trashed', 'emptying') AND outputs.home IS NOT NULL`,
    );
    this.#needing = db.prepare(
      `SELECT jobs.shot_key AS shot, jobs.take FROM take_sources JOIN jobs ON jobs.id = take_sources.job_id
       WHERE take_sources.source_id = ? AND take_sources.output IS NOT NULL AND take_sources.text IS NULL
         AND jobs.state IN ${STILL_SENDS} LIMIT 1`,
    );
    this.#isRead = db.prepare(`SELECT 1 FROM uploads WHERE source = ? AND state = 'intended' LIMIT 1`);
    this.#isUploaded = db.prepare(
      `SELECT 1 FROM outputs JOIN uploads ON uploads.content = outputs.sha256
       WHERE outputs.job_id = ? AND uploads.state = 'arrived' LIMIT 1`,
    );
    this.#specs = db
      .prepare(
        `SELECT shots.spec FROM jobs JOIN shots ON shots.id = jobs.shot_id
         WHERE jobs.batch_id = ? AND jobs.state IN ('needs_assets', 'ready') AND shots.spec LIKE '%shot://%'
         GROUP BY shots.id`,
      )
      .pluck();
    // Names that differ only in case are one file on two of the three systems.
    this.#isShared = db.prepare(
      `SELECT 1 FROM outputs AS own
       JOIN outputs AS other ON lower(other.file) = lower(own.file) AND other.file IS NOT NULL AND other.job_id <> own.job_id
       JOIN jobs ON jobs.id = other.job_id
       WHERE own.job_id = @jobId AND own.file IS NOT NULL AND jobs.project_id = @projectId AND jobs.state = 'saved' LIMIT 1`,
    );
  }

  /** The files of a take are moving, or have moved, to where `phase` says. */
  set(jobId: string, phase: TrashPhase | null, places: readonly FilePlace[] = []): void {
    for (const place of places) this.#place.run({ jobId, ...place });
    this.#phase.run({ jobId, phase });
  }

  inPhases(projectId: string, phases: readonly TrashPhase[]): string[] {
    return this.#inPhases.all(projectId, JSON.stringify(phases)) as string[];
  }

  /** Ids of the projects with takes on their way. */
  unfinished(): string[] {
    return this.#unfinished.all() as string[];
  }

  size(projectId: string): TrashSize {
    return this.#size.get(projectId) as TrashSize;
  }

  /** A take that was prepared with a file of this one and may still send it; null when there is none. */
  needing(jobId: string): Needing | null {
    return (this.#needing.get(jobId) as Needing | undefined) ?? null;
  }

  /** A file is on its way to the library. `path` is absolute. */
  isBeingUploaded(path: string): boolean {
    return this.#isRead.get(path) !== undefined;
  }

  isUploaded(jobId: string): boolean {
    return this.#isUploaded.get(jobId) !== undefined;
  }

  /** Shots of a batch that name other shots and have an unsent take. */
  waitingShots(batchId: string): ShotSpec[] {
    return (this.#specs.all(batchId) as string[]).map((spec) => JSON.parse(spec) as ShotSpec);
  }

  /** A file of the take also belongs to another take of the project: both had the same content and name. */
  isShared(jobId: string, projectId: string): boolean {
    return this.#isShared.get({ jobId, projectId }) !== undefined;
  }
}
