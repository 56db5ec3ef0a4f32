import type Database from 'better-sqlite3';

export interface Migration {
  readonly version: number;
  up(db: Database.Database): void;
}

/** The outcome of a request for a take. A task that a person named was charged, however its request ended. */
const ATTEMPT_STATE = `CASE
  WHEN NEW.outcome IS NULL THEN 'reserved'
  WHEN NEW.outcome IN ('not_accepted', 'refused') THEN 'released'
  WHEN NEW.outcome = 'unclear' AND NEW.task_id IS NOT NULL THEN 'settled'
  WHEN NEW.failure IS NULL AND (NEW.task_id IS NOT NULL OR NEW.outcome = 'answered') THEN 'settled'
  ELSE 'unclear' END`;

const CALL_STATE = `CASE NEW.state
  WHEN 'sent' THEN 'reserved'
  WHEN 'not_charged' THEN 'released'
  WHEN 'unclear' THEN 'unclear'
  WHEN 'dismissed' THEN 'unclear'
  ELSE 'settled' END`;

const viewable = (row: 'jobs' | 'NEW'): string =>
  `(${row}.trash IS NULL AND (${row}.state = 'saved' OR ${row}.facts ->> '$.failure.code' IS NOT 'files_gone'
    AND EXISTS (SELECT 1 FROM outputs WHERE outputs.job_id = ${row}.id AND outputs.file IS NOT NULL)))`;

/** A take that waits for another one looks again when that has ended. */
const WAKE_THOSE_WAITING = `NEW.state IN
  ('saved', 'rejected', 'remote_failed', 'remote_cancelled', 'result_lost', 'cancelled') BEGIN
    UPDATE jobs SET due_at = 0
      WHERE batch_id = NEW.batch_id AND state = 'needs_assets' AND facts ->> '$.waitsFor' = NEW.shot_key;
  END;`;

/** The batch of the shot that a take waits for. */
const WAITS_IN = `COALESCE(facts ->> '$.waitsIn', batch_id)`;

const schema: Migration = {
  version: 3810,
  up(db) {
    db.exec(`
      CREATE TABLE projects (
        id TEXT PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        opened_at INTEGER NOT NULL,
        hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
        service TEXT,
        -- In the archive since then, ms: read only, and on no list but the archive's.
        archived_at INTEGER,
        batch_order TEXT NOT NULL DEFAULT 'date' CHECK (batch_order IN ('date', 'name', 'hand')),
        -- When this data folder last wrote or read the arrangement in the project's folder, ms; 0 for never.
        arranged_at INTEGER NOT NULL DEFAULT 0
      ) STRICT;

      -- Where projects were before they were renamed or moved: lists that are being edited still say so.
      CREATE TABLE project_paths (
        path TEXT PRIMARY KEY,
        project_id TEXT NOT NULL REFERENCES projects(id)
      ) STRICT, WITHOUT ROWID;

      -- Written before the folder is renamed, removed in the commit that ends it: a start after a kill completes it.
      CREATE TABLE project_renames (
        project_id TEXT PRIMARY KEY REFERENCES projects(id),
        from_path TEXT NOT NULL,
        to_path TEXT NOT NULL,
        from_name TEXT NOT NULL,
        to_name TEXT NOT NULL,
        actor TEXT NOT NULL,
        at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- What the shots of a project may send, as a person agreed.
      CREATE TABLE agreed_paths (
        project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
        -- A real path: a file, or a folder with what is below it.
        path TEXT NOT NULL,
        PRIMARY KEY (project_id, path)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE saved_views (
        id TEXT PRIMARY KEY,
        project_id TEXT NOT NULL REFERENCES projects(id),
        name TEXT NOT NULL,
        -- JSON: what it narrows, sorts and groups.
        filter TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX saved_views_of ON saved_views(project_id, name);

      CREATE TABLE batches (
        id TEXT PRIMARY KEY,
        project_id TEXT NOT NULL REFERENCES projects(id),
        name TEXT NOT NULL,
        folder TEXT NOT NULL,
        list_folder TEXT NOT NULL,
        source TEXT NOT NULL,
        name_template TEXT NOT NULL,
        -- 1 until every row of an import is in: a half-imported list is never sent.
        importing INTEGER NOT NULL DEFAULT 0 CHECK (importing IN (0, 1)),
        created_at INTEGER NOT NULL,
        adopting INTEGER NOT NULL DEFAULT 0 CHECK (adopting IN (0, 1)),
        take_order TEXT NOT NULL DEFAULT 'list' CHECK (take_order IN ('list', 'scout')),
        archived_at INTEGER,
        notes TEXT NOT NULL DEFAULT '',
        -- The batch's file in its project has an earlier name.
        unwritten INTEGER NOT NULL DEFAULT 0 CHECK (unwritten IN (0, 1)),
        place INTEGER,
        -- Of the last change that the batch's file has too, ms; 0 where that is not known.
        changed_at INTEGER NOT NULL DEFAULT 0,
        UNIQUE (project_id, name),
        UNIQUE (project_id, folder)
      ) STRICT;
      CREATE UNIQUE INDEX batches_in_order ON batches(project_id, created_at, id);
      CREATE INDEX batches_adopting ON batches(project_id) WHERE adopting = 1;

      CREATE TABLE shots (
        id TEXT PRIMARY KEY,
        batch_id TEXT NOT NULL REFERENCES batches(id),
        key TEXT NOT NULL,
        position INTEGER NOT NULL,
        content_hash TEXT NOT NULL,
        spec TEXT NOT NULL,
        current INTEGER NOT NULL CHECK (current IN (0, 1)),
        created_at INTEGER NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX shots_current ON shots(batch_id, key) WHERE current = 1;
      CREATE INDEX shots_by_key ON shots(batch_id, key);
      CREATE TRIGGER shot_moved AFTER UPDATE OF position ON shots BEGIN
        UPDATE jobs SET position = NEW.position WHERE shot_id = NEW.id;
      END;

      CREATE TABLE shot_columns (
        batch_id TEXT NOT NULL,
        -- As it is written in the list; columns are the same in either case.
        name TEXT NOT NULL COLLATE NOCASE,
        shot_id TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (batch_id, name, shot_id)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE jobs (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        project_id TEXT NOT NULL REFERENCES projects(id),
        batch_id TEXT NOT NULL REFERENCES batches(id),
        shot_id TEXT NOT NULL REFERENCES shots(id),
        shot_key TEXT NOT NULL,
        take INTEGER NOT NULL CHECK (take >= 1),
        kind TEXT NOT NULL,
        model TEXT NOT NULL,
        priority INTEGER NOT NULL,
        round INTEGER NOT NULL DEFAULT 0 CHECK (round >= 0),
        state TEXT NOT NULL CHECK (state IN (
          'needs_assets', 'ready', 'submitting', 'accepted', 'polling', 'downloading', 'saved',
          'submit_unknown', 'rejected', 'remote_failed', 'remote_cancelled', 'download_blocked', 'result_lost', 'cancelled')),
        paused TEXT CHECK (paused IN ('user', 'key_refused', 'other_key', 'deadline', 'internal_error')),
        due_at INTEGER NOT NULL,
        attempt_id TEXT,
        task_id TEXT,
        facts TEXT NOT NULL,
        -- Grows with each write; guards every transition together with the state.
        revision INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        -- Of the take's shot: here too, as rating, flag and tags are, for one index of order, count and page.
        position INTEGER NOT NULL DEFAULT 0,
        -- There is a file to look at.
        viewable INTEGER NOT NULL DEFAULT 0 CHECK (viewable IN (0, 1)),
        step TEXT GENERATED ALWAYS AS (CASE state
          WHEN 'needs_assets' THEN 'prepare'
          WHEN 'ready' THEN 'submit'
          WHEN 'accepted' THEN 'poll'
          WHEN 'polling' THEN 'poll'
          WHEN 'downloading' THEN 'download'
          WHEN 'submit_unknown' THEN iif(facts ->> '$.look' IS NULL, NULL, 'poll')
        END) VIRTUAL,
        rating INTEGER NOT NULL DEFAULT 0 CHECK (rating BETWEEN 0 AND 5),
        flag TEXT CHECK (flag IN ('pick', 'reject')),
        -- Among equal priorities, lower goes first: 1 in the order of the list, else the number of the take.
        turn INTEGER NOT NULL DEFAULT 1,
        -- Written before the first file moves, so that a start after a kill completes it.
        trash TEXT CHECK (trash IN ('trashing', 'trashed', 'restoring', 'emptying', 'emptied')),
        tags TEXT NOT NULL DEFAULT '[]',
        saved_at INTEGER,
        UNIQUE (batch_id, shot_key, take),
        CHECK (task_id IS NOT NULL OR state NOT IN ('accepted', 'polling', 'remote_failed', 'remote_cancelled')),
        CHECK (attempt_id IS NOT NULL OR state NOT IN ('submitting', 'accepted', 'polling', 'downloading',
          'submit_unknown', 'remote_failed', 'remote_cancelled', 'download_blocked', 'result_lost'))
      ) STRICT;
      CREATE INDEX jobs_by_task ON jobs(task_id) WHERE task_id IS NOT NULL;
      CREATE INDEX jobs_by_shot ON jobs(shot_id);
      CREATE INDEX jobs_saved ON jobs(updated_at) WHERE state = 'saved';
      CREATE INDEX jobs_by_round ON jobs(batch_id, round) WHERE round > 0;
      CREATE INDEX jobs_came_to_nothing ON jobs(batch_id) WHERE state IN
        ('rejected', 'remote_failed', 'remote_cancelled', 'download_blocked', 'result_lost', 'cancelled');
      CREATE INDEX jobs_paused ON jobs(paused) WHERE paused IS NOT NULL;
      CREATE INDEX jobs_newest ON jobs(project_id, updated_at) WHERE viewable = 1;
      CREATE INDEX jobs_waiting_for ON jobs(batch_id, facts ->> '$.waitsFor') WHERE state = 'needs_assets';
      CREATE INDEX jobs_due ON jobs(step, due_at) WHERE paused IS NULL AND step IS NOT NULL;
      CREATE INDEX jobs_by_rating ON jobs(batch_id, rating, position, shot_key, take, kind, model, flag)
        WHERE viewable = 1;
      CREATE INDEX jobs_to_prepare ON jobs(priority DESC, turn, due_at, seq)
        WHERE state = 'needs_assets' AND paused IS NULL;
      CREATE INDEX jobs_to_submit ON jobs(priority DESC, turn, seq) WHERE state = 'ready' AND paused IS NULL;
      CREATE INDEX jobs_to_submit_in ON jobs(project_id, priority DESC, turn, seq, batch_id)
        WHERE state = 'ready' AND paused IS NULL;
      CREATE INDEX jobs_in_trash ON jobs(project_id, trash) WHERE trash IS NOT NULL;
      CREATE INDEX jobs_tagged ON jobs(project_id, tags) WHERE tags <> '[]';
      CREATE INDEX jobs_in_order
        ON jobs(batch_id, position, shot_key, take, viewable, kind, model, rating, flag, tags, shot_id);
      CREATE TRIGGER take_ended AFTER UPDATE OF state ON jobs WHEN ${WAKE_THOSE_WAITING}
      CREATE TRIGGER ended_take_adopted AFTER INSERT ON jobs WHEN ${WAKE_THOSE_WAITING}
      CREATE TRIGGER files_lost_or_back AFTER UPDATE OF state ON jobs
      WHEN NEW.state = 'saved' OR 'result_lost' IN (OLD.state, NEW.state) BEGIN
        UPDATE jobs SET viewable = ${viewable('NEW')} WHERE seq = NEW.seq AND viewable <> ${viewable('NEW')};
      END;
      CREATE TRIGGER trashed_or_back AFTER UPDATE OF trash ON jobs BEGIN
        UPDATE jobs SET viewable = ${viewable('NEW')} WHERE seq = NEW.seq AND viewable <> ${viewable('NEW')};
      END;

      CREATE TABLE take_sources (
        job_id TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
        -- The cell that the source takes the place of; both empty where the take as a whole came from it.
        parameter TEXT NOT NULL,
        cell TEXT NOT NULL,
        how TEXT NOT NULL,
        -- A take that need not be known here: what came from it may have been adopted without it.
        source_id TEXT NOT NULL,
        output INTEGER,
        sha256 TEXT,
        -- Of a text: what was put into the cell.
        text TEXT,
        PRIMARY KEY (job_id, parameter, cell)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX take_sources_by_source ON take_sources(source_id);

      CREATE TABLE take_extras (
        job_id TEXT PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
        extras TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE verdicts (
        job_id TEXT PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
        rating INTEGER NOT NULL CHECK (rating BETWEEN 0 AND 5),
        flag TEXT CHECK (flag IN ('pick', 'reject')),
        note TEXT NOT NULL,
        -- 0 until the take's recipe file says so too.
        in_recipe INTEGER NOT NULL CHECK (in_recipe IN (0, 1)),
        tags TEXT NOT NULL DEFAULT '[]'
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX verdicts_to_write ON verdicts(job_id) WHERE in_recipe = 0;
      CREATE TRIGGER verdict_given AFTER INSERT ON verdicts BEGIN
        UPDATE jobs SET rating = NEW.rating, flag = NEW.flag WHERE id = NEW.job_id;
      END;
      CREATE TRIGGER verdict_changed AFTER UPDATE OF rating, flag ON verdicts BEGIN
        UPDATE jobs SET rating = NEW.rating, flag = NEW.flag WHERE id = NEW.job_id;
      END;
      CREATE TRIGGER take_tagged AFTER INSERT ON verdicts WHEN NEW.tags <> '[]' BEGIN
        UPDATE jobs SET tags = NEW.tags WHERE id = NEW.job_id;
      END;
      CREATE TRIGGER take_retagged AFTER UPDATE OF tags ON verdicts WHEN NEW.tags <> OLD.tags BEGIN
        UPDATE jobs SET tags = NEW.tags WHERE id = NEW.job_id;
      END;

      -- One row for each rating: joined first, it gives takes in the order of their ratings without sorting.
      CREATE TABLE ratings (rating INTEGER PRIMARY KEY) STRICT;
      INSERT INTO ratings VALUES (0), (1), (2), (3), (4), (5);

      CREATE TABLE attempts (
        job_id TEXT NOT NULL REFERENCES jobs(id),
        number INTEGER NOT NULL,
        id TEXT NOT NULL,
        request TEXT NOT NULL,
        body_hash TEXT NOT NULL,
        origin TEXT NOT NULL,
        key_fingerprint TEXT NOT NULL,
        intended_at INTEGER NOT NULL,
        outcome TEXT,
        ended_at INTEGER,
        task_id TEXT,
        request_id TEXT,
        trace_id TEXT,
        failure TEXT,
        PRIMARY KEY (job_id, number)
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER attempt_in_ledger AFTER INSERT ON attempts BEGIN
        INSERT INTO ledger (id, at, state, job_id, project_id, batch_id, model)
          SELECT NEW.id, NEW.intended_at, ${ATTEMPT_STATE}, id, project_id, batch_id, model
          FROM jobs WHERE id = NEW.job_id
          ON CONFLICT DO NOTHING;
      END;
      CREATE TRIGGER attempt_settled AFTER UPDATE OF outcome, failure, task_id ON attempts BEGIN
        UPDATE ledger SET state = ${ATTEMPT_STATE} WHERE id = NEW.id;
      END;

      CREATE TABLE outputs (
        job_id TEXT NOT NULL REFERENCES jobs(id),
        number INTEGER NOT NULL,
        -- What is safely on disk of the part file, and what the server said of the whole.
        part_offset INTEGER NOT NULL DEFAULT 0,
        part_etag TEXT,
        part_modified TEXT,
        part_length INTEGER,
        -- Known once the whole file has been checked; file once it is published.
        bytes INTEGER,
        sha256 TEXT,
        format TEXT,
        file TEXT,
        verified INTEGER NOT NULL DEFAULT 1 CHECK (verified IN (0, 1)),
        content_type TEXT,
        url TEXT,
        is_earlier INTEGER NOT NULL DEFAULT 0 CHECK (is_earlier IN (0, 1)),
        -- Where the file belongs while it is in the trash, relative to the project folder.
        home TEXT,
        PRIMARY KEY (job_id, number)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX outputs_by_name ON outputs(lower(file)) WHERE file IS NOT NULL;
      CREATE TRIGGER file_found AFTER INSERT ON outputs WHEN NEW.file IS NOT NULL BEGIN
        UPDATE jobs SET viewable = 1 WHERE id = NEW.job_id AND viewable = 0 AND trash IS NULL;
      END;
      CREATE TRIGGER file_published AFTER UPDATE OF file ON outputs WHEN NEW.file IS NOT NULL BEGIN
        UPDATE jobs SET viewable = 1 WHERE id = NEW.job_id AND viewable = 0 AND trash IS NULL;
      END;
      CREATE TRIGGER file_forgotten AFTER DELETE ON outputs WHEN OLD.file IS NOT NULL BEGIN
        UPDATE jobs SET viewable = ${viewable('jobs')} WHERE id = OLD.job_id;
      END;

      -- What people decided about takes, where the take's recipe does not say so yet.
      CREATE TABLE unwritten_decisions (
        job_id TEXT PRIMARY KEY REFERENCES jobs (id),
        -- Of the job, with the decision.
        revision INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE tool_calls (
        id TEXT PRIMARY KEY,
        tool TEXT NOT NULL,
        project_id TEXT REFERENCES projects (id),
        about TEXT NOT NULL,
        request TEXT NOT NULL,
        -- sha256 of the path and the body: the same question is not paid for twice unknowingly.
        request_hash TEXT NOT NULL,
        origin TEXT NOT NULL,
        key_fingerprint TEXT NOT NULL,
        sent_at INTEGER NOT NULL,
        state TEXT NOT NULL,
        ended_at INTEGER,
        task_id TEXT,
        failure TEXT,
        asked TEXT
      ) STRICT;
      CREATE INDEX tool_calls_by_request ON tool_calls (request_hash, sent_at);
      CREATE INDEX tool_calls_by_state ON tool_calls (state);
      CREATE TRIGGER call_in_ledger AFTER INSERT ON tool_calls BEGIN
        INSERT INTO ledger (id, at, state, tool, project_id, model)
          VALUES (NEW.id, NEW.sent_at, ${CALL_STATE}, NEW.tool, NEW.project_id,
            IFNULL(NEW.request ->> '$.body.model', ''));
      END;
      CREATE TRIGGER call_settled AFTER UPDATE OF state ON tool_calls BEGIN
        UPDATE ledger SET state = ${CALL_STATE} WHERE id = NEW.id;
      END;

      -- What texts mean, as a model says. Each was paid for.
      CREATE TABLE vectors (
        model TEXT NOT NULL,
        -- sha256 of the text.
        text_hash BLOB NOT NULL,
        -- 32-bit floats of this machine, of length 1 as a vector.
        vector BLOB NOT NULL,
        PRIMARY KEY (model, text_hash)
      ) STRICT, WITHOUT ROWID;

      -- One line for each billable request, written in the transaction of its intent. micros: its price in millionths.
      CREATE TABLE ledger (
        id TEXT PRIMARY KEY,
        at INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'released', 'unclear')),
        job_id TEXT REFERENCES jobs(id),
        tool TEXT,
        project_id TEXT,
        batch_id TEXT,
        model TEXT NOT NULL,
        micros INTEGER,
        -- JSON: what its price depends on, and what the answer said of its cost.
        facts TEXT,
        told TEXT
      ) STRICT;
      CREATE INDEX ledger_by_batch ON ledger(batch_id, tool, micros) WHERE state <> 'released';
      CREATE INDEX ledger_by_project ON ledger(project_id, tool, micros) WHERE state <> 'released';
      CREATE INDEX ledger_by_time ON ledger(at, tool, micros) WHERE state <> 'released';
      CREATE INDEX ledger_by_job ON ledger(job_id);

      -- The most that a batch, a project or a night may cost. A night has one cap, with an empty id.
      CREATE TABLE caps (
        scope TEXT NOT NULL CHECK (scope IN ('night', 'project', 'batch')),
        scope_id TEXT NOT NULL,
        micros INTEGER CHECK (micros >= 0),
        takes INTEGER CHECK (takes >= 0),
        PRIMARY KEY (scope, scope_id)
      ) STRICT, WITHOUT ROWID;

      -- What other data folders sent: it counts in place of the ledger's lines up to this one if these are fewer.
      CREATE TABLE sent_before (
        scope TEXT NOT NULL CHECK (scope IN ('project', 'batch')),
        scope_id TEXT NOT NULL,
        takes INTEGER NOT NULL CHECK (takes >= 0),
        micros INTEGER NOT NULL CHECK (micros >= 0),
        line INTEGER NOT NULL,
        PRIMARY KEY (scope, scope_id)
      ) STRICT, WITHOUT ROWID;

      -- When a person last set or removed a cap or a window, ms; 0 where that is not known.
      CREATE TABLE limit_decisions (
        what TEXT NOT NULL CHECK (what IN ('cap', 'window')),
        scope TEXT NOT NULL CHECK (scope IN ('project', 'batch')),
        scope_id TEXT NOT NULL,
        at INTEGER NOT NULL CHECK (at >= 0),
        PRIMARY KEY (what, scope, scope_id)
      ) STRICT, WITHOUT ROWID;

      -- When takes may be sent. early: the opening that a person did not wait for, ms.
      CREATE TABLE windows (
        scope TEXT NOT NULL CHECK (scope IN ('project', 'batch')),
        scope_id TEXT NOT NULL,
        days TEXT NOT NULL CHECK (json_valid(days)),
        opens TEXT NOT NULL,
        closes TEXT NOT NULL,
        time_zone TEXT NOT NULL,
        early INTEGER,
        PRIMARY KEY (scope, scope_id)
      ) STRICT, WITHOUT ROWID;

      -- What held takes back in a night: waits, and sleep.
      CREATE TABLE night_spans (
        id INTEGER PRIMARY KEY,
        cause TEXT NOT NULL,
        -- Null where it holds every project back.
        project_id TEXT,
        started_at INTEGER NOT NULL,
        -- While it is open: when it was last known to be so.
        ended_at INTEGER NOT NULL,
        is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
        waiting INTEGER NOT NULL,
        message TEXT,
        clock_by INTEGER
      ) STRICT;
      CREATE INDEX night_spans_by_end ON night_spans(ended_at);

      -- The last sign of life of an engine with work.
      CREATE TABLE night_beat (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        at INTEGER NOT NULL,
        waiting INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE night_reports (
        project_id TEXT NOT NULL,
        night INTEGER NOT NULL,
        ended_at INTEGER NOT NULL,
        seen_at INTEGER,
        PRIMARY KEY (project_id, night)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE history (
        id INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        project_id TEXT,
        batch_id TEXT,
        take_id TEXT,
        actor TEXT NOT NULL CHECK (actor IN ('window', 'command', 'engine')),
        code TEXT NOT NULL,
        facts TEXT NOT NULL CHECK (json_valid(facts))
      ) STRICT;
      CREATE INDEX history_of_project ON history(project_id, id);

      CREATE TABLE last_place (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        place TEXT NOT NULL
      ) STRICT;

      CREATE TABLE queue_wishes (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

      CREATE TABLE rates (
        origin TEXT NOT NULL,
        key_fingerprint TEXT NOT NULL,
        class TEXT NOT NULL,
        rate REAL NOT NULL,
        not_before INTEGER,
        PRIMARY KEY (origin, key_fingerprint, class)
      ) STRICT, WITHOUT ROWID;

      -- How many tasks of a model an account may have in flight, as its 429s have shown.
      CREATE TABLE ceilings (
        origin TEXT NOT NULL,
        key_fingerprint TEXT NOT NULL,
        model TEXT NOT NULL,
        -- Tasks in flight at the refusal: of the model, and of the whole account.
        own INTEGER NOT NULL,
        total INTEGER NOT NULL,
        tried_at INTEGER NOT NULL,
        wait_ms INTEGER NOT NULL,
        PRIMARY KEY (origin, key_fingerprint, model)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE task_times (
        origin TEXT NOT NULL,
        model TEXT NOT NULL,
        samples TEXT NOT NULL,
        PRIMARY KEY (origin, model)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE account_facts (
        origin TEXT NOT NULL,
        key_fingerprint TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (origin, key_fingerprint, name)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE accounts (
        id INTEGER PRIMARY KEY,
        origin TEXT NOT NULL,
        key_fingerprint TEXT NOT NULL,
        UNIQUE (origin, key_fingerprint)
      ) STRICT;

      CREATE TABLE asset_groups (
        account_id INTEGER NOT NULL REFERENCES accounts(id),
        id TEXT NOT NULL,
        facts TEXT NOT NULL,
        missing_since INTEGER,
        hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
        PRIMARY KEY (account_id, id)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE assets (
        account_id INTEGER NOT NULL REFERENCES accounts(id),
        id TEXT NOT NULL,
        facts TEXT NOT NULL,
        missing_since INTEGER,
        hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
        PRIMARY KEY (account_id, id)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE media_files (
        sha256 TEXT PRIMARY KEY,
        bytes INTEGER NOT NULL,
        content_type TEXT,
        width INTEGER,
        height INTEGER,
        duration REAL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX media_files_by_size ON media_files(bytes);

      CREATE TABLE media_paths (
        path TEXT PRIMARY KEY,
        sha256 TEXT NOT NULL REFERENCES media_files(sha256),
        bytes INTEGER NOT NULL,
        modified_ms REAL NOT NULL,
        changed_ms REAL NOT NULL,
        seen_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX media_paths_by_content ON media_paths(sha256);

      CREATE TABLE uploads (
        id TEXT PRIMARY KEY,
        account_id INTEGER NOT NULL REFERENCES accounts(id),
        -- sha256 of a local file, or the public address that the service was to fetch; 'unread:' and the id while a
        -- file is read for the first time on its way out.
        content TEXT NOT NULL,
        -- Path of the file, or the address.
        source TEXT NOT NULL,
        model TEXT NOT NULL,
        mode TEXT NOT NULL,
        purpose TEXT NOT NULL,
        role TEXT NOT NULL,
        group_id TEXT NOT NULL,
        type TEXT NOT NULL,
        name TEXT NOT NULL,
        bytes INTEGER,
        state TEXT NOT NULL CHECK (state IN ('intended', 'sent_unknown', 'arrived', 'failed')),
        asset_id TEXT,
        -- Uploads in a row whose fate was unclear.
        tries INTEGER NOT NULL,
        failure TEXT,
        intended_at INTEGER NOT NULL,
        ended_at INTEGER,
        CHECK (asset_id IS NOT NULL OR state <> 'arrived'),
        CHECK (failure IS NOT NULL OR state <> 'failed')
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX uploads_identity ON uploads(account_id, content, model, mode, purpose, role, group_id);
      CREATE INDEX uploads_by_asset ON uploads(account_id, asset_id) WHERE asset_id IS NOT NULL;
      CREATE INDEX uploads_being_read ON uploads(source) WHERE state = 'intended';
      CREATE INDEX uploads_arrived ON uploads(content) WHERE state = 'arrived';

      CREATE TABLE asset_uses (
        job_id TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
        parameter TEXT NOT NULL,
        -- The local path as written in the list.
        cell TEXT NOT NULL,
        account_id INTEGER NOT NULL REFERENCES accounts(id),
        asset_id TEXT NOT NULL,
        sha256 TEXT,
        PRIMARY KEY (job_id, parameter, cell)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX asset_uses_by_asset ON asset_uses(asset_id);

      CREATE TABLE prompt_variables (
        -- Empty for one of every project.
        project_id TEXT NOT NULL,
        name TEXT NOT NULL,
        text TEXT NOT NULL,
        -- A project's copy of a text of every project, which travels with its folder.
        copied INTEGER NOT NULL DEFAULT 0 CHECK (copied IN (0, 1)),
        PRIMARY KEY (project_id, name)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE presets (
        id TEXT PRIMARY KEY,
        -- Empty for one of every project.
        project_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        cells TEXT NOT NULL,
        UNIQUE (project_id, kind, name)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};

/** Agents: that one did something, and what a session of one may spend. */
const agents: Migration = {
  version: 3811,
  up(db) {
    db.exec(`
      CREATE TABLE new_history (
        id INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        project_id TEXT,
        batch_id TEXT,
        take_id TEXT,
        actor TEXT NOT NULL CHECK (actor IN ('window', 'command', 'engine', 'agent')),
        code TEXT NOT NULL,
        facts TEXT NOT NULL CHECK (json_valid(facts))
      ) STRICT;
      INSERT INTO new_history SELECT id, at, project_id, batch_id, take_id, actor, code, facts FROM history;
      DROP TABLE history;
      ALTER TABLE new_history RENAME TO history;
      CREATE INDEX history_of_project ON history(project_id, id);

      CREATE TABLE agent_sessions (
        id TEXT PRIMARY KEY,
        micros INTEGER CHECK (micros >= 0),
        -- Billable requests: takes, and calls of tools.
        takes INTEGER CHECK (takes >= 0),
        allowed_at INTEGER NOT NULL,
        CHECK (micros IS NOT NULL OR takes IS NOT NULL)
      ) STRICT, WITHOUT ROWID;

      -- The session that queued a take, or let it go.
      CREATE TABLE agent_takes (
        job_id TEXT PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
        session TEXT NOT NULL REFERENCES agent_sessions(id)
      ) STRICT, WITHOUT ROWID;

      ALTER TABLE ledger ADD COLUMN session TEXT;
      CREATE INDEX ledger_by_session ON ledger(session, micros) WHERE session IS NOT NULL AND state <> 'released';
    `);
  },
};

/** One pick for a shot: of several the newest stays one, the others are its alternates. And takes for tonight. */
const alternates: Migration = {
  version: 3812,
  up(db) {
    // Only a check widens, so the rows stay as they are: SQLite's own way to change a table without copying it.
    db.unsafeMode(true);
    db.pragma('writable_schema = ON');
    db.exec(`UPDATE sqlite_schema SET sql = replace(sql, 'flag IN (''pick'', ''reject'')',
      'flag IN (''pick'', ''alternate'', ''reject'')') WHERE type = 'table' AND name IN ('jobs', 'verdicts')`);
    db.pragma('writable_schema = RESET');
    db.unsafeMode(false);
    db.exec(`UPDATE verdicts SET flag = 'alternate', in_recipe = 0 WHERE job_id IN (
      SELECT jobs.id FROM jobs JOIN jobs AS newer
        ON newer.batch_id = jobs.batch_id AND newer.shot_key = jobs.shot_key AND newer.take > jobs.take
      WHERE jobs.flag = 'pick' AND newer.flag = 'pick');

      -- Takes on hold until these hours begin, in the time of the computer.
      CREATE TABLE tonight (
        job_id TEXT PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
        opens TEXT NOT NULL,
        closes TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `);
  },
};

/** Lists of batches as they were written; see `listOfBatch`. */
const writtenLists: Migration = {
  version: 3813,
  up: (db) => void db.exec('ALTER TABLE batches ADD COLUMN list_at INTEGER'),
};

/** Accounts by name: which one a request was for, and a cap for each. */
const accounts: Migration = {
  version: 3814,
  up(db) {
    // As in `alternates`.
    db.unsafeMode(true);
    db.pragma('writable_schema = ON');
    db.exec(`UPDATE sqlite_schema SET sql = replace(sql, '''night'', ''project''', '''night'', ''account'', ''project''')
      WHERE type = 'table' AND name = 'caps'`);
    db.pragma('writable_schema = RESET');
    db.unsafeMode(false);
    db.exec(`
      -- The service of its account; null for the first one.
      ALTER TABLE ledger ADD COLUMN account TEXT;
      UPDATE ledger SET account = (SELECT service FROM projects WHERE id = project_id);
      DROP TRIGGER attempt_in_ledger;
      CREATE TRIGGER attempt_in_ledger AFTER INSERT ON attempts BEGIN
        INSERT INTO ledger (id, at, state, job_id, project_id, batch_id, model, account)
          SELECT NEW.id, NEW.intended_at, ${ATTEMPT_STATE}, id, project_id, batch_id, model,
            (SELECT service FROM projects WHERE id = jobs.project_id)
          FROM jobs WHERE id = NEW.job_id
          ON CONFLICT DO NOTHING;
      END;
      DROP TRIGGER call_in_ledger;
      CREATE TRIGGER call_in_ledger AFTER INSERT ON tool_calls BEGIN
        INSERT INTO ledger (id, at, state, tool, project_id, model, account)
          VALUES (NEW.id, NEW.sent_at, ${CALL_STATE}, NEW.tool, NEW.project_id,
            IFNULL(NEW.request ->> '$.body.model', ''), (SELECT service FROM projects WHERE id = NEW.project_id));
      END;
    `);
  },
};

/** A studio: its projects and takes here, what it is still to be told, and how far both sides have got. */
const studio: Migration = {
  version: 3815,
  up(db) {
    db.unsafeMode(true);
    db.pragma('writable_schema = ON');
    db.exec(`UPDATE sqlite_schema SET sql = replace(sql, '''internal_error'')', '''internal_error'', ''elsewhere'')')
      WHERE type = 'table' AND name = 'jobs'`);
    db.pragma('writable_schema = RESET');
    db.unsafeMode(false);
    db.exec(`
      -- Nothing of these projects is sent without the studio's word. Known before its project is.
      CREATE TABLE studio_projects (
        project_id TEXT PRIMARY KEY,
        studio TEXT NOT NULL,
        root TEXT NOT NULL,
        -- Relative to the root, with forward slashes.
        path TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE studio_takes (
        job_id TEXT PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
        -- The machine that has it; null while nobody has.
        worker TEXT,
        -- Of that machine's right to it: grows each time the studio gives it away.
        epoch INTEGER NOT NULL DEFAULT 0,
        -- This data folder works on it: it has this epoch.
        is_here INTEGER NOT NULL DEFAULT 0 CHECK (is_here IN (0, 1)),
        -- What a studio that was restored has to be told: whose it is, the account that it was queued for, its hold.
        person TEXT,
        key_fingerprint TEXT,
        origin TEXT,
        is_on_hold INTEGER NOT NULL DEFAULT 0 CHECK (is_on_hold IN (0, 1))
      ) STRICT, WITHOUT ROWID;

      -- What happened to takes, in the commits of their events, until the studio has stored it.
      CREATE TABLE studio_outbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        job_id TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        at INTEGER NOT NULL,
        event TEXT NOT NULL,
        attempt_id TEXT,
        facts TEXT NOT NULL
      ) STRICT;

      CREATE TABLE studio_marks (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
    `);
  },
};

const HAS_ENDED = `IN ('saved', 'rejected', 'remote_failed', 'remote_cancelled', 'result_lost', 'cancelled')`;

/** Frames of films, and shots of other batches, as sources of takes; rows that wait for a pick or a release. */
const chains: Migration = {
  version: 3820,
  up(db) {
    const wake = `BEGIN
        UPDATE jobs SET due_at = 0 WHERE ${WAITS_IN} = NEW.batch_id AND state = 'needs_assets'
          AND facts ->> '$.waitsFor' = NEW.shot_key;
      END;`;
    db.exec(`
      -- Of a film: which one was used, from 0; the hash is that of its picture.
      ALTER TABLE take_sources ADD COLUMN frame INTEGER;
      ALTER TABLE take_sources ADD COLUMN is_dark INTEGER CHECK (is_dark = 1);
      -- The attempt that sent it, in the commit of its intent.
      ALTER TABLE take_sources ADD COLUMN attempt_id TEXT;
      -- Of a take that a person asked to be made otherwise.
      ALTER TABLE take_sources ADD COLUMN note TEXT;

      -- Takes of rows with \`wait_for\` release that a person has released.
      CREATE TABLE released_takes (
        job_id TEXT PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX shots_that_wait ON shots(batch_id, key) WHERE spec ->> '$.waitFor' IS NOT NULL;

      -- The studio hands it to no machine before what it waits for is there.
      ALTER TABLE studio_takes ADD COLUMN waits INTEGER NOT NULL DEFAULT 0 CHECK (waits IN (0, 1));

      DROP INDEX jobs_waiting_for;
      CREATE INDEX jobs_waiting_for ON jobs(${WAITS_IN}, facts ->> '$.waitsFor') WHERE state = 'needs_assets';
      DROP TRIGGER take_ended;
      DROP TRIGGER ended_take_adopted;
      CREATE TRIGGER take_ended_or_retried AFTER UPDATE OF state ON jobs
        WHEN NEW.state ${HAS_ENDED} OR OLD.state ${HAS_ENDED} ${wake}
      CREATE TRIGGER take_added AFTER INSERT ON jobs ${wake}
      CREATE TRIGGER take_judged_or_trashed AFTER UPDATE OF flag, trash ON jobs
        WHEN OLD.flag IS NOT NEW.flag OR OLD.trash IS NOT NEW.trash ${wake}
    `);
  },
};

/** Marks of the outputs of takes, and notes at their frames. */
const frameNotes: Migration = {
  version: 3830,
  up(db) {
    db.exec(`
      ALTER TABLE verdicts ADD COLUMN marks TEXT NOT NULL DEFAULT '[]';
      ALTER TABLE verdicts ADD COLUMN frame_notes TEXT NOT NULL DEFAULT '[]';
      CREATE INDEX verdicts_marked ON verdicts(job_id) WHERE marks <> '[]';
      CREATE INDEX verdicts_with_frame_notes ON verdicts(job_id) WHERE frame_notes <> '[]';
    `);
  },
};

/** What files of takes say of themselves, as JSON; null where it was not read. */
const mediaFacts: Migration = {
  version: 3840,
  up: (db) =>
    void db.exec(`
      ALTER TABLE outputs ADD COLUMN facts TEXT;
      CREATE INDEX outputs_without_facts ON outputs(job_id, number) WHERE file IS NOT NULL AND facts IS NULL;
    `),
};

/** Cuts of projects; a removed one stays as a name, so that its file is not taken for a new one. */
const cuts: Migration = {
  version: 3850,
  up(db) {
    db.exec(`
      CREATE TABLE cuts (
        project_id TEXT NOT NULL REFERENCES projects(id),
        name TEXT NOT NULL,
        -- JSON; null once it was removed.
        cut TEXT,
        -- The later of this and the time in its file counts, ms.
        changed_at INTEGER NOT NULL,
        -- The project's folder does not have it like this yet.
        unwritten INTEGER NOT NULL DEFAULT 1 CHECK (unwritten IN (0, 1)),
        PRIMARY KEY (project_id, name)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};

export const migrations: readonly Migration[] = [
  ...[schema, agents, alternates, writtenLists, accounts, studio, chains],
  frameNotes,
  mediaFacts,
  cuts,
];
