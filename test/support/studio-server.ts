import type { TestProject } from 'vitest/node';
import { findPostgres } from '../../scripts/find-postgres.ts';
import { parseStudioUrl } from '../../src/studio/address.ts';
import { initStudio } from '../../src/studio/schema/migrate.ts';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of its socket and its port; null where there is no PostgreSQL. */
    postgres: { readonly folder: string; readonly port: number } | null;
  }
}

/** Ordinary members. */
const LOGINS = ['anna', 'ben', 'cleo'];

/** A database with a studio, of which each test gets a copy: to make one takes half a second. */
export const TEMPLATE = 'studio_template';

/** One server for all suites of the studio; each test has a database of its own in it. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (findPostgres() === null) {
    process.stderr.write('No PostgreSQL on this machine: the tests of the studio were not run.\n');
    project.provide('postgres', null);
    return undefined;
  }
  const server = await startPostgres();
  await makeTemplate(server);
  project.provide('postgres', { folder: server.folder, port: server.port });
  return () => server.stop();
}

/** Makes what `newStudio` copies. */
export async function makeTemplate(server: Awaited<ReturnType<typeof startPostgres>>): Promise<void> {
  await server.query('postgres', `CREATE DATABASE ${TEMPLATE}`);
  const { address } = parseStudioUrl(server.url(TEMPLATE));
  await initStudio({ address, password: null, name: 'test' }, 'UTC');
  for (const login of LOGINS) {
    await server.query(TEMPLATE, `CREATE ROLE ${login} LOGIN`);
    await server.query(TEMPLATE, `GRANT dailies_worker TO ${login}`);
  }
}
