import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** The one name of a place, in whatever way its path is written; of what is not there yet, below its nearest parent. */
export async function realPath(path: string): Promise<string> {
  const place = resolve(path);
  try {
    return await realpath(place);
  } catch {
    // Opening it reports why it cannot be read.
    const parent = dirname(place);
    return parent === place ? place : join(await realPath(parent), basename(place));
  }
}
