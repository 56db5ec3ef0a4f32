import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, win32 } from 'node:path';
import { promisify } from 'node:util';
import { windowsProgram } from '../base/windows-program.ts';

/** Runs a program by its whole path; resolves with what it printed. Rejects when it fails. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

const TIMEOUT_MS = 20_000;

export const runProgram: RunProgram = async (program, args) =>
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
export async function closeOnWindows(folder: string, run: RunProgram = runProgram): Promise<boolean> {
  if (win32.parse(folder).root === folder) throw new Error('a whole disk is not closed');
  const user = userIn(await run(whoami, ['/user', '/fo', 'csv', '/nh']));
  if (othersIn(await rightsOf(folder, run), user).length === 0) return false;
  const full = [user, ...SYSTEM].map((id) => `*${id}:(OI)(CI)F`);
  await run(icacls, [folder, '/inheritance:r', '/grant:r', ...full]);
  const left = othersIn(await rightsOf(folder, run), user);
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
async function rightsOf(folder: string, run: RunProgram): Promise<string> {
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
export function othersIn(rights: string, user: string): string[] {
  const allowed = [...rights.matchAll(/\(X?A;[^;)]*;[^;)]*;[^;)]*;[^;)]*;([^;)]+)/g)].map(([, who = '']) => who);
  if (allowed.length === 0) throw new Error('its disk keeps no rights');
  return allowed.filter((who) => who !== user && !SYSTEM_IN_LISTS.has(who));
}
