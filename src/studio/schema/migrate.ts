import { Client, type ClientBase } from 'pg';
import { clientConfig, type ConnectionFacts } from '../connection.ts';
import { StudioError, toStudioError } from '../errors.ts';
import { GRANTS } from './grants.ts';
import { PEOPLE } from './people.ts';
import { QUEUE } from './queue.ts';
import { RIGHTS, ROLES } from './rights.ts';
import { MIGRATIONS } from './tables.ts';

/** Raised by every change of the tables or of the functions: two releases never share one set of functions unknowingly. */
const STUDIO_VERSION = 2;

/** The version of the schema in a database; null where there is none. */
async function readVersion(client: ClientBase): Promise<number | null> {
  const { rows: found } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('dailies.version') IS NOT NULL AS there`,
  );
  if (found[0]?.there !== true) return null;
  const { rows } = await client.query<{ version: number }>('SELECT version FROM dailies.version');
  return rows[0]?.version ?? null;
}

/** Throws StudioError unless the schema is of this release. Nothing but `studio init` changes it. */
export async function checkVersion(client: ClientBase): Promise<void> {
  const version = await readVersion(client);
  if (version === null) throw new StudioError('studio_missing');
  if (version > STUDIO_VERSION) throw new StudioError('studio_newer', { found: version, own: STUDIO_VERSION });
  if (version < STUDIO_VERSION) throw new StudioError('studio_older', { found: version, own: STUDIO_VERSION });
}

/** Makes roles, queues, tables and functions, or brings them to this release. Returns the version before, null if new. */
async function migrate(client: ClientBase, timeZone: string): Promise<number | null> {
  // Two at once would each make the same table.
  await client.query(`SELECT pg_advisory_lock(hashtext('dailies.migrate'))`);
  try {
    const before = await readVersion(client);
    if (before !== null && before > STUDIO_VERSION) {
      throw new StudioError('studio_newer', { found: before, own: STUDIO_VERSION });
    }
    await client.query(ROLES);
    await client.query('SET ROLE dailies_owner');
    await client.query('CREATE SCHEMA IF NOT EXISTS dailies');
    // A megabyte that nothing else needs.
    await (await import('./pg-boss.ts')).installBoss(client);
    await client.query('BEGIN');
    await client.query(`SET LOCAL search_path = dailies, pg_temp; SET LOCAL check_function_bodies = off`);
    await client.query(`CREATE TABLE IF NOT EXISTS version (version integer NOT NULL, tables integer NOT NULL)`);
    const { rows } = await client.query<{ tables: number }>('SELECT tables FROM version');
    for (const migration of MIGRATIONS.slice(rows[0]?.tables ?? 0)) await client.query(migration);
    await client.query(GRANTS + QUEUE + PEOPLE + RIGHTS);
    await client.query('DELETE FROM version');
    await client.query('INSERT INTO version VALUES ($1, $2)', [STUDIO_VERSION, MIGRATIONS.length]);
    await client.query('SELECT found_studio($1)', [timeZone]);
    await client.query('COMMIT');
    return before;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => null);
    throw error;
  } finally {
    await client.query(`RESET ROLE; SELECT pg_advisory_unlock(hashtext('dailies.migrate'))`).catch(() => null);
  }
}

/** Makes the studio of a database, or brings it to this release. Throws StudioError. */
export async function initStudio(
  facts: ConnectionFacts,
  timeZone: string,
): Promise<{ readonly before: number | null }> {
  // An index of a large table takes its time.
  const client = new Client({ ...clientConfig(facts), statement_timeout: 0, query_timeout: 0 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return { before: await migrate(client, timeZone) };
  } catch (error) {
    throw toStudioError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}
