import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installFromDistribution } from './find-chromium.ts';

const DEBIAN = '/usr/lib/postgresql';

/**
 * The folder of a PostgreSQL server's programs: `POSTGRES_BIN` in the environment, the one on PATH, Debian's, or, as root
 * on Debian, Debian's installed now. Null when there is none.
 */
export function findPostgres(env: NodeJS.ProcessEnv = process.env): string | null {
  const named = env['POSTGRES_BIN'];
  if (named) return named;
  const found = (): string | null => onPath(env) ?? debians();
  return found() ?? (installFromDistribution('PostgreSQL', 'the studio', ['postgresql']) ? found() : null);
}

function onPath(env: NodeJS.ProcessEnv): string | null {
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => existsSync(join(folder, 'postgres')));
  // A link leads to where the other programs are.
  return folders.map((folder) => dirname(realpathSync(join(folder, 'postgres')))).find(isComplete) ?? null;
}

function debians(): string | null {
  if (!existsSync(DEBIAN)) return null;
  const versions = readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(DEBIAN, version, 'bin')).find(isComplete) ?? null;
}

const isComplete = (folder: string): boolean => ['postgres', 'initdb'].every((name) => existsSync(join(folder, name)));

/** An ordinary user for a server, which refuses to run as root; null where we are one ourselves. */
export function ordinaryUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const id = (option: string): number => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
