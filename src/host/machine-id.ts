import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { usualDataFolder, type Machine } from './data-folder.ts';

/**
 * Identifies this machine for this user: a random id, made once and kept in the user's own data folder, whichever one is
 * worked with. Undefined where that folder cannot be written; the name of the machine must then do.
 */
export function machineId(machine: Machine): string | undefined {
  const file = join(usualDataFolder(machine), 'machine-id');
  return readId(file) ?? makeId(file);
}

function makeId(file: string): string | undefined {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${randomUUID()}\n`, { flag: 'wx', mode: 0o600 });
  } catch {
    // Another start may have made it at the same time.
  }
  return readId(file);
}

function readId(file: string): string | undefined {
  try {
    return /^[0-9a-f-]{36}$/m.exec(readFileSync(file, 'utf8'))?.[0];
  } catch {
    return undefined;
  }
}
