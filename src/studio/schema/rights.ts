/**
 * Least rights: members of `dailies_worker` read every table and call the functions for machines; `dailies_admin` may also
 * set budgets, weights and rates, declare machines dead and end a halt. Nobody writes a table, and nobody but the functions
 * reads the queues of pg-boss.
 */
const FOR_WORKERS = [
  'join_studio',
  'hello',
  'heartbeat',
  'enqueue',
  'hand_over',
  'adopt_sent',
  'grant_submit',
  'flush',
  'report',
  'command_takes',
  'throttled',
  'reserve_slots',
  'changes_since',
  'claim_project',
  'account_states',
  'budget_states',
  'sweep',
  'tell',
];
const FOR_ADMINS = ['set_budget', 'set_weight', 'set_rate', 'declare_dead', 'reconcile'];

const executeBy = (names: readonly string[], role: string): string =>
  `DO $$ DECLARE f regprocedure; BEGIN
  FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'dailies'::regnamespace AND proname = ANY ('{${names.join(',')}}') LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO ${role}', f);
  END LOOP;
END $$;`;

export const RIGHTS = `
REVOKE ALL ON SCHEMA dailies FROM PUBLIC;
GRANT USAGE ON SCHEMA dailies TO dailies_worker;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA dailies FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA dailies FROM PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA dailies TO dailies_worker;
${executeBy(FOR_WORKERS, 'dailies_worker')}
${executeBy(FOR_ADMINS, 'dailies_admin')}
`;

/**
 * Made by a login that may make roles; the studio's objects belong to the first, which nobody logs in as. Roles belong to
 * the whole server: who may connect to which studio of it, the administrator says with CONNECT.
 */
export const ROLES = `
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'dailies_owner') THEN CREATE ROLE dailies_owner NOLOGIN; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'dailies_worker') THEN CREATE ROLE dailies_worker NOLOGIN; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'dailies_admin') THEN CREATE ROLE dailies_admin NOLOGIN; END IF;
  IF NOT pg_has_role('dailies_admin', 'dailies_worker', 'USAGE') THEN GRANT dailies_worker TO dailies_admin; END IF;
  -- Since PostgreSQL 16, who makes a role is a member of it that may only grant it: not USAGE.
  IF NOT pg_has_role(session_user, 'dailies_owner', 'USAGE') THEN EXECUTE format('GRANT dailies_owner TO %I', session_user); END IF;
  IF NOT pg_has_role(session_user, 'dailies_admin', 'USAGE')
    OR NOT EXISTS (SELECT FROM pg_auth_members WHERE roleid = 'dailies_admin'::regrole AND member = session_user::regrole) THEN
    EXECUTE format('GRANT dailies_admin TO %I', session_user);
  END IF;
  EXECUTE format('GRANT CREATE, CONNECT ON DATABASE %I TO dailies_owner', current_database());
END $$;
`;
