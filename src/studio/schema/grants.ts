/**
 * The right to send one request, and what ends it.
 *
 * A grant is one transaction: it locks the machine, the take and the account, in that order, checks everything that can
 * forbid the request, stores the attempt and reserves its price. After it nothing expires: the attempt ends by a report of
 * its machine, or by `declare_dead` and a person's decision. So a machine that stood still for an hour cannot send what
 * another one has sent since.
 */
export const GRANTS = `
-- Whether a connection is of the process that works under a machine's name now; see hello. One without a process may
-- call, as when the administrator looks into something by hand.
CREATE OR REPLACE FUNCTION is_run(m machines) RETURNS boolean
LANGUAGE sql STABLE SET search_path = dailies, pg_temp AS $$
  SELECT coalesce(nullif(current_setting('dailies.run', true), ''), m.run::text) IS NOT DISTINCT FROM m.run::text
$$;

-- The machine that calls, which no other login can name. A grant and declare_dead exclude each other by this lock.
CREATE OR REPLACE FUNCTION own_machine(p_machine text) RETURNS machines
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE m machines;
BEGIN
  SELECT * INTO m FROM machines WHERE name = p_machine AND login = session_user FOR SHARE;
  IF NOT FOUND THEN PERFORM refuse('not_joined', p_machine); END IF;
  IF m.fenced_at IS NOT NULL THEN PERFORM refuse('fenced', p_machine); END IF;
  IF NOT is_run(m) THEN PERFORM refuse('machine_taken', p_machine); END IF;
  RETURN m;
END $$;

CREATE OR REPLACE FUNCTION refuse(p_code text, p_detail text) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'DL001', MESSAGE = p_code, DETAIL = coalesce(p_detail, '');
END $$;

-- Also for a machine that was away, or counted as dead, while all others told a restored database what they know: what it
-- has sent, nobody else can tell.
CREATE OR REPLACE FUNCTION is_halted(p_machine text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT halted_at IS NOT NULL OR EXISTS (SELECT FROM machines WHERE name = p_machine AND told < generation) FROM studio
$$;

CREATE OR REPLACE FUNCTION not_halted(p_machine text) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
BEGIN
  IF is_halted(p_machine) THEN PERFORM refuse('halted', ''); END IF;
END $$;

-- Nights last from noon to noon, where the studio is.
CREATE OR REPLACE FUNCTION tonight() RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT to_char((clock_timestamp() AT TIME ZONE time_zone) - interval '12 hours', 'YYYY-MM-DD') FROM studio
$$;

CREATE OR REPLACE FUNCTION ms_until(p_time timestamptz) RETURNS double precision
LANGUAGE sql VOLATILE AS $$
  SELECT greatest(0, extract(epoch FROM p_time - clock_timestamp()) * 1000)::double precision
$$;

CREATE OR REPLACE FUNCTION grant_submit(
  p_machine text, p_take uuid, p_attempt uuid, p_epoch integer, p_hash text, p_model text, p_price bigint,
  p_account jsonb
) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE
  machine machines; t takes; a attempts; account accounts; m models; spent record;
  v_now timestamptz; v_ready timestamptz; v_night text := tonight(); v_sequence bigint; v_price bigint;
BEGIN
  -- So that others of the account need not wait for the disk: see flush.
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT * INTO machine FROM machines WHERE name = p_machine FOR SHARE;
  IF machine.login IS DISTINCT FROM session_user THEN PERFORM refuse('not_joined', p_machine); END IF;
  IF machine.fenced_at IS NOT NULL OR NOT is_run(machine) THEN
    RETURN '{"kind":"refused","why":"fenced","budget":null}';
  END IF;
  IF is_halted(p_machine) THEN
    RETURN '{"kind":"refused","why":"halted","budget":null}';
  END IF;
  SELECT * INTO t FROM takes WHERE id = p_take FOR UPDATE;
  IF t.machine IS DISTINCT FROM p_machine OR t.epoch <> p_epoch THEN
    RETURN '{"kind":"refused","why":"not_owner","budget":null}';
  END IF;
  SELECT * INTO a FROM attempts WHERE id = p_attempt;
  IF FOUND THEN
    -- Asked again after a COMMIT without an answer.
    IF a.take_id = p_take AND a.machine = p_machine AND a.epoch = p_epoch AND a.state = 'open' AND a.body_hash = p_hash
      AND t.state = 'granted' THEN
      RETURN jsonb_build_object('kind', 'granted', 'sequence', a.sequence, 'night', a.night);
    END IF;
    RETURN '{"kind":"refused","why":"attempt_used","budget":null}';
  END IF;
  IF t.is_cancelled THEN RETURN '{"kind":"refused","why":"cancelled","budget":null}'; END IF;
  IF t.is_on_hold THEN RETURN '{"kind":"refused","why":"on_hold","budget":null}'; END IF;
  IF t.state <> 'held' THEN RETURN '{"kind":"refused","why":"attempt_open","budget":null}'; END IF;

  SELECT * INTO account FROM accounts WHERE id = t.account_id FOR UPDATE;
  IF (account.name, account.address) IS DISTINCT FROM (p_account ->> 'name', p_account ->> 'address') THEN
    RETURN '{"kind":"refused","why":"other_account","budget":null}';
  END IF;
  -- What the take was queued with counts, whatever prices its machine has.
  v_price := greatest(p_price, t.price_micros);
  v_now := clock_timestamp();
  v_ready := greatest(account.next_at, account.not_before);
  IF v_now < v_ready THEN
    RETURN jsonb_build_object('kind', 'wait', 'ms', ms_until(v_ready),
      'why', CASE WHEN account.not_before > v_now THEN 'throttled' ELSE 'rate' END);
  END IF;
  INSERT INTO models (account_id, model) VALUES (t.account_id, p_model) ON CONFLICT DO NOTHING;
  SELECT * INTO m FROM models WHERE account_id = t.account_id AND model = p_model FOR UPDATE;
  IF m.in_flight >= m.ceiling AND account.in_flight >= coalesce(m.ceiling_of_all, 0) THEN
    IF v_now < m.next_try_at THEN
      RETURN jsonb_build_object('kind', 'wait', 'why', 'ceiling', 'ms', ms_until(m.next_try_at));
    END IF;
    -- One more is tried now and then.
    UPDATE models SET next_try_at = v_now + try_wait_ms * interval '1 ms'
    WHERE account_id = t.account_id AND model = p_model;
  END IF;

  PERFORM lock_usage(t, v_night);
  FOR spent IN
    SELECT u.scope, u.name, u.takes, u.micros, b.max_takes, b.max_micros FROM usage u
    LEFT JOIN budgets b ON b.scope = u.scope AND b.name = CASE u.scope WHEN 'night' THEN '' ELSE u.name END
    WHERE (u.scope, u.name) IN
      (('batch', t.batch_id), ('night', v_night), ('person', t.person), ('project', t.project_id))
    ORDER BY u.scope, u.name
  LOOP
    IF spent.takes + 1 > spent.max_takes OR spent.micros + v_price > spent.max_micros
      OR (spent.max_micros IS NOT NULL AND v_price IS NULL) THEN
      RETURN jsonb_build_object('kind', 'refused',
        'why', CASE WHEN v_price IS NULL AND spent.takes < coalesce(spent.max_takes, spent.takes + 1)
          THEN 'unpriced' ELSE 'budget' END,
        'budget', jsonb_build_object('scope', spent.scope, 'name', spent.name,
          'limit', jsonb_build_object('takes', spent.max_takes, 'micros', spent.max_micros),
          'used', jsonb_build_object('takes', spent.takes, 'micros', spent.micros)));
    END IF;
  END LOOP;

  INSERT INTO attempts (id, take_id, machine, epoch, account_id, model, body_hash, price_micros, night)
  VALUES (p_attempt, p_take, p_machine, p_epoch, t.account_id, p_model, p_hash, v_price, v_night)
  RETURNING sequence INTO v_sequence;
  UPDATE takes SET state = 'granted', changed = pg_current_xact_id()::text::bigint WHERE id = p_take;
  UPDATE usage SET takes = takes + 1, micros = micros + coalesce(v_price, 0)
  WHERE (scope, name) IN (('batch', t.batch_id), ('night', v_night), ('person', t.person), ('project', t.project_id));
  UPDATE models SET in_flight = in_flight + 1 WHERE account_id = t.account_id AND model = p_model;
  -- What a 429 has slowed down by half is won back in seventy requests.
  UPDATE accounts SET in_flight = in_flight + 1,
    next_at = greatest(next_at, v_now) + interval_ms * interval '1 ms',
    interval_ms = greatest(least_interval_ms, interval_ms * 0.99)
  WHERE id = t.account_id;
  RETURN jsonb_build_object('kind', 'granted', 'sequence', v_sequence, 'night', v_night);
END $$;

-- Ends once the disk has all that was committed before. Grants of an account come one after the other, by its lock; waiting
-- for the disk after that lock, those of several machines share one sync. What a crash takes back was not sent yet: its
-- machine asks again, with the same attempt.
CREATE OR REPLACE FUNCTION flush() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
  SELECT pg_logical_emit_message(true, 'dailies', '')
$$;

-- Counts an attempt (1) or no longer counts it (-1): as in flight, and with its price where that is concerned too.
CREATE OR REPLACE FUNCTION count_attempt(p_attempt uuid, p_by integer, p_is_money boolean) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE a attempts; t takes;
BEGIN
  SELECT * INTO a FROM attempts WHERE id = p_attempt;
  SELECT * INTO t FROM takes WHERE id = a.take_id;
  UPDATE accounts SET in_flight = in_flight + p_by WHERE id = a.account_id;
  UPDATE models SET in_flight = in_flight + p_by WHERE account_id = a.account_id AND model = a.model;
  IF p_is_money THEN PERFORM count_money(p_attempt, p_by); END IF;
END $$;

CREATE OR REPLACE FUNCTION count_money(p_attempt uuid, p_by integer) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE a attempts; t takes;
BEGIN
  SELECT * INTO a FROM attempts WHERE id = p_attempt;
  SELECT * INTO t FROM takes WHERE id = a.take_id;
  PERFORM lock_usage(t, a.night);
  UPDATE usage SET takes = takes + p_by, micros = micros + p_by * coalesce(a.price_micros, 0)
  WHERE (scope, name) IN (('batch', t.batch_id), ('night', a.night), ('person', t.person), ('project', t.project_id));
END $$;

-- The four rows that a take counts in, made where they are missing and locked in one order.
CREATE OR REPLACE FUNCTION lock_usage(t takes, p_night text) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
BEGIN
  LOOP
    PERFORM FROM usage
    WHERE (scope, name) IN (('batch', t.batch_id), ('night', p_night), ('person', t.person), ('project', t.project_id))
    ORDER BY scope, name FOR UPDATE;
    GET DIAGNOSTICS t.priority = ROW_COUNT;
    EXIT WHEN t.priority = 4;
    INSERT INTO usage (scope, name)
    VALUES ('batch', t.batch_id), ('night', p_night), ('person', t.person), ('project', t.project_id)
    ON CONFLICT DO NOTHING;
  END LOOP;
END $$;

-- Ends an attempt. One that was not charged gives its place in the budgets back.
CREATE OR REPLACE FUNCTION close_attempt(p_attempt uuid, p_is_charged boolean) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE v_before text;
BEGIN
  SELECT state INTO v_before FROM attempts WHERE id = p_attempt;
  IF v_before = 'open' THEN
    PERFORM count_attempt(p_attempt, -1, NOT p_is_charged);
  ELSIF v_before = 'unclear' AND NOT p_is_charged THEN
    PERFORM count_money(p_attempt, -1);
  END IF;
  UPDATE attempts SET state = 'closed', is_charged = p_is_charged WHERE id = p_attempt AND state <> 'closed';
END $$;

-- The service runs a task for it. More of them than the ceiling says show that it was too low: one more that was tried,
-- and soon the next; or an unclear one, which counts again.
CREATE OR REPLACE FUNCTION accept_attempt(a attempts, p_task text) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
BEGIN
  IF a.state = 'unclear' THEN PERFORM count_attempt(a.id, 1, false); END IF;
  UPDATE attempts SET task_id = p_task, state = 'open' WHERE id = a.id;
  UPDATE models m SET ceiling = m.in_flight, ceiling_of_all = account.in_flight, try_wait_ms = 30000,
    next_try_at = CASE a.state WHEN 'open' THEN clock_timestamp() + interval '3 seconds' ELSE next_try_at END
  FROM accounts account
  WHERE m.account_id = a.account_id AND m.model = a.model AND account.id = a.account_id AND m.in_flight > m.ceiling;
END $$;

-- Facts of one machine's outbox, by sequence: those that are stored already change nothing.
CREATE OR REPLACE FUNCTION report(p_machine text, p_facts jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE m machines; f jsonb; v_stored bigint;
BEGIN
  SELECT * INTO m FROM machines WHERE name = p_machine AND login = session_user FOR NO KEY UPDATE;
  IF NOT FOUND THEN PERFORM refuse('not_joined', p_machine); END IF;
  -- Its sequence is not that of the process that has its name now.
  IF NOT is_run(m) THEN PERFORM refuse('machine_taken', p_machine); END IF;
  v_stored := m.facts;
  PERFORM not_halted(p_machine);
  PERFORM FROM takes t WHERE id IN (SELECT (e ->> 'takeId')::uuid FROM jsonb_array_elements(p_facts) e)
    OR id IN (SELECT other.id FROM jsonb_array_elements(p_facts) e JOIN takes judged ON judged.id = (e ->> 'takeId')::uuid
      JOIN takes other ON other.batch_id = judged.batch_id AND other.shot_key = judged.shot_key
      WHERE e #>> '{verdict,flag}' = 'pick')
  ORDER BY id FOR UPDATE;
  FOR f IN SELECT e FROM jsonb_array_elements(p_facts) e ORDER BY (e ->> 'sequence')::bigint LOOP
    CONTINUE WHEN (f ->> 'sequence')::bigint <= v_stored;
    PERFORM store_fact(p_machine, m.fenced_at IS NOT NULL, f);
    v_stored := (f ->> 'sequence')::bigint;
  END LOOP;
  UPDATE machines SET facts = v_stored WHERE name = p_machine;
  PERFORM pg_notify('dailies', '{"kind":"changes"}');
  RETURN v_stored;
END $$;

-- The last one counts, whichever machine has the take. A shot has one pick.
CREATE OR REPLACE FUNCTION judge(t takes, p_person text, p_verdict jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
BEGIN
  IF octet_length(p_verdict::text) > 1000000 THEN PERFORM refuse('bad_verdict', t.shot_key); END IF;
  UPDATE takes SET verdict = p_verdict, judge = p_person, changed = pg_current_xact_id()::text::bigint WHERE id = t.id;
  IF p_verdict ->> 'flag' = 'pick' THEN
    UPDATE takes SET verdict = jsonb_set(verdict, '{flag}', '"alternate"'), judge = p_person,
      changed = pg_current_xact_id()::text::bigint
    WHERE batch_id = t.batch_id AND shot_key = t.shot_key AND id <> t.id AND verdict ->> 'flag' = 'pick';
  END IF;
END $$;

CREATE OR REPLACE FUNCTION store_fact(p_machine text, p_is_fenced boolean, f jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = dailies, pg_temp AS $$
DECLARE
  t takes; a attempts; v_kind text := f ->> 'kind'; v_attempt uuid := nullif(f ->> 'attemptId', '')::uuid;
  v_is_own boolean; v_next text; v_outcome text;
BEGIN
  SELECT * INTO t FROM takes WHERE id = (f ->> 'takeId')::uuid;
  IF NOT FOUND THEN RETURN; END IF;
  IF v_kind = 'judged' THEN
    PERFORM judge(t, (SELECT person FROM machines WHERE name = p_machine), f -> 'verdict');
    RETURN;
  END IF;
  SELECT * INTO a FROM attempts WHERE id = v_attempt AND take_id = t.id;
  v_is_own := NOT p_is_fenced AND t.machine = p_machine AND t.epoch = (f ->> 'epoch')::integer;
  IF NOT v_is_own THEN
    -- Of a machine that was declared dead: it no longer works on the take, but knows what its request came to.
    IF a.state IS DISTINCT FROM 'unclear' OR a.machine <> p_machine OR t.state <> 'unclear' THEN RETURN; END IF;
    IF v_kind = 'accepted' THEN
      PERFORM accept_attempt(a, f ->> 'taskId');
      UPDATE takes SET state = 'sent', machine = NULL, changed = pg_current_xact_id()::text::bigint WHERE id = t.id;
    ELSIF v_kind = 'not_sent' THEN
      PERFORM close_attempt(a.id, false);
      PERFORM put_back(ARRAY[t.id]);
    END IF;
    RETURN;
  END IF;

  -- A right that nobody was told of is none, even where its COMMIT is still on the way.
  IF v_kind = 'not_sent' AND a.id IS NULL AND v_attempt IS NOT NULL THEN
    INSERT INTO attempts (id, take_id, machine, epoch, account_id, model, body_hash, night, state, is_charged)
    VALUES (v_attempt, t.id, p_machine, t.epoch, t.account_id, t.model, '', tonight(), 'closed', false)
    ON CONFLICT DO NOTHING;
    RETURN;
  END IF;
  -- About an earlier request, when another one is on its way already.
  IF v_kind IN ('not_sent', 'accepted', 'unclear', 'failed', 'saved') AND v_attempt IS NOT NULL
    AND EXISTS (SELECT FROM attempts WHERE take_id = t.id AND state <> 'closed' AND id IS DISTINCT FROM a.id) THEN RETURN;
  END IF;
  v_next := t.state;
  CASE v_kind
  WHEN 'not_sent' THEN
    IF a.state IS NULL OR a.state = 'closed' THEN RETURN; END IF;
    PERFORM close_attempt(a.id, false);
    v_next := 'held';
  WHEN 'accepted' THEN
    IF a.state IS NULL OR a.state = 'closed' THEN RETURN; END IF;
    PERFORM accept_attempt(a, f ->> 'taskId');
    v_next := 'sent';
  WHEN 'unclear' THEN
    IF a.id IS NULL AND v_attempt IS NOT NULL AND t.state = 'held' THEN
      -- A recipe from before a restore announces it, and nobody knows more: a person decides, as with any other.
      INSERT INTO models (account_id, model) VALUES (t.account_id, t.model) ON CONFLICT DO NOTHING;
      INSERT INTO attempts (id, take_id, machine, epoch, account_id, model, body_hash, price_micros, night, state)
      VALUES (v_attempt, t.id, p_machine, t.epoch, t.account_id, t.model, '', t.price_micros, tonight(), 'unclear')
      ON CONFLICT DO NOTHING;
      IF FOUND THEN PERFORM count_money(v_attempt, 1); END IF;
    ELSIF a.state IS DISTINCT FROM 'open' THEN RETURN;
    ELSE
      PERFORM count_attempt(a.id, -1, false);
      UPDATE attempts SET state = 'unclear' WHERE id = a.id;
    END IF;
    v_next := 'unclear';
  WHEN 'failed' THEN
    PERFORM close_attempt(id, (f ->> 'isCharged')::boolean) FROM attempts WHERE take_id = t.id AND state <> 'closed';
    v_next := 'done'; v_outcome := 'failed';
  WHEN 'saved' THEN
    PERFORM close_attempt(id, true) FROM attempts WHERE take_id = t.id AND state <> 'closed';
    -- One that was given back is no longer counted.
    IF f ->> 'priceMicros' IS NOT NULL AND (a.state <> 'closed' OR a.is_charged) THEN
      PERFORM count_money(a.id, -1);
      UPDATE attempts SET price_micros = greatest(0, (f ->> 'priceMicros')::bigint) WHERE id = a.id;
      PERFORM count_money(a.id, 1);
    END IF;
    v_next := 'done'; v_outcome := 'saved';
  WHEN 'cancelled' THEN
    PERFORM close_attempt(id, true) FROM attempts WHERE take_id = t.id AND state <> 'closed';
    v_next := 'cancelled';
  WHEN 'released' THEN
    IF t.state = 'held' THEN PERFORM put_back(ARRAY[t.id]); RETURN; END IF;
    -- A machine that leaves: others follow the task.
    IF t.state <> 'sent' THEN RETURN; END IF;
  WHEN 'note' THEN NULL;
  ELSE PERFORM refuse('unknown_fact', v_kind);
  END CASE;

  UPDATE takes SET state = v_next,
    outcome = CASE WHEN v_next = 'done' THEN coalesce(v_outcome, t.outcome) END,
    machine = CASE WHEN v_kind = 'released' THEN NULL ELSE machine END,
    epoch = CASE WHEN v_kind = 'released' THEN next_epoch(epoch) ELSE epoch END,
    detail = CASE WHEN f ? 'detail' THEN f -> 'detail' ELSE detail END,
    changed = pg_current_xact_id()::text::bigint
  WHERE id = t.id;
END $$;

-- A 429: the account waits for all machines. Several that come together slow it down once.
CREATE OR REPLACE FUNCTION throttled(
  p_machine text, p_account integer, p_model text, p_retry_ms double precision, p_is_count boolean
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE account accounts; v_now timestamptz; v_until timestamptz;
BEGIN
  PERFORM own_machine(p_machine);
  -- Who has nothing under way there was sent no 429.
  IF NOT EXISTS (SELECT FROM takes
    WHERE machine = p_machine AND account_id = p_account AND state IN ('held', 'granted', 'sent')) THEN RETURN; END IF;
  SELECT * INTO account FROM accounts WHERE id = p_account FOR UPDATE;
  v_now := clock_timestamp();
  v_until := v_now + least(greatest(p_retry_ms, 1000), 600000) * interval '1 ms';
  IF p_is_count AND p_model IS NOT NULL THEN
    -- The one that was refused is still counted here: its machine reports it after this.
    UPDATE models SET
      ceiling = greatest(1, in_flight - 1), ceiling_of_all = greatest(1, account.in_flight - 1),
      try_wait_ms = CASE WHEN ceiling IS NULL THEN 30000 ELSE least(try_wait_ms * 2, 300000) END,
      next_try_at = v_now + CASE WHEN ceiling IS NULL THEN 30000 ELSE least(try_wait_ms * 2, 300000) END * interval '1 ms'
    WHERE account_id = p_account AND model = p_model;
  ELSE
    UPDATE accounts SET not_before = greatest(not_before, v_until),
      interval_ms = CASE WHEN slowed_at < v_now - interval '1 second'
        THEN least(60000, greatest(interval_ms, 1) * 2) ELSE interval_ms END,
      slowed_at = greatest(slowed_at, v_now)
    WHERE id = p_account;
  END IF;
  PERFORM pg_notify('dailies', jsonb_build_object('kind', 'throttled', 'account', account.name)::text);
END $$;

-- Slots of the next second, so that a machine needs no answer between them. Each machine may have the part of them that
-- it has of the takes that are under way with the account.
CREATE OR REPLACE FUNCTION reserve_slots(p_machine text, p_account integer, p_kind text, p_count integer) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = dailies, pg_temp AS $$
DECLARE account accounts; own slots; v_next bigint; v_most integer; v_share integer; v_given integer; v_from timestamptz;
BEGIN
  PERFORM own_machine(p_machine);
  SELECT * INTO account FROM accounts WHERE id = p_account;
  IF NOT FOUND THEN RETURN '{"count":0,"inMs":1000}'; END IF;
  v_most := CASE p_kind WHEN 'poll' THEN account.polls_a_second ELSE account.uploads_a_second END;
  SELECT greatest(1, ceil(v_most * count(*) FILTER (WHERE machine = p_machine) / greatest(1, count(*))::numeric))
  INTO v_share FROM takes WHERE account_id = p_account AND machine IS NOT NULL AND state IN ('held', 'granted', 'sent');
  INSERT INTO slots (account_id, kind, second, taken) VALUES (p_account, p_kind, 0, 0) ON CONFLICT DO NOTHING;
  SELECT * INTO own FROM slots WHERE account_id = p_account AND kind = p_kind FOR UPDATE;
  v_next := floor(extract(epoch FROM clock_timestamp()))::bigint + 1;
  IF own.second <> v_next THEN own.taken := 0; own.shares := '{}'; END IF;
  v_share := v_share - coalesce((own.shares ->> p_machine)::integer, 0);
  v_given := greatest(0, least(p_count, v_share, v_most - own.taken));
  UPDATE slots SET second = v_next, taken = own.taken + v_given, shares = own.shares
    || jsonb_build_object(p_machine, coalesce((own.shares ->> p_machine)::integer, 0) + v_given)
  WHERE account_id = p_account AND kind = p_kind;
  v_from := greatest(to_timestamp(v_next), account.not_before);
  RETURN jsonb_build_object('count', v_given, 'inMs', ms_until(v_from));
END $$;
`;
