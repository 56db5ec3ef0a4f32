import { messageFor } from '../../contract/messages/message.ts';
import Database from 'better-sqlite3';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { DailiesError, textOf, systemCode } from './errors.ts';

const Holder = z.object({
  pid: z.number(),
  host: z.string(),
  command: z.string(),
  startedAt: z.number(),
  /** Names this start of the engine in the projects that it works in. */
  run: z.string().optional(),
  /** Start of the first engine of a row that all died; see `InstanceLock.behindSince`. */
  behindSince: z.number().optional(),
  /** Path of the socket at which it answers the other programs of its user. */
  socket: z.string().optional(),
});
export type Holder = z.infer<typeof Holder>;

/** The facts of a message that names who holds a folder, as far as it is known. */
export function processOf(holder: Holder | null, key: 'common.process' | 'common.processOn') {
  if (!holder) return { known: 'no', process: '' };
  const { pid, host, command } = holder;
  return { known: 'yes', process: messageFor(key, { pid: String(pid), host, command }) };
}

/** Another engine works on this data folder. */
export class DataFolderInUseError extends DailiesError {
  readonly code = 'data_folder_in_use';
  readonly remedy = messageFor('remedy.waitOrOtherDataFolder');
  readonly holder: Holder | null;

  constructor(dataFolder: string, holder: Holder | null) {
    super(messageFor('failure.dataFolderInUse', { folder: dataFolder, ...processOf(holder, 'common.processOn') }));
    this.holder = holder;
  }
}

/** There can be no data folder here: a file has its name, or nobody may write to it. Nothing was sent. */
export class DataFolderUnusableError extends DailiesError {
  readonly code = 'data_folder_unusable';
  readonly remedy = messageFor('remedy.dataFolderUnusable');

  constructor(dataFolder: string, cause: unknown) {
    super(messageFor('failure.dataFolderUnusable', { folder: dataFolder, reason: textOf(cause) }), { cause });
  }
}

export interface InstanceLock {
  /** Names this start of the engine; no other has the same. */
  readonly run: string;
  /**
   * Since when, ms, files in project folders may lack what the database says: the engine that should have written them
   * died. Null when the last one ended well.
   */
  readonly behindSince: number | null;
  /** Notes for those who find the folder in use at which socket this engine answers. */
  announce(socket: string): void;
  /** Frees the folder, everything being written. */
  release(): void;
  /** Frees the folder with `behindSince` as it was: the next engine has to see to it. */
  abandon(): void;
}

/** A process that checks the lock holds it for a moment: a start waits that long for it, ms. */
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
 * Takes the data folder for one engine. The lock is SQLite's own exclusive file lock on a file of its own: the
 * operating system drops it with the process, so a SIGKILL leaves nothing stale behind and no pid is trusted.
 * Throws DataFolderInUseError and DataFolderUnusableError.
 */
export function lockDataFolder(dataFolder: string, command: string, now: number): InstanceLock {
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
  const holder: Holder = { pid: process.pid, host: hostname(), command, startedAt: now, run, ...since };
  writeHolder(dataFolder, holder);
  return {
    run,
    behindSince,
    announce: (socket) => writeHolder(dataFolder, { ...holder, socket }),
    release() {
      rmSync(holderFile(dataFolder), { force: true });
      db.close();
    },
    abandon: () => db.close(),
  };
}

/** Who works in a data folder, asked of the lock itself; null when nobody does. `holder` is null while its note is not there. */
export function lockHolder(dataFolder: string): { readonly holder: Holder | null } | null {
  if (!existsSync(lockFile(dataFolder))) return null;
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

const isBusy = (error: unknown): boolean => systemCode(error)?.startsWith('SQLITE_BUSY') === true;

/** Whole at once: others read it whenever they like. */
function writeHolder(dataFolder: string, holder: Holder): void {
  const arriving = `${holderFile(dataFolder)}.${process.pid}.tmp`;
  writeFileSync(arriving, JSON.stringify(holder), { mode: 0o600 });
  renameSync(arriving, holderFile(dataFolder));
}

/** Null when the last engine took its note with it, as one that ends well does. A torn note says nothing: since ever. */
function startOfTheDead(dataFolder: string): number | null {
  if (!existsSync(holderFile(dataFolder))) return null;
  const dead = readHolder(dataFolder);
  return dead ? (dead.behindSince ?? dead.startedAt) : 0;
}

const lockFile = (dataFolder: string) => join(dataFolder, 'engine.lock');
const holderFile = (dataFolder: string) => join(dataFolder, 'engine.json');

/** Who wrote the holder file last; never used to decide who may work here. */
export function readHolder(dataFolder: string): Holder | null {
  try {
    return Holder.parse(JSON.parse(readFileSync(holderFile(dataFolder), 'utf8')));
  } catch {
    return null;
  }
}
