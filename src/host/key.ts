import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, RefusedError, systemCode } from '../engine/errors.ts';
import { nonEmpty } from './data-folder.ts';
import { writeWhole } from './settings-file.ts';
import type { Surroundings } from './surroundings.ts';

/** The key, and where it was found, for people. */
export interface FoundKey {
  readonly key: string;
  readonly from: string;
}

type Machine = Pick<Surroundings, 'env' | 'platform' | 'keychain'>;

export const keyFile = (dataFolder: string) => join(dataFolder, 'api-key');

/**
 * The key of the service: from `DAILIES_API_KEY`, else the system keychain, else the file the user agreed to.
 * Throws RefusedError when there is one that must not be used.
 */
export async function findKey(machine: Machine, dataFolder: string): Promise<FoundKey | null> {
  const variable = nonEmpty(machine.env['DAILIES_API_KEY']);
  if (variable !== undefined) return { key: checkedKey(variable, 'DAILIES_API_KEY'), from: 'DAILIES_API_KEY' };
  const stored = await fromKeychain(machine);
  if (stored !== null) return { key: checkedKey(stored, 'the system keychain'), from: 'the system keychain' };
  return fromFile(machine, keyFile(dataFolder));
}

async function fromKeychain(machine: Machine): Promise<string | null> {
  try {
    return await (await machine.keychain()).read();
  } catch {
    // No keychain on this machine, or a locked one: the file may still be there.
    return null;
  }
}

function fromFile(machine: Machine, file: string): FoundKey | null {
  let key: string;
  try {
    const mode = statSync(file).mode & 0o777;
    // Windows has no such bits; there the user's own folder keeps others out.
    if (machine.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new RefusedError(
        'key_file',
        `The key file ${file} can be read by other users of this machine (mode ${mode.toString(8)}), so it is not used.`,
        `Run: chmod 600 ${file} - and have the service replace the key if others may have seen it.`,
      );
    }
    key = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    if (error instanceof RefusedError) throw error;
    throw new RefusedError(
      'key_file',
      `The key file ${file} cannot be read: ${messageOf(error)}.`,
      'Check its rights.',
      {
        cause: error,
      },
    );
  }
  return key === '' ? null : { key: checkedKey(key, file), from: file };
}

/** A key travels in a header: what no header may carry was pasted wrongly. Its text is never repeated. */
function checkedKey(key: string, where: string): string {
  if (/^[\x21-\x7E]+$/.test(key)) return key;
  throw new RefusedError(
    'bad_key',
    `The key in ${where} has spaces, line breaks or characters that no key has.`,
    'Copy it again, without quotes and without anything before or after it.',
  );
}

/**
 * Keeps the key: in the system keychain, or where there is none and the person agrees, in a file only they can read.
 * Returns where, for people. Throws RefusedError.
 */
export async function saveKey(
  machine: Machine,
  dataFolder: string,
  text: string,
  mayUseFile: (file: string) => boolean | Promise<boolean>,
): Promise<string> {
  const key = checkedKey(text.trim(), 'what was given');
  const file = keyFile(dataFolder);
  try {
    await (await machine.keychain()).write(key);
    // A key that an earlier time without a keychain left behind.
    rmSync(file, { force: true });
    return 'the system keychain';
  } catch (error) {
    if (!(await mayUseFile(file))) {
      throw new RefusedError(
        'key_not_kept',
        'This system has no keychain that can be used, so the key was not kept.',
        'Agree to a file that only you can read, or set DAILIES_API_KEY for each run.',
        { cause: error },
      );
    }
    writeWhole(file, `${key}\n`);
    return file;
  }
}

/** Forgets the key wherever it was kept. `DAILIES_API_KEY` is not ours to change. */
export async function forgetKey(machine: Machine, dataFolder: string): Promise<void> {
  rmSync(keyFile(dataFolder), { force: true });
  if ((await fromKeychain(machine)) !== null) await (await machine.keychain()).remove();
}
