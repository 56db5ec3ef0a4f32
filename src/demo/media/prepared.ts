import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

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
