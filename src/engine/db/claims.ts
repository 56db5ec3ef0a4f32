import type Database from 'better-sqlite3';

export type Step = 'prepare' | 'submit' | 'poll' | 'download';

/** Of which service's projects jobs are claimed; null for the one of the settings. */
export type ServiceName = string | null;

/** The claims of each step: of all projects on the service of the settings, of one of them, and of those on another. */
export type Claims = Record<Step, Readonly<Record<'main' | 'ofProject' | 'other', Database.Statement>>>;

const IN_SCOPE = `batch_id NOT IN (SELECT id FROM batches WHERE importing = 1)
           AND (@batchId IS NULL OR batch_id = @batchId)`;
const OF_PROJECT = 'project_id = @projectId';

/** Projects whose disk is full, or that are not ours just now; a list of ids as JSON. */
const NOT_RESTING = `project_id NOT IN (SELECT value FROM json_each(@resting))`;

/** Models of which the service runs as many tasks as it does at once; a list as JSON. */
const NOT_HELD = `model NOT IN (SELECT value FROM json_each(@models))`;

/** Accounts of which no task is asked about now; a list of names as JSON. Most often it is empty. */
const NOT_OF_ACCOUNT = `(@accounts = '[]' OR (facts ->> '$.attempt.keyFingerprint') || ' ' || (facts ->> '$.attempt.origin')
  NOT IN (SELECT value FROM json_each(@accounts)))`;

const CLAIMED: Record<Step, { readonly due: string; readonly first: string }> = {
  prepare: {
    due: `state = 'needs_assets' AND due_at <= @now AND ${IN_SCOPE} AND ${NOT_RESTING}`,
    first: 'priority DESC, due_at, seq',
  },
  submit: {
    due: `state = 'ready' AND due_at <= @now AND ${IN_SCOPE} AND ${NOT_RESTING} AND ${NOT_HELD}`,
    first: 'priority DESC, seq',
  },
  poll: { due: `step = 'poll' AND due_at <= @now AND ${NOT_RESTING} AND ${NOT_OF_ACCOUNT}`, first: 'due_at' },
  download: { due: `step = 'download' AND due_at <= @now AND ${NOT_RESTING}`, first: 'due_at' },
};

const ON_OTHER_SERVICES = `project_id IN (SELECT id FROM projects WHERE service IS NOT NULL)`;
/** By batch, since the jobs of such a project are few among many. */
const ON_SERVICE = `batch_id IN (SELECT batches.id FROM batches JOIN projects ON projects.id = batches.project_id
  WHERE projects.service = @service)`;

/** The plus keeps SQLite from walking through the jobs of every other project in the order asked for. */
const sortedByHand = (columns: string): string => columns.replace(/\b(priority|seq|due_at)\b/g, '+$1');

/** `columns` are those of the jobs that are claimed. */
export function prepareClaims(db: Database.Database, columns: string): Claims {
  const claim = (step: Step) => {
    const { due, first } = CLAIMED[step];
    const jobs = `SELECT ${columns} FROM jobs WHERE paused IS NULL AND ${due}`;
    return {
      main: db.prepare(`${jobs} AND NOT ${ON_OTHER_SERVICES} ORDER BY ${first} LIMIT @limit`),
      ofProject: db.prepare(`${jobs} AND NOT ${ON_OTHER_SERVICES} AND ${OF_PROJECT} ORDER BY ${first} LIMIT @limit`),
      other: db.prepare(
        `${jobs} AND ${ON_SERVICE} AND (@projectId IS NULL OR ${OF_PROJECT}) ORDER BY ${sortedByHand(first)} LIMIT @limit`,
      ),
    };
  };
  return { prepare: claim('prepare'), submit: claim('submit'), poll: claim('poll'), download: claim('download') };
}
