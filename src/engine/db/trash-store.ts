import { sql, Store } from './connection.ts';
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
const STILL_SENDS = sql`('needs_assets', 'ready', 'submitting', 'submit_unknown')`;

/**
 * Which takes are in the trash of their project, or on their way. Every write belongs in the commit of a caller: a move
 * is stored before the first file moves.
 */
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

  /** Ids of the projects with takes on their way. */
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
  needing(jobId: string): Needing | null {
    return this.facts.one<Needing>`SELECT jobs.shot_key AS shot, jobs.take
      FROM take_sources JOIN jobs ON jobs.id = take_sources.job_id
      WHERE take_sources.source_id = ${jobId} AND take_sources.output IS NOT NULL AND take_sources.text IS NULL
        AND jobs.state IN ${STILL_SENDS} LIMIT 1`;
  }

  /** A file is on its way to the library. `path` is absolute. */
  isBeingUploaded(path: string): boolean {
    return this.facts.has`SELECT 1 FROM uploads WHERE source = ${path} AND state = 'intended' LIMIT 1`;
  }

  isUploaded(jobId: string): boolean {
    return this.facts.has`SELECT 1 FROM outputs JOIN uploads ON uploads.content = outputs.sha256
       WHERE outputs.job_id = ${jobId} AND uploads.state = 'arrived' LIMIT 1`;
  }

  /** Shots of a batch that name other shots and have an unsent take. */
  waitingShots(batchId: string): ShotSpec[] {
    const specs = this.facts.values<string>`SELECT shots.spec FROM jobs JOIN shots ON shots.id = jobs.shot_id
      WHERE jobs.batch_id = ${batchId} AND jobs.state IN ('needs_assets', 'ready') AND shots.spec LIKE '%shot://%'
      GROUP BY shots.id`;
    return specs.map((spec) => JSON.parse(spec) as ShotSpec);
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
