/** Who belongs to the studio, what they may spend, which machines live, and what a restored database must be told. */
export const PEOPLE = `
CREATE OR REPLACE FUNCTION current_origin() RETURNS text
LANGUAGE sql STABLE SET search_path = dailies, pg_temp AS $$
  SELECT concat_ws('/', (pg_control_system()).system_identifier, (pg_control_checkpoint()).timeline_id,
    (SELECT oid FROM pg_database WHERE datname = current_database()))
$$;

CREATE OR REPLACE FUNCTION is_admin() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
  SELECT pg_has_role(session_user, 'dailies_admin', 'MEMBER')
$$;

CREATE OR REPLACE FUNCTION found_studio(p_time_zone text) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
BEGIN
  INSERT INTO studio (origin, time_zone) VALUES (current_origin(), p_time_zone) ON CONFLICT DO NOTHING;
END $$;

-- A name belongs to the login that took it first, and a login has one person, whose cap it cannot leave. The admin may
-- give names to others, and have several.
CREATE OR REPLACE FUNCTION join_studio(p_person text, p_machine text, p_instance text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE v_login name; v_own text;
BEGIN
  -- One joins at a time.
  PERFORM FROM studio FOR UPDATE;
  INSERT INTO people (name, login) VALUES (p_person, session_user) ON CONFLICT DO NOTHING;
  SELECT login INTO v_login FROM people WHERE name = p_person;
  IF v_login <> session_user AND NOT is_admin() THEN PERFORM refuse('person_taken', p_person); END IF;
  SELECT name INTO v_own FROM people WHERE login = session_user AND name <> p_person;
  IF FOUND AND NOT is_admin() THEN PERFORM refuse('other_person', v_own); END IF;
  -- A new data folder has nothing to tell.
  INSERT INTO machines (name, person, login, instance, told)
  VALUES (p_machine, p_person, session_user, p_instance, (SELECT generation FROM studio))
  ON CONFLICT (name) DO UPDATE SET person = p_person, login = session_user, fenced_at = NULL, instance = p_instance,
    facts = CASE WHEN machines.instance = p_instance THEN machines.facts ELSE 0 END,
    told = CASE WHEN machines.instance = p_instance THEN machines.told ELSE excluded.told END,
    run = CASE WHEN machines.instance = p_instance THEN machines.run END
  WHERE (machines.login = session_user OR is_admin()) AND (machines.instance = p_instance OR machines.fenced_at IS NOT NULL);
  IF NOT FOUND THEN PERFORM refuse('machine_taken', p_machine); END IF;
  INSERT INTO beats VALUES (p_machine, clock_timestamp()) ON CONFLICT (machine) DO UPDATE SET seen_at = clock_timestamp();
END $$;

-- The lock by which others see that a process has connections.
CREATE OR REPLACE FUNCTION run_lock(p_run uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE SET search_path = dailies, pg_temp AS $$ SELECT hashtextextended('dailies ' || p_run, 0) $$;

-- This connection is of a process that works under the name of a machine. One process does so at a time: a second one,
-- with a copy of the data folder, is refused while the first is connected and was heard a minute ago. A server learns
-- late that a computer lost its power.
CREATE OR REPLACE FUNCTION begin_run(p_machine text, p_run uuid) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE m machines; v_seen timestamptz;
BEGIN
  SELECT * INTO m FROM machines WHERE name = p_machine;
  IF m.fenced_at IS NULL AND m.run IS DISTINCT FROM p_run THEN
    SELECT * INTO m FROM machines WHERE name = p_machine FOR UPDATE;
    SELECT seen_at INTO v_seen FROM beats WHERE machine = p_machine;
    IF m.run <> p_run AND v_seen > clock_timestamp() - interval '60 seconds'
      AND NOT pg_try_advisory_xact_lock(run_lock(m.run)) THEN PERFORM refuse('machine_taken', p_machine); END IF;
    UPDATE machines SET run = p_run WHERE name = p_machine;
  END IF;
  PERFORM pg_advisory_lock_shared(run_lock(p_run)), set_config('dailies.run', p_run::text, false);
END $$;

-- The first call of each connection. A database that knows less than a machine has seen was restored: nothing is sent
-- until it was told what is missing, since it would hand out what was sent already.
CREATE OR REPLACE FUNCTION hello(p_machine text, p_instance text, p_seen jsonb, p_run uuid DEFAULT NULL) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE s studio; m machines; v_seen_id text; v_seen_generation integer; v_is_restored boolean;
BEGIN
  SELECT * INTO STRICT s FROM studio;
  v_seen_id := split_part(p_seen ->> 'studio', '/', 1);
  IF v_seen_id <> s.id::text THEN PERFORM refuse('other_studio', ''); END IF;
  v_is_restored := s.origin <> current_origin();
  IF p_machine IS NOT NULL THEN
    SELECT * INTO m FROM machines WHERE name = p_machine AND login = session_user;
    IF NOT FOUND AND NOT v_is_restored THEN PERFORM refuse('not_joined', p_machine); END IF;
    IF m.instance <> p_instance AND m.fenced_at IS NULL THEN PERFORM refuse('machine_taken', p_machine); END IF;
  END IF;
  IF m.name IS NOT NULL THEN
    IF p_run IS NOT NULL THEN PERFORM begin_run(p_machine, p_run); END IF;
    -- Only who belongs to the studio is believed, and no number that ends all counting.
    SELECT least(seen, s.generation + 1000) INTO v_seen_generation
    FROM (SELECT nullif(split_part(p_seen ->> 'studio', '/', 2), '')::numeric AS seen) given WHERE seen IS NOT NULL;
    v_is_restored := v_is_restored OR v_seen_generation > s.generation OR (v_seen_generation = s.generation AND (
      (p_seen ->> 'grants')::bigint > coalesce((SELECT max(sequence) FROM attempts), 0)
      OR (p_seen ->> 'facts')::bigint > m.facts
      OR (p_seen ->> 'changes')::bigint >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint));
  END IF;
  IF v_is_restored AND s.halted_at IS NULL THEN
    UPDATE studio SET halted_at = clock_timestamp(), generation = greatest(generation, v_seen_generation) + 1,
      halted_by = CASE WHEN origin = current_origin() THEN p_machine END
    WHERE halted_at IS NULL;
    -- One that was declared dead may have joined again since, and know of takes that nobody else knows.
    UPDATE machines SET fenced_at = NULL WHERE fenced_at IS NOT NULL;
    PERFORM pg_notify('dailies', '{"kind":"halted"}');
  END IF;
  SELECT * INTO STRICT s FROM studio;
  -- Returned and not raised, which would undo the halt.
  RETURN jsonb_build_object('isJoined', m.name IS NOT NULL, 'studio', s.id::text || '/' || s.generation,
    'isHalted', is_halted(p_machine), 'isFenced', m.fenced_at IS NOT NULL, 'isAdmin', is_admin(),
    'facts', coalesce(m.facts, 0));
END $$;

CREATE OR REPLACE FUNCTION heartbeat(p_machine text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE m machines; s studio;
BEGIN
  SELECT * INTO m FROM machines WHERE name = p_machine AND login = session_user;
  IF NOT FOUND THEN PERFORM refuse('not_joined', p_machine); END IF;
  SELECT * INTO STRICT s FROM studio;
  UPDATE beats SET seen_at = clock_timestamp() WHERE machine = p_machine AND is_run(m);
  RETURN jsonb_build_object(
    -- One whose name another process has now is as good as dead.
    'isFenced', m.fenced_at IS NOT NULL OR NOT is_run(m), 'isHalted', is_halted(p_machine),
    'owned', (SELECT coalesce(jsonb_agg(jsonb_build_array(id, epoch, is_cancelled, is_on_hold, state)), '[]')
      FROM takes WHERE machine = p_machine AND state IN ('held', 'granted', 'sent', 'unclear')),
    'seen', jsonb_build_object('studio', s.id::text || '/' || s.generation,
      'grants', coalesce((SELECT max(sequence) FROM attempts), 0), 'facts', m.facts,
      'changes', coalesce((SELECT max(changed) FROM takes), 0)),
    'accounts', account_states());
END $$;

CREATE OR REPLACE FUNCTION account_states() RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('name', name, 'address', address, 'notBeforeMs', ms_until(not_before),
    'inFlight', in_flight, 'intervalMs', interval_ms, 'rate', jsonb_build_object(
    'submits', 1000 / least_interval_ms, 'polls', polls_a_second, 'uploads', uploads_a_second), 'ceilings',
    (SELECT coalesce(jsonb_object_agg(model, ceiling), '{}') FROM models WHERE account_id = id AND ceiling IS NOT NULL))
    ORDER BY name, address), '[]')
  FROM accounts
$$;

CREATE OR REPLACE FUNCTION changes_since(p_after bigint, p_projects text[], p_limit integer) RETURNS SETOF takes
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
  SELECT * FROM takes
  WHERE changed > p_after
    AND (p_limit IS NULL OR changed < pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
    AND (p_projects IS NULL OR project_id = ANY (p_projects))
  -- All of one transaction, or none of it.
  ORDER BY changed FETCH FIRST coalesce(p_limit, 2147483647) ROWS WITH TIES
$$;

CREATE OR REPLACE FUNCTION claim_project(p_machine text, p_project jsonb, p_budget jsonb DEFAULT NULL) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE p projects;
BEGIN
  PERFORM own_machine(p_machine);
  PERFORM not_halted(p_machine);
  PERFORM add_project(p_project);
  IF p_budget IS NOT NULL THEN PERFORM lower_budget('project', p_project ->> 'id', p_budget); END IF;
  SELECT * INTO p FROM projects WHERE id = p_project ->> 'id' FOR UPDATE;
  IF p.writer IS DISTINCT FROM p_machine AND p.writer_until < clock_timestamp() THEN
    UPDATE projects SET writer = p_machine, writer_epoch = writer_epoch + 1 WHERE id = p.id;
  END IF;
  UPDATE projects SET writer_until = clock_timestamp() + interval '60 seconds' WHERE id = p.id AND writer = p_machine;
  SELECT * INTO p FROM projects WHERE id = p.id;
  RETURN jsonb_build_object('isWriter', p.writer = p_machine, 'epoch', p.writer_epoch, 'writer', p.writer,
    'forMs', ms_until(p.writer_until));
END $$;

-- What waits for a budget: see over_budget. A machine that was handed such a take gives it back soon.
CREATE OR REPLACE FUNCTION budget_states() RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('scope', b.scope,
    'name', CASE b.scope WHEN 'night' THEN tonight() ELSE b.name END,
    'title', CASE b.scope WHEN 'night' THEN tonight() WHEN 'person' THEN b.name
      WHEN 'project' THEN (SELECT name FROM projects WHERE id = b.name) ELSE (SELECT name FROM batches WHERE id = b.name) END,
    'limit', jsonb_build_object('takes', max_takes, 'micros', max_micros),
    'used', jsonb_build_object('takes', coalesce(u.takes, 0), 'micros', coalesce(u.micros, 0)),
    'waiting', (SELECT coalesce(jsonb_object_agg(batch_id, count), '{}') FROM (
      SELECT t.batch_id, count(*) FROM takes t
      WHERE t.state IN ('waiting', 'held') AND NOT t.is_on_hold
        AND b.name = CASE b.scope WHEN 'night' THEN '' WHEN 'person' THEN t.person
          WHEN 'project' THEN t.project_id ELSE t.batch_id END
        AND (coalesce(u.takes, 0) + 1 > b.max_takes
          OR coalesce(u.micros, 0) + coalesce(t.price_micros, 0) > b.max_micros)
      GROUP BY t.batch_id) waiting)) ORDER BY b.scope, b.name), '[]')
  FROM budgets b LEFT JOIN usage u
  ON u.scope = b.scope AND u.name = CASE b.scope WHEN 'night' THEN tonight() ELSE b.name END
$$;

-- A limit that is not named stays; null removes one.
CREATE OR REPLACE FUNCTION set_budget(p_scope text, p_name text, p_limit jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE v_used text := CASE p_scope WHEN 'night' THEN tonight() ELSE p_name END;
BEGIN
  IF p_scope = 'person' AND NOT EXISTS (SELECT FROM people WHERE name = p_name) THEN
    PERFORM refuse('unknown_person', p_name);
  ELSIF p_scope = 'project' AND NOT EXISTS (SELECT FROM projects WHERE id = p_name) THEN
    PERFORM refuse('unknown_project', p_name);
  END IF;
  -- Waits for a grant that read the old limit.
  INSERT INTO usage (scope, name) VALUES (p_scope, v_used) ON CONFLICT DO NOTHING;
  PERFORM FROM usage WHERE scope = p_scope AND name = v_used FOR UPDATE;
  INSERT INTO budgets (scope, name) VALUES (p_scope, p_name) ON CONFLICT DO NOTHING;
  UPDATE budgets SET
    max_takes = CASE WHEN p_limit ? 'takes' THEN (p_limit ->> 'takes')::integer ELSE max_takes END,
    max_micros = CASE WHEN p_limit ? 'micros' THEN (p_limit ->> 'micros')::bigint ELSE max_micros END
  WHERE scope = p_scope AND name = p_name;
  DELETE FROM budgets WHERE scope = p_scope AND name = p_name AND max_takes IS NULL AND max_micros IS NULL;
  PERFORM add_lost();
END $$;

CREATE OR REPLACE FUNCTION set_weight(p_person text, p_weight integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE v_root text; v_ids uuid[];
BEGIN
  IF NOT EXISTS (SELECT FROM people WHERE name = p_person) THEN PERFORM refuse('unknown_person', p_person); END IF;
  -- What waits gets new turns, from the present one on.
  FOR v_root, v_ids IN
    SELECT root, array_agg(id) FROM takes WHERE person = p_person AND state = 'waiting' GROUP BY root ORDER BY root
  LOOP
    PERFORM boss_remove(v_ids);
    UPDATE people SET weight = p_weight WHERE name = p_person;
    UPDATE takes t SET turn = roots.turn + place * turn_length(p_person)
    FROM roots, (SELECT id, row_number() OVER (ORDER BY priority DESC, turn) AS place FROM takes
      WHERE id = ANY (v_ids) AND state = 'waiting') placed
    WHERE t.id = placed.id AND roots.name = v_root;
    PERFORM boss_add(v_ids);
  END LOOP;
  UPDATE people SET weight = p_weight WHERE name = p_person;
END $$;

-- The most that all machines together may send a second, which a 429 lowers for a while.
CREATE OR REPLACE FUNCTION set_rate(p_account text, p_submits double precision, p_polls integer, p_uploads integer)
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE v_count integer;
BEGIN
  UPDATE accounts SET interval_ms = coalesce(1000 / p_submits, interval_ms),
    least_interval_ms = coalesce(1000 / p_submits, least_interval_ms),
    polls_a_second = coalesce(p_polls, polls_a_second), uploads_a_second = coalesce(p_uploads, uploads_a_second), not_before = 'epoch'
  WHERE name = p_account;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;

-- What a dead machine had: unsent takes go back, sent ones may be adopted, and what it was granted and said nothing about
-- needs a person, since the request may have been charged.
CREATE OR REPLACE FUNCTION declare_dead(p_machine text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE v_held uuid[]; v_granted uuid[]; v_sent uuid[];
BEGIN
  UPDATE machines SET fenced_at = clock_timestamp() WHERE name = p_machine;
  IF NOT FOUND THEN PERFORM refuse('unknown_machine', p_machine); END IF;
  PERFORM FROM takes WHERE machine = p_machine AND state IN ('held', 'granted', 'sent', 'unclear') ORDER BY id FOR UPDATE;
  v_held := ARRAY(SELECT id FROM takes WHERE machine = p_machine AND state = 'held');
  v_granted := ARRAY(SELECT id FROM takes WHERE machine = p_machine AND state = 'granted');
  v_sent := ARRAY(SELECT id FROM takes WHERE machine = p_machine AND state = 'sent');
  PERFORM put_back(v_held);
  PERFORM count_attempt(id, -1, false) FROM attempts WHERE take_id = ANY (v_granted) AND state = 'open';
  UPDATE attempts SET state = 'unclear' WHERE take_id = ANY (v_granted) AND state = 'open';
  UPDATE takes SET state = CASE state WHEN 'granted' THEN 'unclear' ELSE state END, machine = NULL, epoch = next_epoch(epoch),
    changed = pg_current_xact_id()::text::bigint
  WHERE id = ANY (v_granted || v_sent);
  UPDATE projects SET writer_until = 'epoch' WHERE writer = p_machine;
  PERFORM pg_notify('dailies', jsonb_build_object('kind', 'commands', 'machine', p_machine)::text);
  PERFORM pg_notify('dailies', '{"kind":"work"}');
  RETURN jsonb_build_object('returned', cardinality(v_held), 'unclear', cardinality(v_granted),
    'adoptable', cardinality(v_sent));
END $$;

-- What one machine knows, after a restore; one that was declared dead may tell too. It speaks of takes that the backup
-- gives to it or to nobody, as of its epoch or an earlier one. Of others it can only say that it sent a request, which a
-- person decides about.
CREATE OR REPLACE FUNCTION tell(p_machine text, p_seen jsonb, p_known jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE m machines; b jsonb; k jsonb; v_person text;
BEGIN
  SELECT * INTO m FROM machines WHERE name = p_machine AND login = session_user FOR NO KEY UPDATE;
  IF NOT FOUND THEN PERFORM refuse('not_joined', p_machine); END IF;
  IF NOT is_halted(p_machine) THEN RETURN; END IF;
  FOR b IN SELECT * FROM jsonb_array_elements(p_known -> 'batches') LOOP
    SELECT name INTO v_person FROM people WHERE name = b ->> 'person';
    v_person := coalesce(v_person, m.person);
    PERFORM add_project(b -> 'batch' -> 'project');
    INSERT INTO batches (id, project_id, name, person, list)
    VALUES (b -> 'batch' ->> 'id', b -> 'batch' -> 'project' ->> 'id', b -> 'batch' ->> 'name', v_person, b -> 'batch' -> 'list')
    ON CONFLICT DO NOTHING;
    IF b -> 'budget' IS NOT NULL THEN PERFORM lower_budget('batch', b -> 'batch' ->> 'id', b -> 'budget'); END IF;
    PERFORM add_takes(v_person, b -> 'batch' ->> 'id', b -> 'batch' -> 'project' ->> 'id',
      b -> 'batch' -> 'project' ->> 'root', b -> 'takes');
    UPDATE takes SET is_on_hold = true, changed = pg_current_xact_id()::text::bigint
    WHERE state IN ('waiting', 'held') AND NOT is_on_hold
      AND id IN (SELECT (e ->> 'id')::uuid FROM jsonb_array_elements(b -> 'takes') e WHERE (e ->> 'isHeld')::boolean);
  END LOOP;
  FOR k IN SELECT * FROM jsonb_array_elements(p_known -> 'takes') LOOP
    PERFORM tell_take(p_machine, k);
  END LOOP;
  -- What the backup says this machine holds, and the machine knows nothing of, was given back later.
  PERFORM put_back(ARRAY(SELECT id FROM takes WHERE machine = p_machine AND state = 'held'
    AND id NOT IN (SELECT (e ->> 'takeId')::uuid FROM jsonb_array_elements(p_known -> 'takes') e)));
  PERFORM setval(pg_get_serial_sequence('dailies.attempts', 'sequence'),
    (SELECT greatest(last, least(coalesce((p_seen ->> 'grants')::numeric, 0), last + 1000000), 1)
    FROM (SELECT coalesce(max(sequence), 0) AS last FROM attempts) known)::bigint);
  UPDATE machines SET told = (SELECT generation FROM studio), facts = greatest(facts, (p_seen ->> 'facts')::bigint)
  WHERE name = p_machine;
END $$;

CREATE OR REPLACE FUNCTION tell_take(p_machine text, k jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE
  t takes; a attempts; v_attempt jsonb; v_id uuid; v_is_own boolean; v_is_new boolean;
  v_epoch integer := (k ->> 'epoch')::integer; v_state text := k ->> 'state';
BEGIN
  SELECT * INTO t FROM takes WHERE id = (k ->> 'takeId')::uuid FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  IF v_state = 'cancelled' THEN
    -- Nobody sends it after that, whichever machine had it: to send it again is a command.
    UPDATE takes SET is_cancelled = true, changed = pg_current_xact_id()::text::bigint,
      state = CASE state WHEN 'waiting' THEN 'cancelled' ELSE state END
    WHERE id = t.id AND state IN ('waiting', 'held');
  END IF;
  v_is_own := coalesce(t.machine, p_machine) = p_machine AND t.epoch <= v_epoch;
  v_attempt := k -> 'attempt';
  v_id := (v_attempt ->> 'attemptId')::uuid;
  -- What was not sent after all leaves no trace.
  IF v_state = 'held' AND NOT coalesce((v_attempt ->> 'isOpen')::boolean, false) THEN v_id := NULL; END IF;
  v_is_new := v_id IS NOT NULL AND NOT EXISTS (SELECT FROM attempts WHERE id = v_id);
  IF v_is_new THEN
    IF v_is_own THEN
      PERFORM close_attempt(id, true) FROM attempts WHERE take_id = t.id AND state <> 'closed';
    END IF;
    INSERT INTO models (account_id, model) VALUES (t.account_id, v_attempt ->> 'model') ON CONFLICT DO NOTHING;
    INSERT INTO attempts (id, take_id, machine, epoch, account_id, model, body_hash, price_micros, night, task_id, state)
    VALUES (v_id, t.id, p_machine, v_epoch, t.account_id, v_attempt ->> 'model', v_attempt ->> 'bodyHash',
      greatest((v_attempt ->> 'priceMicros')::bigint, t.price_micros), tonight(), v_attempt ->> 'taskId',
      CASE WHEN v_is_own THEN 'open' WHEN t.state IN ('waiting', 'held') THEN 'unclear' ELSE 'closed' END);
    IF v_is_own THEN PERFORM count_attempt(v_id, 1, true); ELSE PERFORM count_money(v_id, 1); END IF;
  END IF;
  IF NOT v_is_own THEN
    IF v_is_new AND t.state IN ('waiting', 'held') THEN
      UPDATE takes SET state = 'unclear', machine = NULL, epoch = next_epoch(greatest(epoch, v_epoch)),
        changed = pg_current_xact_id()::text::bigint
      WHERE id = t.id;
    END IF;
    RETURN;
  END IF;
  SELECT * INTO a FROM attempts WHERE id = v_id AND take_id = t.id AND state <> 'closed';
  CASE v_state
  WHEN 'held' THEN
    PERFORM close_attempt(id, false) FROM attempts WHERE take_id = t.id AND state <> 'closed';
  WHEN 'sent' THEN
    IF a.id IS NOT NULL THEN PERFORM accept_attempt(a, coalesce(v_attempt ->> 'taskId', a.task_id)); END IF;
  WHEN 'granted', 'unclear' THEN
    PERFORM count_attempt(id, -1, false) FROM attempts WHERE take_id = t.id AND state = 'open' AND v_state = 'unclear';
    UPDATE attempts SET state = 'unclear' WHERE take_id = t.id AND state = 'open' AND v_state = 'unclear';
  WHEN 'done', 'cancelled' THEN
    PERFORM close_attempt(id, true) FROM attempts WHERE take_id = t.id AND state <> 'closed';
  ELSE PERFORM refuse('unknown_fact', v_state);
  END CASE;
  -- Without the request that would be followed, nobody knows more than that.
  IF v_state IN ('granted', 'sent') AND NOT EXISTS (SELECT FROM attempts WHERE take_id = t.id AND state = 'open') THEN
    v_state := 'unclear';
  END IF;
  UPDATE takes SET state = v_state, machine = p_machine, epoch = v_epoch,
    outcome = CASE v_state WHEN 'done' THEN coalesce(k ->> 'outcome', 'failed') END,
    changed = pg_current_xact_id()::text::bigint
  WHERE id = t.id;
END $$;

-- Machines that may know something and have not told it.
CREATE OR REPLACE FUNCTION untold() RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
  SELECT array(SELECT name FROM machines, studio WHERE fenced_at IS NULL AND told < generation ORDER BY name)
$$;

CREATE OR REPLACE FUNCTION reconcile() RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM studio WHERE halted_at IS NOT NULL) THEN RETURN '[]'; END IF;
  IF cardinality(untold()) > 0 THEN RETURN to_jsonb(untold()); END IF;
  -- Numbers of transactions of another server mean nothing here.
  UPDATE takes SET changed = pg_current_xact_id()::text::bigint;
  UPDATE roots SET turn = greatest(turn, (SELECT coalesce(min(t.turn), 0) FROM takes t WHERE t.root = name AND state = 'waiting'));
  PERFORM boss_remove(ARRAY(SELECT id FROM takes));
  PERFORM boss_add(ARRAY(SELECT id FROM takes WHERE state = 'waiting'));
  UPDATE studio SET halted_at = NULL, halted_by = NULL, origin = current_origin();
  PERFORM pg_notify('dailies', '{"kind":"work"}');
  RETURN '[]';
END $$;
`;
