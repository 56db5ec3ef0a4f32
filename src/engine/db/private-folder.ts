import { chmodSync, lstatSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/ports.ts';

/** Our files in a data folder, which may contain others' too: a person may have named any folder. */
const OURS = /^(dailies\.db|engine\.|settings\.json|api-key)/;
const OTHERS = 0o077;
/** Set on folders that everyone may use, such as `/tmp`. */
const STICKY = 0o1000;

/**
 * Removes the rights of others from a data folder and from our files in it: one from an earlier release, or one that a
 * person made, may be open to every user of the machine. On Windows the folder inherits the rights of the user's own.
 */
export function closeToOthers(dataFolder: string, logger: Logger): void {
  // Nobody can enter a closed folder, so the rights of its content do not matter.
  if (process.platform === 'win32' || !takeAway(dataFolder, logger)) return;
  const logs = join(dataFolder, 'logs');
  const ours = filesIn(dataFolder).filter((path) => OURS.test(path.slice(dataFolder.length + 1)));
  const inside = [...ours, logs, ...filesIn(logs)].filter((path) => takeAway(path, logger));
  const message = 'Others on this machine could open the data folder; from now on only you can';
  logger.warn(message, { changed: [dataFolder, ...inside] });
}

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
    logger.warn('Others on this machine may be able to open this', { path, reason: messageOf(error) });
    return false;
  }
}
