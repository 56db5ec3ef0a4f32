import { join, resolve } from 'node:path';
import type { GlobalOptions } from './globals.ts';
import type { Shell } from './shell.ts';

/** Folder of database, settings and logs: `--data`, else `DAILIES_DATA`, else the user's own data folder. */
export function dataFolderOf(options: GlobalOptions, shell: Shell): string {
  const named = options.data ?? nonEmpty(shell.env['DAILIES_DATA']);
  return named === undefined ? usualDataFolder(shell) : resolve(shell.cwd, named);
}

/** Where each system keeps data of programs that stays on this machine. */
function usualDataFolder({ platform, env, homeFolder }: Shell): string {
  if (platform === 'win32') {
    return join(nonEmpty(env['LOCALAPPDATA']) ?? join(homeFolder, 'AppData', 'Local'), 'Dailies');
  }
  if (platform === 'darwin') return join(homeFolder, 'Library', 'Application Support', 'Dailies');
  return join(nonEmpty(env['XDG_DATA_HOME']) ?? join(homeFolder, '.local', 'share'), 'dailies');
}

export const logFileOf = (dataFolder: string) => join(dataFolder, 'logs', 'dailies.log');

/** A variable set to nothing is one that is not set. */
export function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}
