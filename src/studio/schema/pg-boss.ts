import type { ClientBase } from 'pg';
import { PgBoss } from 'pg-boss';

/** pg-boss's own schema, beside ours. */
const BOSS_SCHEMA = 'dailies_boss';

const TEMPLATE = 'root.template';
const LIMIT = 987_654;

/**
 * Installs pg-boss, and functions that run its own statements with the rights of the schema's owner. So no machine may
 * write the queues, a hand-over is one round trip, and what pg-boss does stays what its release does: `studio init` of a
 * newer release of Dailies takes the statements of the pg-boss in it. They come from its `db` option, which is made to
 * write them down. Nothing of pg-boss runs between times: a job is deleted at its hand-over, so none expires, is retried
 * or has to be cleaned up.
 */
export async function installBoss(client: ClientBase): Promise<void> {
  const db = {
    executeSql: async (text: string, values?: unknown[]) => {
      // Of several statements in one text, pg returns several results, and pg-boss wants the rows of all.
      const results = [await client.query(text, values)].flat() as { rows: unknown[] }[];
      return { rows: results.flatMap(({ rows }) => rows) };
    },
  };
  const boss = new PgBoss({
    ...{ schema: BOSS_SCHEMA, db, supervise: false, schedule: false, openTelemetry: { enabled: false } },
  });
  const errors: unknown[] = [];
  boss.on('error', (error) => errors.push(error));
  await boss.start();
  try {
    await boss.createQueue(TEMPLATE, { retryLimit: 0, retentionSeconds: 10 * 365 * 86_400 });
    await client.query(bossFunctions(await recorded(boss)));
  } finally {
    await boss.stop({ graceful: false });
  }
  if (errors.length > 0) throw errors[0];
}

interface Statements {
  readonly fetch: string;
  readonly insert: string;
  readonly remove: string;
}

async function recorded(boss: PgBoss): Promise<Statements> {
  const textOf = async (
    act: (db: { executeSql: (text: string) => Promise<{ rows: object[] }> }) => Promise<unknown>,
  ) => {
    const texts: string[] = [];
    const db = {
      executeSql: (text: string) => Promise.resolve({ rows: texts.push(text) > 0 ? [{ count: '0' }] : [] }),
    };
    await act(db);
    const [text, ...more] = texts;
    if (text === undefined || more.length > 0) throw new Error('pg-boss does this in several statements now.');
    return text.replaceAll(`'${TEMPLATE}'`, '$2').trim();
  };
  const id = '00000000-0000-4000-8000-000000000000';
  return {
    // $1: groups to pass over; $2: the queue; $3: how many.
    fetch: (await textOf((db) => boss.fetch(TEMPLATE, { batchSize: LIMIT, ignoreGroups: [''], db }))).replace(
      String(LIMIT),
      '$3',
    ),
    // $1: jobs as JSON; $2: the queue.
    insert: await textOf((db) => boss.insert(TEMPLATE, [{ id }], { db })),
    // $1: the queue; $2: ids.
    remove: await textOf((db) => boss.deleteJob(TEMPLATE, [id], { db })),
  };
}

const bossFunctions = ({ fetch, insert, remove }: Statements): string => `
-- In plpgsql, which plans a statement once for each connection.
CREATE OR REPLACE FUNCTION dailies.boss_fetch(text[], text, integer) RETURNS SETOF uuid LANGUAGE plpgsql AS $boss$
BEGIN
  RETURN QUERY WITH fetched AS (${fetch}) SELECT id FROM fetched;
END $boss$;
CREATE OR REPLACE FUNCTION dailies.boss_insert(text, text) RETURNS void LANGUAGE plpgsql AS $boss$
BEGIN
  ${insert};
END $boss$;
CREATE OR REPLACE FUNCTION dailies.boss_delete(text, uuid[]) RETURNS void LANGUAGE plpgsql AS $boss$
DECLARE v record;
BEGIN
  FOR v IN ${remove} LOOP NULL; END LOOP;
END $boss$;
CREATE OR REPLACE FUNCTION dailies.boss_queue(p_name text) RETURNS void LANGUAGE sql AS $boss$
  SELECT ${BOSS_SCHEMA}.create_queue(p_name, '{"policy":"standard","retryLimit":0,"retentionSeconds":315360000}'::jsonb)
$boss$;
`;
