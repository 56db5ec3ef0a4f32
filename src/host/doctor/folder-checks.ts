import { messageFor, type Text } from '../../contract/messages/message.ts';
import { existsSync } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { damagedDatabase, damageOf, databaseFile, openDatabaseReadOnly } from '../../engine/db/open.ts';
import { DatabaseError, RefusedError, textOf } from '../../engine/base/errors.ts';
import { freeBytes } from '../../engine/files/existing-paths.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { readSettings } from '../settings-file.ts';

/** Below this a night's takes may not fit, bytes. */
const COMFORTABLE_BYTES = 5 * 1000 ** 3;

/** Rights, room and database of the data folder. Makes the folder when it is not there. */
export async function checkDataFolder(dataFolder: string): Promise<Finding[]> {
  const written = await checkWriting('data', dataFolder);
  if (written.level === 'fail') return [written];
  return [written, await checkRoom('disk', dataFolder, dataFolder), checkDatabase(dataFolder)];
}

/** Rights and space of a project folder. A missing one is checked by the folder it would be made in. */
export async function checkProjectFolder(path: string): Promise<Finding[]> {
  const info = await stat(path).catch(() => null);
  if (!info)
    return [
      ok('project', messageFor('doctor.projectNotMade', { folder: path })),
      await checkRoom('project', path, null),
    ];
  if (!info.isDirectory())
    return [fail('project', messageFor('failure.projectIsFile', { path }), messageFor('remedy.nameOtherProject'))];
  return [await checkWriting('project', path), await checkRoom('project', path, null)];
}

async function checkWriting(name: string, folder: string): Promise<Finding> {
  const file = join(folder, `.dailies-doctor-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(file, 'wx');
    try {
      await handle.writeFile('written by dailies doctor');
      await handle.sync();
    } finally {
      await handle.close();
      await rm(file, { force: true });
    }
    return ok(name, messageFor('doctor.folderWritable', { folder }));
  } catch (error) {
    const text = messageFor('failure.fileNotWritten', { file: folder, reason: textOf(error) });
    return fail(name, text, messageFor('remedy.makeWritable'));
  }
}

/** `settingsFolder` names the data folder whose settings say how much must stay free; null: the usual amount. */
async function checkRoom(name: string, folder: string, settingsFolder: string | null): Promise<Finding> {
  const free = await freeBytes(folder);
  const least = settingsFolder === null ? 0 : leastFree(settingsFolder);
  const message = messageFor('doctor.free', { size: bytesForPeople(free), folder });
  if (free <= least) return fail(name, message, messageFor('remedy.freeSpaceAbove', { size: bytesForPeople(least) }));
  return free < COMFORTABLE_BYTES ? warn(name, message, messageFor('remedy.freeSpaceForNight')) : ok(name, message);
}

function leastFree(dataFolder: string): number {
  try {
    return readSettings(dataFolder).minFreeBytes;
  } catch (error) {
    // The check of the address has reported broken settings already.
    if (error instanceof RefusedError) return 0;
    throw error;
  }
}

function checkDatabase(dataFolder: string): Finding {
  const file = databaseFile(dataFolder);
  if (!existsSync(file)) return ok('database', messageFor('doctor.noDatabase'));
  try {
    const db = openDatabaseReadOnly(dataFolder);
    if (!db) return ok('database', messageFor('doctor.noDatabase'));
    try {
      const answer = String(db.facts.pragma('quick_check(1)', { simple: true }));
      if (answer === 'ok') return ok('database', messageFor('doctor.databaseSound', { file }));
      return failedBy(damagedDatabase(dataFolder, answer));
    } finally {
      db.close();
    }
  } catch (error) {
    return failedBy(damageOf(error, dataFolder) ?? error);
  }
}

const failedBy = (error: unknown): Finding =>
  error instanceof DatabaseError
    ? fail('database', error.text, error.remedy)
    : fail('database', textOf(error), messageFor('remedy.databaseUnusable'));

export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  /** The checked thing, in one word. */
  readonly name: string;
  readonly message: Text;
  readonly remedy?: Text;
}

export const ok = (name: string, message: Text): Finding => ({ level: 'ok', name, message });

const finding =
  (level: Finding['level']) =>
  (name: string, message: Text, remedy: Text): Finding => ({ level, name, message, remedy });
export const warn = finding('warn');
export const fail = finding('fail');
