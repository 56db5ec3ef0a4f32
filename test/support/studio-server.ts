import type { TestProject } from 'vitest/node';
import { findPostgres } from '../../scripts/find-postgres.ts';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of its socket and its port; null where there is no PostgreSQL. */
    postgres: { readonly folder: string; readonly port: number } | null;
  }
}

/** One server for all suites of the studio; each test has a database of its own in it. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (findPostgres() === null) {
    process.stderr.write('No PostgreSQL on this machine: the tests of the studio were not run.\n');
    project.provide('postgres', null);
    return undefined;
  }
  const server = await startPostgres();
  project.provide('postgres', { folder: server.folder, port: server.port });
  return () => server.stop();
}
