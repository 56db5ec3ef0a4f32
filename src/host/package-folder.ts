import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Our own folder, wherever it was installed: the nearest one above this file with our package.json. */
export function packageFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (manifestIn(folder)?.name === 'dailies') return folder;
    if (dirname(folder) === folder) throw new Error('The package.json of Dailies is missing: install it again.');
  }
}

/**
 * The folder of files that come with us and are opened like any other file on the disk. In the desktop app our own
 * folder is an archive, which most of the file system's functions cannot look into; these files lie beside it.
 */
export function resourcesFolder(from = packageFolder()): string {
  return join(from.replace(/\bapp\.asar$/, 'app.asar.unpacked'), 'resources');
}

export function packageVersion(): string {
  return manifestIn(packageFolder())?.version ?? 'unknown';
}

function manifestIn(folder: string): { name?: string; version?: string } | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string; version?: string };
  } catch {
    return null;
  }
}
