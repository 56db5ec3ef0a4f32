import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Linux has a disk in memory: every step of a job syncs, and a real disk would take most of the time of a test. What a
 * SIGKILL leaves is the same there.
 */
const SCRATCH = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A folder on a disk of another kind, where the crash tests put their projects: exFAT, a share, one that is synced. */
const OTHER_DISK = process.env['DAILIES_TEST_DISK'];

/** Where a disk has no hard links, an empty file holds the name of a take until its content is moved there. */
export const mayReserveNames = OTHER_DISK !== undefined;

/** An empty folder, which the caller removes. */
export const scratchFolder = (prefix: string): string => mkdtempSync(join(SCRATCH, prefix));

/** Empty folders for a project with its lists, and for data folders, which a network share cannot hold. */
export function crashFolders(prefix: string): { readonly folder: string; readonly data: string } {
  if (OTHER_DISK === undefined) {
    const folder = scratchFolder(prefix);
    return { folder, data: folder };
  }
  return { folder: mkdtempSync(join(OTHER_DISK, prefix)), data: scratchFolder(`${prefix}data-`) };
}
