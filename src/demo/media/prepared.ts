import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { seededRandom } from './output.ts';

const files = new Map<string, Buffer>();

/** A file of `resources/demo`, read once. */
export function prepared(name: string): Buffer {
  const file = files.get(name) ?? readFileSync(join(preparedFolder(), name));
  files.set(name, file);
  return file;
}

/** Wherever that is: beside the sources, in a package, or beside the command of the app. */
function preparedFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const found = join(folder, 'resources', 'demo');
    if (existsSync(found)) return found;
    if (dirname(folder) === folder) throw new Error('The media of the demo are missing: install Dailies again.');
  }
}

/** A number from 1 to `most` that follows from a seed: which of several prepared files a take has. */
export function oneOf(most: number, seed: string): number {
  return 1 + Math.floor(seededRandom(seed)() * most);
}
