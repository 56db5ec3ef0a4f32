/**
 * Who is handed which take.
 *
 * pg-boss has one queue a root, and a job a take that waits. It hands out the highest priority, which is a take's turn
 * with a minus sign. Turns make people share by weight (start-time fair queueing): each take of a person comes
 * 1000 / weight after the one before it, and who had nothing waiting begins at the turn that is being handed out. So
 * nobody gains by sending more, and nobody is owed anything for the time they sent nothing. Within a person, the highest
 * priority has the earliest of that person's turns.
 *
 * `takes` is the truth and pg-boss an index: a job whose take does not wait is dropped when it comes up, and `sweep` adds
 * what is missing. The statements of pg-boss itself are in `boss_fetch`, `boss_insert` and `boss_delete`: see pg-boss.ts.
 */
export const QUEUE = `
CREATE OR REPLACE FUNCTION boss_add(p_ids uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE v_root text; v_jobs json;
BEGIN
  FOR v_root, v_jobs IN
    SELECT root, json_agg(json_build_object('id', id, 'priority', -turn, 'groupId', account_id || '/' || project_id))
    FROM takes WHERE id = ANY (p_ids) AND state = 'waiting' AND NOT is_on_hold AND NOT waits GROUP BY root ORDER BY root
  LOOP
    PERFORM boss_insert(v_jobs::text, 'root.' || v_root);
    PERFORM pg_notify('dailies', '{"kind":"work"}');
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION boss_remove(p_ids uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE v_root text; v_ids uuid[];
BEGIN
  FOR v_root, v_ids IN SELECT root, array_agg(id) FROM takes WHERE id = ANY (p_ids) GROUP BY root ORDER BY root LOOP
    PERFORM boss_delete('root.' || v_root, v_ids);
  END LOOP;
END $$;

-- After a restore, epochs begin higher than any that a machine may remember: none means two hand-overs.
CREATE OR REPLACE FUNCTION next_epoch(p_epoch integer) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT greatest(p_epoch, (generation - 1) * 1000000) + 1 FROM studio
$$;

-- Back to the queue, at the turn it had. A machine that held it names an old epoch from now on.
CREATE OR REPLACE FUNCTION put_back(p_ids uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
BEGIN
  UPDATE takes SET state = CASE WHEN is_cancelled THEN 'cancelled' ELSE 'waiting' END, outcome = NULL, machine = NULL,
    epoch = next_epoch(epoch), changed = pg_current_xact_id()::text::bigint
  WHERE id = ANY (p_ids);
  PERFORM boss_add(p_ids);
END $$;

CREATE OR REPLACE FUNCTION add_root(p_root text) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM roots WHERE name = p_root) THEN RETURN; END IF;
  IF p_root !~ '^[a-zA-Z0-9_-]{1,40}$' THEN PERFORM refuse('bad_root', p_root); END IF;
  INSERT INTO roots (name) VALUES (p_root) ON CONFLICT DO NOTHING;
  IF FOUND THEN PERFORM boss_queue('root.' || p_root); END IF;
END $$;

CREATE OR REPLACE FUNCTION account_id(p_account jsonb) RETURNS integer
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE v_id integer;
BEGIN
  SELECT id INTO v_id FROM accounts WHERE name = p_account ->> 'name' AND address = p_account ->> 'address';
  IF FOUND THEN RETURN v_id; END IF;
  INSERT INTO accounts (name, address) VALUES (p_account ->> 'name', p_account ->> 'address') ON CONFLICT DO NOTHING;
  SELECT id INTO STRICT v_id FROM accounts WHERE name = p_account ->> 'name' AND address = p_account ->> 'address';
  RETURN v_id;
END $$;

CREATE OR REPLACE FUNCTION add_project(p_project jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE v projects;
BEGIN
  PERFORM add_root(p_project ->> 'root');
  -- As staysInside has it: no machine follows a path out of its root.
  IF coalesce(p_project ->> 'path', '') ~* '^$|:|(^|[/\\\\])(\\.{0,2}|\\.dailies)([/\\\\]|$)' THEN
    PERFORM refuse('bad_path', p_project ->> 'path');
  END IF;
  SELECT * INTO v FROM projects WHERE id = p_project ->> 'id';
  IF v.root = p_project ->> 'root' AND v.path = p_project ->> 'path' THEN
    UPDATE projects SET name = p_project ->> 'name' WHERE id = v.id AND name <> p_project ->> 'name';
    RETURN;
  END IF;
  IF v.id IS NOT NULL THEN PERFORM refuse('project_moved', v.root || '/' || v.path); END IF;
  IF EXISTS (SELECT FROM projects WHERE root = p_project ->> 'root' AND path = p_project ->> 'path') THEN
    PERFORM refuse('project_copy', (p_project ->> 'root') || '/' || (p_project ->> 'path'));
  END IF;
  INSERT INTO projects (id, name, root, path)
  VALUES (p_project ->> 'id', p_project ->> 'name', p_project ->> 'root', p_project ->> 'path');
END $$;

CREATE OR REPLACE FUNCTION enqueue(p_machine text, p_batch jsonb, p_takes jsonb, p_budget jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE v_person text; v_batch batches; v_queued integer;
BEGIN
  v_person := (own_machine(p_machine)).person;
  PERFORM not_halted(p_machine);
  PERFORM add_project(p_batch -> 'project');
  INSERT INTO batches (id, project_id, name, person, list)
  VALUES (p_batch ->> 'id', p_batch -> 'project' ->> 'id', p_batch ->> 'name', v_person, p_batch -> 'list')
  ON CONFLICT DO NOTHING;
  SELECT * INTO v_batch FROM batches WHERE id = p_batch ->> 'id' FOR UPDATE;
  IF v_batch.project_id <> p_batch -> 'project' ->> 'id' THEN PERFORM refuse('project_copy', v_batch.name); END IF;
  IF v_batch.person = v_person OR is_admin() THEN
    UPDATE batches SET list = p_batch -> 'list', name = p_batch ->> 'name' WHERE id = v_batch.id;
    IF p_budget IS NOT NULL THEN
      INSERT INTO budgets (scope, name, max_takes, max_micros)
      VALUES ('batch', v_batch.id, (p_budget ->> 'takes')::integer, (p_budget ->> 'micros')::bigint)
      ON CONFLICT (scope, name) DO UPDATE SET max_takes = excluded.max_takes, max_micros = excluded.max_micros;
      PERFORM add_lost();
    END IF;
  ELSIF p_budget IS NOT NULL THEN
    PERFORM refuse('batch_taken', v_batch.name);
  END IF;
  v_queued := add_takes(v_person, v_batch.id, v_batch.project_id, p_batch -> 'project' ->> 'root', p_takes);
  RETURN jsonb_build_object('queued', v_queued,
    'leftOut', (SELECT coalesce(jsonb_agg(e ->> 'id'), '[]') FROM jsonb_array_elements(p_takes) e
      WHERE NOT EXISTS (SELECT FROM takes WHERE id = (e ->> 'id')::uuid AND batch_id = v_batch.id)));
END $$;

-- What two say about one cap: the lower one holds.
CREATE OR REPLACE FUNCTION lower_budget(p_scope text, p_name text, p_budget jsonb) RETURNS void
LANGUAGE sql SET search_path = dailies, pg_temp AS $$
  INSERT INTO budgets (scope, name, max_takes, max_micros)
  SELECT p_scope, p_name, (p_budget ->> 'takes')::integer, (p_budget ->> 'micros')::bigint
  WHERE coalesce(p_budget ->> 'takes', p_budget ->> 'micros') IS NOT NULL
  ON CONFLICT (scope, name) DO UPDATE SET
    max_takes = least(budgets.max_takes, excluded.max_takes), max_micros = least(budgets.max_micros, excluded.max_micros)
  WHERE excluded.max_takes < coalesce(budgets.max_takes, 2147483647)
    OR excluded.max_micros < coalesce(budgets.max_micros, 9223372036854775807)
$$;

-- Takes that no right would be given for have no job: a machine that is handed one could only give it back.
CREATE OR REPLACE VIEW over_budget AS
  SELECT t.id, t.root, t.state FROM takes t, (SELECT tonight() AS night) n
  WHERE EXISTS (SELECT FROM budgets b LEFT JOIN usage u
    ON u.scope = b.scope AND u.name = CASE b.scope WHEN 'night' THEN n.night ELSE b.name END
    WHERE (b.scope, b.name) IN (('batch', t.batch_id), ('night', ''), ('person', t.person), ('project', t.project_id))
      AND (coalesce(u.takes, 0) + 1 > b.max_takes
        OR coalesce(u.micros, 0) + coalesce(t.price_micros, 0) > b.max_micros));

-- Priorities come from lists, and from people who press a key for long.
CREATE OR REPLACE FUNCTION to_priority(p_priority numeric) RETURNS integer
LANGUAGE sql IMMUTABLE SET search_path = dailies, pg_temp AS $$
  SELECT least(greatest(p_priority, -1000000000), 1000000000)::integer
$$;

CREATE OR REPLACE FUNCTION add_takes(p_person text, p_batch text, p_project text, p_root text, p_takes jsonb)
RETURNS integer
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE v_ids uuid[];
BEGIN
  WITH added AS (
    INSERT INTO takes (id, batch_id, project_id, root, shot_key, account_id, model, price_micros, person, priority,
      is_on_hold, waits, spec, turn)
    SELECT (t ->> 'id')::uuid, p_batch, p_project, p_root, t ->> 'shotKey', a.id, t ->> 'model',
      (t ->> 'priceMicros')::bigint, p_person, to_priority((t ->> 'priority')::numeric), (t ->> 'isHeld')::boolean,
      (t ->> 'waits')::boolean, t -> 'spec',
      first + (n - 1) * length
    FROM (SELECT first_turn(p_person, p_root) AS first, turn_length(p_person) AS length) turns,
    jsonb_array_elements(p_takes) WITH ORDINALITY AS e (t, n)
    JOIN (SELECT account, account_id(account) AS id FROM
      (SELECT DISTINCT e -> 'account' AS account FROM jsonb_array_elements(p_takes) e) named) a ON a.account = t -> 'account'
    ORDER BY n
    ON CONFLICT DO NOTHING RETURNING id)
  SELECT array_agg(id) INTO v_ids FROM added;
  PERFORM boss_add(v_ids);
  PERFORM order_turns(p_person, p_root);
  RETURN coalesce(cardinality(v_ids), 0);
END $$;

CREATE OR REPLACE FUNCTION turn_length(p_person text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = dailies, pg_temp AS $$
  SELECT 1000 / weight FROM people WHERE name = p_person
$$;

CREATE OR REPLACE FUNCTION first_turn(p_person text, p_root text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = dailies, pg_temp AS $$
  SELECT greatest(
    (SELECT turn FROM roots WHERE name = p_root),
    (SELECT max(turn) + turn_length(p_person) FROM takes WHERE person = p_person AND root = p_root AND state = 'waiting'))
$$;

-- The person's turns stay, and are given to the person's takes by priority. Most people never choose one.
CREATE OR REPLACE FUNCTION order_turns(p_person text, p_root text) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE v_ids uuid[];
BEGIN
  IF (SELECT count(DISTINCT priority) FROM takes WHERE person = p_person AND root = p_root AND state = 'waiting') < 2 THEN
    RETURN;
  END IF;
  SELECT array_agg(id) INTO v_ids FROM takes WHERE person = p_person AND root = p_root AND state = 'waiting';
  PERFORM boss_remove(v_ids);
  WITH wanted AS (
    SELECT id, row_number() OVER (ORDER BY priority DESC, ordinal) AS place FROM takes
    WHERE id = ANY (v_ids) AND state = 'waiting'),
  turns AS (
    SELECT turn, row_number() OVER (ORDER BY turn) AS place FROM takes WHERE id = ANY (v_ids) AND state = 'waiting')
  UPDATE takes t SET turn = turns.turn FROM wanted JOIN turns USING (place)
  WHERE t.id = wanted.id AND t.turn <> turns.turn;
  PERFORM boss_add(v_ids);
END $$;

CREATE OR REPLACE FUNCTION hand_over(
  p_machine text, p_roots text[], p_accounts integer[], p_limit integer, p_not_in text[]
) RETURNS SETOF takes
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE
  v_root text; v_ids uuid[]; v_handed uuid[]; v_left integer; v_others text[]; v_turn bigint; v_has_dropped boolean;
  v_epoch integer := next_epoch(0);
BEGIN
  PERFORM own_machine(p_machine);
  PERFORM not_halted(p_machine);
  -- Lost with the server's power, it has not happened: a grant of such a take is refused. A grant comes after it on the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- More than that no machine has room for; see the settings of a worker.
  v_left := least(p_limit, 200 - (SELECT count(*) FROM takes WHERE machine = p_machine AND state = 'held'));
  v_others := ARRAY(SELECT a.id || '/' || p.id FROM accounts a CROSS JOIN projects p
    WHERE (a.id <> ALL (p_accounts) OR p.id = ANY (p_not_in))
      AND EXISTS (SELECT FROM takes WHERE project_id = p.id AND state = 'waiting'));
  FOREACH v_root IN ARRAY p_roots LOOP
    v_has_dropped := false;
    LOOP
      EXIT WHEN v_left <= 0;
      v_ids := ARRAY(SELECT boss_fetch(v_others, 'root.' || v_root, v_left));
      EXIT WHEN cardinality(v_ids) = 0;
      PERFORM boss_delete('root.' || v_root, v_ids);
      v_handed := ARRAY(SELECT id FROM takes t WHERE id = ANY (v_ids) AND state = 'waiting' AND NOT is_on_hold
        AND NOT waits AND id NOT IN (SELECT id FROM over_budget WHERE id = ANY (v_ids)));
      RETURN QUERY UPDATE takes SET state = 'held', machine = p_machine, epoch = greatest(epoch + 1, v_epoch),
        changed = pg_current_xact_id()::text::bigint
        WHERE id = ANY (v_handed) AND state = 'waiting' AND NOT is_on_hold RETURNING *;
      v_left := v_left - cardinality(v_handed);
      -- Not exact where two hand over at once, which costs nobody more than a turn.
      SELECT max(turn) INTO v_turn FROM takes WHERE id = ANY (v_handed);
      UPDATE roots SET turn = v_turn
      WHERE name = (SELECT name FROM roots WHERE name = v_root AND turn < v_turn FOR UPDATE SKIP LOCKED);
      -- Behind one list at its cap there may be others: out with all that nobody may send, once.
      CONTINUE WHEN v_has_dropped OR cardinality(v_handed) = cardinality(v_ids);
      v_has_dropped := true;
      PERFORM boss_delete('root.' || v_root,
        ARRAY(SELECT id FROM over_budget WHERE root = v_root AND state = 'waiting'));
    END LOOP;
  END LOOP;
END $$;

-- Takes that were sent by a machine that left or was declared dead. To follow them costs nothing.
CREATE OR REPLACE FUNCTION adopt_sent(
  p_machine text, p_roots text[], p_accounts integer[], p_limit integer, p_not_in text[]
) RETURNS SETOF takes
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
BEGIN
  PERFORM own_machine(p_machine);
  PERFORM not_halted(p_machine);
  RETURN QUERY UPDATE takes SET machine = p_machine, epoch = next_epoch(epoch), changed = pg_current_xact_id()::text::bigint
    WHERE id IN (SELECT id FROM takes
      WHERE state = 'sent' AND machine IS NULL AND root = ANY (p_roots) AND account_id = ANY (p_accounts)
        AND project_id <> ALL (p_not_in)
      ORDER BY turn LIMIT least(p_limit, 200) FOR UPDATE SKIP LOCKED)
    RETURNING *;
END $$;

-- What a person commands for their own takes; the admin, for those of all people.
CREATE OR REPLACE FUNCTION command_takes(p_machine text, p_ids uuid[], p_kind text, p_value text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE v_person text; v_ids uuid[]; v_again uuid[]; t record;
BEGIN
  v_person := (own_machine(p_machine)).person;
  IF p_kind = 'go_on' THEN
    -- Anyone may have made what it waits for.
    v_ids := ARRAY(SELECT id FROM takes WHERE id = ANY (p_ids) AND waits ORDER BY id FOR UPDATE);
    UPDATE takes SET waits = false, changed = pg_current_xact_id()::text::bigint WHERE id = ANY (v_ids);
    PERFORM boss_add(v_ids);
    RETURN cardinality(v_ids);
  END IF;
  IF p_kind = 'wait' THEN
    UPDATE takes SET waits = true, changed = pg_current_xact_id()::text::bigint
    WHERE id = ANY (p_ids) AND state = 'held' AND machine = p_machine;
    RETURN 0;
  END IF;
  v_ids := ARRAY(SELECT id FROM takes
    WHERE id = ANY (p_ids) AND (person = v_person OR is_admin())
    ORDER BY id);
  IF p_kind = 'priority' THEN
    PERFORM boss_remove(v_ids);
    UPDATE takes SET priority = to_priority(p_value::numeric) WHERE id = ANY (v_ids);
    PERFORM order_turns(person, root) FROM
      (SELECT DISTINCT person, root FROM takes WHERE id = ANY (v_ids) ORDER BY 1, 2) owners;
    PERFORM boss_add(v_ids);
    RETURN cardinality(v_ids);
  END IF;
  PERFORM FROM takes WHERE id = ANY (v_ids) ORDER BY id FOR UPDATE;
  CASE p_kind
  WHEN 'cancel' THEN
    -- An unclear one may have been charged: its price stays.
    PERFORM close_attempt(a.id, true) FROM attempts a JOIN takes ON takes.id = a.take_id
    WHERE a.take_id = ANY (v_ids) AND a.state = 'unclear' AND takes.state = 'unclear';
    UPDATE takes SET is_cancelled = true, epoch = CASE WHEN state = 'unclear' THEN next_epoch(epoch) ELSE epoch END,
      state = CASE WHEN state IN ('waiting', 'unclear') THEN 'cancelled' ELSE state END,
      changed = pg_current_xact_id()::text::bigint
    WHERE id = ANY (v_ids) AND state NOT IN ('done', 'cancelled');
  WHEN 'hold' THEN
    UPDATE takes SET is_on_hold = true, changed = pg_current_xact_id()::text::bigint
    WHERE id = ANY (v_ids) AND state IN ('waiting', 'held');
  WHEN 'resume' THEN
    UPDATE takes SET is_on_hold = false, changed = pg_current_xact_id()::text::bigint
    WHERE id = ANY (v_ids) AND is_on_hold;
    PERFORM boss_add(v_ids);
  WHEN 'retry' THEN
    v_again := ARRAY(SELECT id FROM takes WHERE id = ANY (v_ids)
      AND (state IN ('unclear', 'cancelled') OR (state = 'done' AND outcome = 'failed')));
    PERFORM close_attempt(id, true) FROM attempts WHERE take_id = ANY (v_again) AND state <> 'closed';
    UPDATE takes SET is_cancelled = false, is_on_hold = false WHERE id = ANY (v_again);
    PERFORM put_back(v_again);
    RETURN cardinality(v_again);
  WHEN 'attach' THEN
    -- The service has a task for it: any machine follows that.
    v_again := ARRAY(SELECT take_id FROM attempts a WHERE take_id = ANY (v_ids) AND state = 'unclear'
      AND NOT EXISTS (SELECT FROM attempts other WHERE other.account_id = a.account_id AND other.task_id = p_value
        AND other.take_id <> a.take_id));
    PERFORM accept_attempt(a, p_value) FROM attempts a WHERE take_id = ANY (v_again) AND state = 'unclear';
    UPDATE attempts SET is_attached = true WHERE take_id = ANY (v_again) AND state = 'open';
    UPDATE takes SET state = 'sent', machine = NULL, epoch = next_epoch(epoch), changed = pg_current_xact_id()::text::bigint
    WHERE id = ANY (v_again);
    PERFORM pg_notify('dailies', '{"kind":"work"}'), pg_notify('dailies', '{"kind":"changes"}');
    RETURN cardinality(v_again);
  ELSE PERFORM refuse('unknown_command', p_kind);
  END CASE;
  FOR t IN SELECT DISTINCT machine FROM takes WHERE id = ANY (v_ids) AND machine IS NOT NULL LOOP
    PERFORM pg_notify('dailies', jsonb_build_object('kind', 'commands', 'machine', t.machine)::text);
  END LOOP;
  PERFORM pg_notify('dailies', '{"kind":"changes"}');
  RETURN cardinality(v_ids);
END $$;

-- Takes that wait and have no job: pg-boss lost it, or a budget that was used up has room again.
CREATE OR REPLACE FUNCTION add_lost() RETURNS integer
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE v_lost uuid[];
BEGIN
  v_lost := ARRAY(SELECT t.id FROM takes t WHERE t.state = 'waiting' AND NOT t.is_on_hold AND NOT t.waits
    AND NOT EXISTS (SELECT FROM dailies_boss.job j WHERE j.name = 'root.' || t.root AND j.id = t.id));
  -- Apart, so that budgets are looked up for those alone.
  v_lost := ARRAY(SELECT unnest(v_lost) EXCEPT SELECT id FROM over_budget WHERE id = ANY (v_lost));
  PERFORM boss_add(v_lost);
  RETURN cardinality(v_lost);
END $$;

-- One machine at a time puts back what was lost.
CREATE OR REPLACE FUNCTION sweep(p_machine text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE v_silent uuid[]; v_lost integer; v_waiting uuid[]; v_root roots;
BEGIN
  PERFORM own_machine(p_machine);
  PERFORM not_halted(p_machine);
  PERFORM FROM studio FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN '{"returned":0,"requeued":0}'; END IF;
  -- Nothing of these was sent: a grant would have made them more than held.
  v_silent := ARRAY(SELECT id FROM takes JOIN beats USING (machine)
    WHERE state = 'held' AND seen_at < clock_timestamp() - interval '60 seconds' ORDER BY id FOR UPDATE OF takes SKIP LOCKED);
  PERFORM put_back(v_silent);
  v_lost := add_lost();
  -- Priorities of pg-boss have 31 bits.
  FOR v_root IN SELECT * FROM roots WHERE turn > 1000000000 FOR UPDATE LOOP
    v_waiting := ARRAY(SELECT id FROM takes WHERE state = 'waiting' AND root = v_root.name);
    PERFORM boss_remove(v_waiting);
    UPDATE takes SET turn = greatest(0, turn - v_root.turn) WHERE id = ANY (v_waiting);
    UPDATE roots SET turn = 0 WHERE name = v_root.name;
    PERFORM boss_add(v_waiting);
  END LOOP;
  RETURN jsonb_build_object('returned', cardinality(v_silent), 'requeued', v_lost);
END $$;
`;
