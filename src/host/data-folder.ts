import { dirname, join, resolve } from 'node:path';
import type { Environment } from './process-environment.ts';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

export type Machine = Pick<Environment, 'platform' | 'env' | 'homeFolder'>;
type Place = Machine & Pick<Environment, 'cwd'>;

/** Folder of database, settings and logs: the named one (`--data`), else `DAILIES_DATA`, else the user's own. */
export function dataFolderFor(given: string | undefined, place: Place): string {
  const named = given ?? nonEmpty(place.env['DAILIES_DATA']);
  return named === undefined ? usualDataFolder(place) : resolve(place.cwd, named);
}

function usualDataFolder({ platform, env, homeFolder }: Machine): string {
  if (platform === 'win32') {
    return join(nonEmpty(env['LOCALAPPDATA']) ?? join(homeFolder, 'AppData', 'Local'), 'Dailies');
  }
  if (platform === 'darwin') return join(homeFolder, 'Library', 'Application Support', 'Dailies');
  return join(nonEmpty(env['XDG_DATA_HOME']) ?? join(homeFolder, '.local', 'share'), 'dailies');
}

export const toSettingsFile = (dataFolder: string) => join(dataFolder, 'settings.json');

/** The setting `language`, else `system`. Skips the check of all settings, which would slow `--help` down. */
export function languageSetting(dataFolder: string): string {
  try {
    const { language } = JSON.parse(readFileSync(toSettingsFile(dataFolder), 'utf8')) as { language?: unknown };
    return typeof language === 'string' ? language : 'system';
  } catch {
    // The reader of all settings reports a broken file, in any language.
    return 'system';
  }
}

export const toLogFile = (dataFolder: string) => join(dataFolder, 'logs', 'dailies.log');

export const toDesktopLog = (dataFolder: string) => join(dataFolder, 'logs', 'desktop.log');

export function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

/**
 * Identifies this machine for this user: a random id, made once and kept in the user's own data folder, whichever one is
 * worked with. Undefined where that folder cannot be written; the name of the machine must then do.
 */
export function machineId(machine: Machine): string | undefined {
  const file = join(usualDataFolder(machine), 'machine-id');
  return readId(file) ?? makeId(file);
}

function makeId(file: string): string | undefined {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${randomUUID()}\n`, { flag: 'wx', mode: 0o600 });
  } catch {
    // Another start may have made it at the same time.
  }
  return readId(file);
}

function readId(file: string): string | undefined {
  try {
    return /^[0-9a-f-]{36}$/m.exec(readFileSync(file, 'utf8'))?.[0];
  } catch {
    return undefined;
  }
}
