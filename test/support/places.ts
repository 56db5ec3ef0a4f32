import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { inspectFile, type Claims, type Inspection } from '../../src/engine/downloads/verify.ts';
import { placeIn, type Place } from '../../src/engine/files/place.ts';

/** The place of a file whose folder is taken for a project. */
export const placeOf = (path: string): Place => placeIn(dirname(path), basename(path));

/** What the file at a path is; see `inspectFile`. */
export async function inspectAt(path: string, claims?: Claims): Promise<Inspection> {
  const handle = await open(path);
  try {
    return await inspectFile({ handle, bytes: (await handle.stat()).size }, claims);
  } finally {
    await handle.close();
  }
}
