import { chmodSync, lstatSync, readdirSync, type Dirent } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/ports.ts';
import { closeOnWindows, type RunProgram } from './windows-rights.ts';

/** Our files in a data folder, which may contain others' too: a person may have named any folder. */
const OURS = /^(dailies\.db|engine\.|settings\.json|api-key)/;
const OTHERS = 0o077;
/** Set on folders that everyone may use, such as `/tmp`. */
const STICKY = 0o1000;

/**
 * Removes the rights of others from a data folder and from our files in it: one from an earlier release, or one that a
 * person made, may be open to every user of the machine.
 */
export async function closeToOthers(
  dataFolder: string,
  logger: Logger,
  { platform = process.platform, run }: { readonly platform?: NodeJS.Platform; readonly run?: RunProgram } = {},
): Promise<void> {
  if (platform === 'win32') return closeInherited(dataFolder, logger, run);
  // Nobody can enter a closed folder, so the rights of its content do not matter.
  if (!takeAway(dataFolder, logger)) return;
  const logs = join(dataFolder, 'logs');
  const ours = filesIn(dataFolder).filter((path) => OURS.test(path.slice(dataFolder.length + 1)));
  const inside = [...ours, logs, ...filesIn(logs)].filter((path) => takeAway(path, logger));
  sayClosed(logger, [dataFolder, ...inside]);
}

/** On Windows a folder has the rights of the one that it is in: the user's own are closed, one beside them is not. */
async function closeInherited(dataFolder: string, logger: Logger, run?: RunProgram): Promise<void> {
  if (dataFolder.startsWith(homedir())) return;
  try {
    if (await closeOnWindows(dataFolder, run)) sayClosed(logger, [dataFolder]);
  } catch (error) {
    sayOpen(logger, dataFolder, error);
  }
}

const sayClosed = (logger: Logger, changed: readonly string[]): void =>
  logger.warn('Others on this machine could open the data folder; from now on only you can', { changed });

const sayOpen = (logger: Logger, path: string, error: unknown): void =>
  logger.warn('Others on this machine may be able to open this', { path, reason: messageOf(error) });

function filesIn(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => (entry.isFile() ? [join(folder, entry.name)] : []));
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // There are no logs yet.
    return [];
  }
}

/** True when others had rights and no longer have any. */
function takeAway(path: string, logger: Logger): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found || found.isSymbolicLink() || (found.mode & OTHERS) === 0 || (found.mode & STICKY) !== 0) return false;
    chmodSync(path, found.mode & 0o700);
    return true;
  } catch (error) {
    sayOpen(logger, path, error);
    return false;
  }
}
