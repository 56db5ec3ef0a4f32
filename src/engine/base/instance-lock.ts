import { messageFor } from '../../contract/messages/message.ts';
import Database from 'better-sqlite3';
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { DailiesError, toText, systemCode } from './errors.ts';
import { isSameMachine, thisMachine } from './machine.ts';

const Holder = z.object({
  pid: z.number(),
  host: z.string(),
  machine: z.string().optional(),
  command: z.string(),
  startedAt: z.number(),
  /** Identifies this run of the engine in the projects that it works in. */
  run: z.string().optional(),
  /** The start of the first of several engines in a row that died; see `lockDataFolder`. */
  behindSince: z.number().optional(),
  socket: z.string().optional(),
});
export type Holder = z.infer<typeof Holder>;

export function processFor(holder: Holder | null, key: 'common.process' | 'common.processOn') {
  if (!holder) return { known: 'no', process: '' };
  const { pid, host, command } = holder;
  return { known: 'yes', process: messageFor(key, { pid: String(pid), host, command }) };
}

export class DataFolderInUseError extends DailiesError {
  readonly code = 'data_folder_in_use';
  readonly remedy = messageFor('remedy.waitOrOtherDataFolder');
  readonly holder: Holder | null;

  constructor(dataFolder: string, holder: Holder | null) {
    super(messageFor('failure.dataFolderInUse', { folder: dataFolder, ...processFor(holder, 'common.processOn') }));
    this.holder = holder;
  }
}

/** The data folder cannot be created or written: for example, a file has its name. Nothing was sent. */
export class DataFolderUnusableError extends DailiesError {
  readonly code = 'data_folder_unusable';
  readonly remedy = messageFor('remedy.databaseUnusable');

  constructor(dataFolder: string, cause: unknown) {
    super(messageFor('failure.dataFolderUnusable', { folder: dataFolder, reason: toText(cause) }), { cause });
  }
}

/** A process that checks the lock holds it briefly. A start waits this long for it, ms. */
const LOOK_MS = 100;

function openLock(dataFolder: string): Database.Database {
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    return new Database(lockFile(dataFolder), { timeout: LOOK_MS });
  } catch (error) {
    throw new DataFolderUnusableError(dataFolder, error);
  }
}

/**
 * Locks the data folder for one engine. The lock is SQLite's own exclusive lock on a separate file. The operating
 * system releases it with the process, so a SIGKILL leaves nothing behind, and no pid is trusted while that file is
 * there. `machine`: the id of this machine. Throws DataFolderInUseError and DataFolderUnusableError.
 */
export function lockDataFolder(dataFolder: string, command: string, now: number, machine?: string) {
  const unlocked = holderWithoutLock(dataFolder, machine);
  if (unlocked) throw new DataFolderInUseError(dataFolder, unlocked);
  const db = openLock(dataFolder);
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (isBusy(error)) throw new DataFolderInUseError(dataFolder, readHolder(dataFolder));
    throw new DataFolderUnusableError(dataFolder, error);
  }
  const behindSince = startOfTheDead(dataFolder);
  const since = behindSince === null ? {} : { behindSince };
  const run = randomUUID();
  const holder: Holder = { pid: process.pid, ...thisMachine(machine), command, startedAt: now, run, ...since };
  try {
    writeHolder(dataFolder, holder);
  } catch (error) {
    // Held by this very process, the folder would be in use for its next try.
    db.close();
    throw new DataFolderUnusableError(dataFolder, error);
  }
  return {
    run,
    /** Since when, ms, files in projects may lag the database, because an engine died; null after a normal end. */
    behindSince,
    /** Records on which socket this engine answers, for programs that find the folder in use. */
    announce: (socket: string): void => writeHolder(dataFolder, { ...holder, socket }),
    /** Frees the folder. Call it after everything is written. */
    release(): void {
      try {
        rmSync(holderFile(dataFolder), { force: true });
      } catch {
        // Another program has it open. Left there, it only makes the next start look through the projects.
      }
      db.close();
    },
    /** Frees the folder but keeps `behindSince`, so that the next engine completes the files. */
    abandon(): void {
      db.close();
    },
  };
}

export type InstanceLock = ReturnType<typeof lockDataFolder>;

/**
 * Who uses a data folder, read from the lock itself; null when nobody does. `holder` is null until its file is there.
 */
export function lockHolder(dataFolder: string): { readonly holder: Holder | null } | null {
  if (!isPlainFile(lockFile(dataFolder))) return null;
  const db = new Database(lockFile(dataFolder), { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return null;
  } catch (error) {
    if (isBusy(error)) return { holder: readHolder(dataFolder) };
    throw error;
  } finally {
    db.close();
  }
}

/** Who uses the user's own data folder, also when someone has deleted the lock. */
export function engineIn(dataFolder: string, machine?: string): ReturnType<typeof lockHolder> {
  const unlocked = holderWithoutLock(dataFolder, machine);
  return unlocked ? { holder: unlocked } : lockHolder(dataFolder);
}

/**
 * The engine whose lock file was deleted: a new file would let a second engine in. An engine that was killed leaves its
 * file, so only here its note is believed. Not for a folder that a project names: its note could be forged.
 */
function holderWithoutLock(dataFolder: string, machine: string | undefined): Holder | null {
  if (existsSync(lockFile(dataFolder))) return null;
  const holder = readHolder(dataFolder);
  if (!holder || !isSameMachine(holder, thisMachine(machine)) || holder.pid === process.pid) return null;
  return isRunning(holder.pid) ? holder : null;
}

/** Signal 0 checks whether a process exists. */
export function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Opening a pipe or a device could hold us up for good. */
function isPlainFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const isBusy = (error: unknown): boolean => systemCode(error)?.startsWith('SQLITE_BUSY') === true;

/** Replaces the file in one step, because other programs read it at any time. */
function writeHolder(dataFolder: string, holder: Holder): void {
  const arriving = `${holderFile(dataFolder)}.${process.pid}.tmp`;
  writeFileSync(arriving, JSON.stringify(holder), { mode: 0o600 });
  try {
    renameSync(arriving, holderFile(dataFolder));
  } finally {
    rmSync(arriving, { force: true });
  }
}

/**
 * Null when the last engine ended normally and removed its file. For a file that cannot be read: 0, the earliest time.
 */
function startOfTheDead(dataFolder: string): number | null {
  if (!existsSync(holderFile(dataFolder))) return null;
  const dead = readHolder(dataFolder);
  return dead ? (dead.behindSince ?? dead.startedAt) : 0;
}

const lockFile = (dataFolder: string) => join(dataFolder, 'engine.lock');
const holderFile = (dataFolder: string) => join(dataFolder, 'engine.json');

/** The last process that wrote the holder file. Never use this to decide who may use the folder. */
export function readHolder(dataFolder: string): Holder | null {
  try {
    if (!isPlainFile(holderFile(dataFolder))) return null;
    return Holder.parse(JSON.parse(readFileSync(holderFile(dataFolder), 'utf8')));
  } catch {
    return null;
  }
}
