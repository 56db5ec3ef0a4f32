import type {
  AccountState,
  BudgetState,
  StudioMachine,
  StudioPerson,
  StudioProject,
  StudioStatus,
  TakeState,
} from './types.ts';

/** What is read of the tables, and how rows become what callers get. */

/** Each of these hands out takes and returns their ids. */
export const HAND_OUT = (how: 'hand_over' | 'adopt_sent'): string => `
  SELECT array_agg(t.id) AS ids FROM dailies.${how}($1, $2, ARRAY(
    SELECT own.id FROM dailies.accounts own, jsonb_array_elements($3::jsonb) named
    WHERE own.name = named ->> 'name' AND own.address = named ->> 'address'), $4, $5) t`;

/** A statement of its own: what was told while takes were handed out, the one that hands out does not see. */
export const HELD_TAKES = `
  SELECT t.id, t.epoch, t.shot_key AS "shotKey", t.model, t.price_micros AS "priceMicros", t.person, t.spec,
    json_build_object('id', p.id, 'name', p.name, 'root', p.root, 'path', p.path) AS project,
    json_build_object('id', b.id, 'name', b.name) AS batch,
    json_build_object('name', a.name, 'address', a.address) AS account,
    (SELECT json_build_object('attemptId', id, 'taskId', task_id, 'isAttached', is_attached) FROM dailies.attempts
      WHERE take_id = t.id AND state = 'open') AS sent
  FROM dailies.takes t
  JOIN dailies.projects p ON p.id = t.project_id
  JOIN dailies.batches b ON b.id = t.batch_id
  JOIN dailies.accounts a ON a.id = t.account_id
  WHERE t.id = ANY ($1) AND t.machine = $2 AND t.state IN ('held', 'sent')
  ORDER BY t.turn, t.ordinal`;

/** One that no take has used yet has no number. */
export const ACCOUNT_ID = `SELECT (SELECT id FROM dailies.accounts WHERE name = $1 AND address = $2) AS id`;

/** What comes from beside an open transaction is read again after it. */
export const CHANGES = `
  SELECT least(changed, pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1) AS "sequence", id AS "takeId",
    project_id AS "projectId", batch_id AS "batchId",
    (SELECT name FROM dailies.batches WHERE id = batch_id) AS "batchName", shot_key AS "shotKey", state, epoch, outcome,
    is_on_hold AS "isOnHold", waits, machine, person, detail, verdict, judge, CASE WHEN detail = 'null' THEN spec END AS spec
  FROM dailies.changes_since($1, $2, $3) ORDER BY changed, ordinal`;

const rowsOf = (select: string): string => `(SELECT coalesce(json_agg(x), '[]') FROM (${select}) x)`;

export const STATUS = `
  SELECT studio.id || '' AS studio, (SELECT version FROM dailies.version) AS version,
    halted_at IS NOT NULL AS "isHalted", halted_by AS "haltedBy",
    ${rowsOf('SELECT state, count(*) AS count FROM dailies.takes GROUP BY state')} AS takes,
    ${rowsOf(`SELECT m.name, m.person, m.fenced_at IS NOT NULL AS "isFenced",
      (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::bigint AS "silentMs",
      (SELECT count(*) FROM dailies.takes WHERE machine = m.name AND state = 'held') AS held,
      (SELECT count(*) FROM dailies.takes WHERE machine = m.name AND state = 'granted') AS granted,
      (SELECT count(*) FROM dailies.takes WHERE machine = m.name AND state = 'sent') AS sent,
      m.told >= studio.generation AS "hasReconciled"
      FROM dailies.machines m JOIN dailies.beats ON machine = m.name ORDER BY m.name`)} AS machines,
    ${rowsOf(`SELECT p.name, p.weight,
      (SELECT count(*) FROM dailies.takes WHERE person = p.name AND state = 'waiting') AS waiting,
      (SELECT count(*) FROM dailies.takes WHERE person = p.name AND state IN ('held', 'granted', 'sent')) AS "inFlight",
      (SELECT count(*) FROM dailies.takes WHERE person = p.name AND state = 'done') AS done
      FROM dailies.people p ORDER BY p.name`)} AS people,
    ${rowsOf('SELECT id, name, root, path FROM dailies.projects ORDER BY root, path')} AS projects,
    dailies.account_states() AS accounts, dailies.budget_states() AS budgets
  FROM dailies.studio`;

export type StatusRow = {
  readonly studio: string;
  readonly version: number;
  readonly isHalted: boolean;
  readonly haltedBy: string | null;
  readonly takes: readonly { readonly state: TakeState; readonly count: number }[];
  readonly machines: readonly StudioMachine[];
  readonly people: readonly StudioPerson[];
  readonly projects: readonly StudioProject[];
  readonly accounts: readonly AccountState[];
  readonly budgets: readonly BudgetState[];
};

const NONE: Readonly<Record<TakeState, number>> = {
  ...{ waiting: 0, held: 0, granted: 0, sent: 0, done: 0, cancelled: 0, unclear: 0 },
};

export const toStatus = ({ takes, ...row }: StatusRow): StudioStatus => ({
  ...row,
  takes: { ...NONE, ...Object.fromEntries(takes.map(({ state, count }) => [state, count])) },
});
