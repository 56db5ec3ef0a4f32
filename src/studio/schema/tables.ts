/**
 * The tables of a studio, as migrations that are never changed once they were released. Nobody writes them by hand: rows
 * change by the functions beside this file, which run with the rights of `dailies_owner`.
 *
 * Locks are taken in one order everywhere: machine, jobs of pg-boss, takes, account, model, usage. Time is the database's
 * own, `clock_timestamp()`, since the clock of a machine may be wrong.
 */
export const MIGRATIONS: readonly string[] = [
  `
CREATE TABLE studio (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Raised at each restore that was noticed: what machines saw of an earlier one is compared no more.
  generation integer NOT NULL DEFAULT 1,
  -- Names the server and its timeline. It differs after a dump was loaded or a server went back in time.
  origin text NOT NULL,
  time_zone text NOT NULL,
  halted_at timestamptz,
  -- The machine that noticed the restore.
  halted_by text
);

CREATE TABLE people (
  name text PRIMARY KEY CHECK (name ~ '^[^[:cntrl:]]{1,64}$'),
  weight integer NOT NULL DEFAULT 1 CHECK (weight BETWEEN 1 AND 100),
  login name NOT NULL
);

CREATE TABLE machines (
  name text PRIMARY KEY CHECK (name ~ '^[^[:cntrl:]]{1,64}$'),
  person text NOT NULL REFERENCES people,
  login name NOT NULL,
  -- The data folder: two of one name would each think that the other's takes are its own.
  instance text NOT NULL,
  -- The process that works under the name. Others may look for it by a lock that each of its connections has.
  run uuid,
  fenced_at timestamptz,
  facts bigint NOT NULL DEFAULT 0,
  -- The last generation that this machine has told what it knows.
  told integer NOT NULL
);

-- Apart from machines, since a grant locks those.
CREATE TABLE beats (
  machine text PRIMARY KEY REFERENCES machines ON DELETE CASCADE,
  seen_at timestamptz NOT NULL
);

-- Each is a queue of pg-boss. The turn is the latest one that was handed out.
CREATE TABLE roots (
  name text PRIMARY KEY,
  turn bigint NOT NULL DEFAULT 0
);

CREATE TABLE projects (
  id text PRIMARY KEY,
  name text NOT NULL,
  root text NOT NULL REFERENCES roots,
  path text NOT NULL,
  writer text REFERENCES machines,
  writer_until timestamptz NOT NULL DEFAULT 'epoch',
  writer_epoch integer NOT NULL DEFAULT 0,
  UNIQUE (root, path)
);

CREATE TABLE batches (
  id text PRIMARY KEY,
  project_id text NOT NULL REFERENCES projects,
  name text NOT NULL,
  person text NOT NULL REFERENCES people,
  list jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE accounts (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  address text NOT NULL,
  in_flight integer NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
  next_at timestamptz NOT NULL DEFAULT 'epoch',
  not_before timestamptz NOT NULL DEFAULT 'epoch',
  interval_ms double precision NOT NULL DEFAULT 250,
  least_interval_ms double precision NOT NULL DEFAULT 250 CHECK (least_interval_ms > 0),
  slowed_at timestamptz NOT NULL DEFAULT 'epoch',
  polls_a_second integer NOT NULL DEFAULT 20 CHECK (polls_a_second > 0),
  uploads_a_second integer NOT NULL DEFAULT 4 CHECK (uploads_a_second > 0),
  UNIQUE (name, address)
);

-- The ceiling holds where both counts are reached, so it is right whether the service counts one model or all.
CREATE TABLE models (
  account_id integer NOT NULL REFERENCES accounts,
  model text NOT NULL,
  in_flight integer NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
  ceiling integer,
  ceiling_of_all integer,
  next_try_at timestamptz NOT NULL DEFAULT 'epoch',
  try_wait_ms double precision NOT NULL DEFAULT 30000,
  PRIMARY KEY (account_id, model)
);

CREATE TABLE slots (
  account_id integer NOT NULL REFERENCES accounts,
  kind text NOT NULL CHECK (kind IN ('poll', 'upload')),
  second bigint NOT NULL,
  taken integer NOT NULL,
  -- Of them, by machine.
  shares jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (account_id, kind)
);

CREATE TABLE takes (
  id uuid PRIMARY KEY,
  ordinal bigint GENERATED ALWAYS AS IDENTITY,
  batch_id text NOT NULL REFERENCES batches,
  project_id text NOT NULL REFERENCES projects,
  root text NOT NULL,
  shot_key text NOT NULL,
  account_id integer NOT NULL REFERENCES accounts,
  model text NOT NULL,
  price_micros bigint CHECK (price_micros >= 0),
  person text NOT NULL REFERENCES people,
  priority integer NOT NULL DEFAULT 0,
  turn bigint NOT NULL,
  state text NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'held', 'granted', 'sent', 'done', 'cancelled', 'unclear')),
  outcome text CHECK (outcome IN ('saved', 'failed')),
  machine text REFERENCES machines,
  epoch integer NOT NULL DEFAULT 0,
  is_on_hold boolean NOT NULL DEFAULT false,
  is_cancelled boolean NOT NULL DEFAULT false,
  -- For a take or a pick of another shot, or for a release: no machine has anything to do with it.
  waits boolean NOT NULL DEFAULT false,
  spec jsonb NOT NULL,
  detail jsonb NOT NULL DEFAULT 'null',
  -- What people think of it, and whose machine said so last.
  verdict jsonb,
  judge text REFERENCES people,
  -- The transaction that changed it: a reader takes those below the oldest one that still runs, and misses none.
  changed bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  CHECK ((outcome IS NOT NULL) = (state = 'done')),
  CHECK (state <> 'held' OR machine IS NOT NULL)
);
-- One list that two people hand over is made once. An index holds no text as long as a path may be.
CREATE UNIQUE INDEX takes_once ON takes
  (project_id, md5(spec #>> '{batch,folder}'), shot_key, (spec ->> 'take'), (spec ->> 'round'));
CREATE INDEX takes_changed ON takes (changed);
CREATE INDEX takes_waiting ON takes (person, root, turn) WHERE state = 'waiting';
CREATE INDEX takes_waiting_in ON takes (project_id) WHERE state = 'waiting';
CREATE INDEX takes_owned ON takes (machine) WHERE state IN ('held', 'granted', 'sent', 'unclear');
CREATE INDEX takes_adoptable ON takes (root) WHERE state = 'sent' AND machine IS NULL;

CREATE TABLE attempts (
  id uuid PRIMARY KEY,
  sequence bigint GENERATED BY DEFAULT AS IDENTITY UNIQUE,
  take_id uuid NOT NULL REFERENCES takes,
  machine text NOT NULL REFERENCES machines,
  epoch integer NOT NULL,
  account_id integer NOT NULL REFERENCES accounts,
  model text NOT NULL,
  body_hash text NOT NULL,
  price_micros bigint CHECK (price_micros >= 0),
  night text NOT NULL,
  granted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  task_id text,
  -- A person found the task, which may be none of the service's.
  is_attached boolean NOT NULL DEFAULT false,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'unclear', 'closed')),
  is_charged boolean NOT NULL DEFAULT true
);
CREATE UNIQUE INDEX attempts_open ON attempts (take_id) WHERE state <> 'closed';
CREATE INDEX attempts_take ON attempts (take_id);

-- What was reserved or spent. The name is that of a person, the id of a project or batch, or the date of a night.
CREATE TABLE usage (
  scope text NOT NULL CHECK (scope IN ('batch', 'night', 'person', 'project')),
  name text NOT NULL,
  takes integer NOT NULL DEFAULT 0 CHECK (takes >= 0),
  micros bigint NOT NULL DEFAULT 0 CHECK (micros >= 0),
  PRIMARY KEY (scope, name)
);

-- The one of nights has no name: it holds for each.
CREATE TABLE budgets (
  scope text NOT NULL CHECK (scope IN ('batch', 'night', 'person', 'project')),
  name text NOT NULL,
  max_takes integer CHECK (max_takes >= 0),
  max_micros bigint CHECK (max_micros >= 0),
  PRIMARY KEY (scope, name),
  CHECK ((scope = 'night') = (name = ''))
);
`,
];
