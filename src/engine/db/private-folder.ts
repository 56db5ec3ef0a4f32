import { chmodSync, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, win32 } from 'node:path';
import { toMessage } from '../base/errors.ts';
import type { Logger } from '../base/ports.ts';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { windowsProgram } from '../base/machine.ts';

/** Our files in a data folder, which may contain others' too: a person may have named any folder. */
const OURS = /^(dailies\.db|engine\.|settings\.json|api-key)/;
const OTHERS = 0o077;
const STICKY = 0o1000;

/** Removes the rights of others from a data folder that a person made, and from our files in it. */
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
  logger.warn('Others on this machine may be able to open this', { path, reason: toMessage(error) });

function filesIn(folder: string): string[] {
  return toEntries(folder).flatMap((entry) => (entry.isFile() ? [join(folder, entry.name)] : []));
}

function toEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // There are no logs yet.
    return [];
  }
}

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

/** Runs a program by its whole path; resolves with what it printed. Rejects when it fails. */
type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

const TIMEOUT_MS = 20_000;

const runProgram: RunProgram = async (program, args) =>
  (await promisify(execFile)(program, [...args], { timeout: TIMEOUT_MS, windowsHide: true })).stdout;

const icacls = windowsProgram('System32', 'icacls.exe');
const whoami = windowsProgram('System32', 'whoami.exe');

/** The system, and its administrators, who can read everything as it is. */
const SYSTEM = ['S-1-5-18', 'S-1-5-32-544'];
/** As a list of rights names these, and the owner of a file. */
const SYSTEM_IN_LISTS = new Set([...SYSTEM, 'SY', 'BA', 'CO', 'OW']);

/**
 * Leaves a folder, and what is in it, to its user, the system and its administrators, as the user's own folders are: one
 * beside them inherits the rights of its disk. Returns whether others had rights. Rejects where they still have some,
 * since a person gave them or the disk keeps none.
 */
async function closeOnWindows(folder: string, run: RunProgram = runProgram): Promise<boolean> {
  if (win32.parse(folder).root === folder) throw new Error('a whole disk is not closed');
  const user = userIn(await run(whoami, ['/user', '/fo', 'csv', '/nh']));
  if (othersIn(await rightsFor(folder, run), user).length === 0) return false;
  const full = [user, ...SYSTEM].map((id) => `*${id}:(OI)(CI)F`);
  await run(icacls, [folder, '/inheritance:r', '/grant:r', ...full]);
  const left = othersIn(await rightsFor(folder, run), user);
  if (left.length > 0) throw new Error(`others still have rights: ${left.join(', ')}`);
  return true;
}

/** The id of the user, from `"name","S-1-5-21-…"`. */
function userIn(csv: string): string {
  const id = /"(S-[\d-]+)"\s*$/.exec(csv)?.[1];
  if (id === undefined) throw new Error('whoami names no user');
  return id;
}

/** The rights on a folder in the language of the system's lists (SDDL), which are the same in every language. */
async function rightsFor(folder: string, run: RunProgram): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'dailies-rights-'));
  try {
    const saved = join(work, 'rights');
    await run(icacls, [folder, '/save', saved]);
    return await readFile(saved, 'utf16le');
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Who else may do something: each entry is `(type;flags;rights;;;who)`. Pure. */
function othersIn(rights: string, user: string): string[] {
  const allowed = [...rights.matchAll(/\(X?A;[^;)]*;[^;)]*;[^;)]*;[^;)]*;([^;)]+)/g)].map(([, who = '']) => who);
  if (allowed.length === 0) throw new Error('its disk keeps no rights');
  return allowed.filter((who) => who !== user && !SYSTEM_IN_LISTS.has(who));
}
