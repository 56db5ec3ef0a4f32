import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** The canonical path, however it is written. If it does not exist yet, the nearest existing parent is resolved. */
export async function realPath(path: string): Promise<string> {
  const place = resolve(path);
  try {
    return await realpath(place);
  } catch {
    // The caller finds out why when it opens the path.
    const parent = dirname(place);
    return parent === place ? place : join(await realPath(parent), basename(place));
  }
}
