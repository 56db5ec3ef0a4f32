import { toAttempt, toDueAt, toTask } from '../../../src/engine/machine/job-facts.ts';
import Database from 'better-sqlite3';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { JobState } from '../../../src/contract/job.ts';
import { databaseFile } from '../../../src/engine/db/open.ts';

export interface JobRow {
  readonly id: string;
  readonly shot_key: string;
  readonly state: string;
  readonly facts: string;
  readonly due_at: number;
  readonly attempt_id: string | null;
  readonly task_id: string | null;
}

export interface Rows {
  readonly jobs: readonly JobRow[];
  readonly attempts: readonly { readonly id: string; readonly job_id: string; readonly outcome: string | null }[];
  readonly outputs: readonly {
    readonly job_id: string;
    readonly bytes: number | null;
    readonly sha256: string | null;
    readonly file: string | null;
  }[];
  /** Requests that count against caps: all but those that were certainly not accepted. */
  readonly counted: { readonly takes: number; readonly micros: number; readonly unclear: number };
  readonly caps: readonly { readonly micros: number | null; readonly takes: number | null }[];
  /** False once a whole list has been stored. */
  readonly isImporting: boolean;
  /** What SQLite itself finds wrong with the file, its CHECKs included. */
  readonly damage: readonly string[];
}

/**
 * The database as it lies on disk, read from a copy: looking at the original would put its journal away. Null when there
 * is none, or none with tables, yet.
 */
export function readRows(dataFolder: string): Rows | null {
  const file = databaseFile(dataFolder);
  if (!existsSync(file)) return null;
  const folder = mkdtempSync(`${dataFolder}-copy-`);
  try {
    const copy = databaseFile(folder);
    for (const ending of ['', '-wal']) if (existsSync(file + ending)) copyFileSync(file + ending, copy + ending);
    const db = new Database(copy);
    try {
      return rowsOf(db);
    } finally {
      db.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function rowsOf(db: Database.Database): Rows | null {
  const damage = [
    ...(db.pragma('integrity_check') as { integrity_check: string }[]).map((row) => row.integrity_check),
    ...(db.pragma('foreign_key_check') as object[]).map((row) => JSON.stringify(row)),
  ].filter((line) => line !== 'ok');
  // A kill between two migrations leaves a database with no rows yet, and without the newest tables.
  const counts = db.prepare(`SELECT COUNT(*) FROM sqlite_schema WHERE name IN ('ledger', 'caps')`).pluck().get();
  if (counts !== 2) return damage.length > 0 ? { ...none, damage } : null;
  return {
    jobs: db.prepare('SELECT id, shot_key, state, facts, due_at, attempt_id, task_id FROM jobs').all() as JobRow[],
    attempts: db.prepare('SELECT id, job_id, outcome FROM attempts ORDER BY job_id, number').all() as Rows['attempts'],
    outputs: db.prepare('SELECT * FROM outputs ORDER BY job_id, number').all() as Rows['outputs'],
    counted: db
      .prepare(
        `SELECT COUNT(*) AS takes, IFNULL(SUM(micros), 0) AS micros, COUNT(*) FILTER (WHERE state = 'unclear') AS unclear
         FROM ledger WHERE state <> 'released' AND tool IS NULL`,
      )
      .get() as Rows['counted'],
    caps: db.prepare('SELECT micros, takes FROM caps').all() as Rows['caps'],
    isImporting: db.prepare('SELECT MIN(importing = 0) FROM batches').pluck().get() !== 1,
    damage,
  };
}

const none: Rows = {
  ...{ jobs: [], attempts: [], outputs: [], isImporting: true, damage: [] },
  ...{ counted: { takes: 0, micros: 0, unclear: 0 }, caps: [] },
};

/** Rows that no story of a job can have led to. */
export function rowProblems({ jobs, attempts, outputs, damage }: Rows): string[] {
  return [
    ...damage.map((line) => `the database is damaged: ${line}`),
    ...jobs.flatMap((job) => stateProblem(job) ?? []),
    ...attempts
      .filter(({ id, outcome }) => outcome === null && !jobs.some((job) => isUnderWay(job) && job.attempt_id === id))
      .map(({ id }) => `attempt ${id} has no end, and no job waits for it`),
    ...jobs
      .filter((job) => job.state === 'saved' && !isAllPublished(outputs.filter((output) => output.job_id === job.id)))
      .map((job) => `shot ${job.shot_key} is saved without all its files`),
  ];
}

function stateProblem(job: JobRow): string | null {
  const read = JobState.safeParse(JSON.parse(job.facts));
  if (!read.success) return `shot ${job.shot_key} is in no legal state: ${job.facts}`;
  const state = read.data;
  const agrees =
    state.state === job.state &&
    (toAttempt(state)?.id ?? null) === job.attempt_id &&
    (toTask(state)?.id ?? null) === job.task_id &&
    Math.ceil(toDueAt(state)) === job.due_at;
  return agrees ? null : `shot ${job.shot_key} says two things at once: ${JSON.stringify(job)}`;
}

const isUnderWay = (job: JobRow): boolean => job.state === 'submitting';

const isAllPublished = (outputs: Rows['outputs']): boolean =>
  outputs.length > 0 && outputs.every((output) => output.file !== null);
