import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { relative, isAbsolute, join } from 'node:path';
import type { TakeFile } from '../../engine/review/review.ts';

export interface OpenTakeFile {
  readonly handle: FileHandle;
  /** Bytes, as the file is now. */
  readonly size: number;
}

/**
 * Opens the file of a take, if it is a regular file inside its project folder once every link is followed. Null
 * otherwise: what lies elsewhere is nobody's take. The caller closes the handle.
 */
export async function openTakeFile({ project, output }: TakeFile): Promise<OpenTakeFile | null> {
  let handle: FileHandle | null = null;
  try {
    const folder = await realpath(project);
    const path = await realpath(join(folder, output.file));
    const inside = relative(folder, path);
    if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return null;
    // No link takes its place between looking and opening, and no pipe keeps us waiting for a writer.
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const facts = await handle.stat();
    if (facts.isFile()) return { handle, size: facts.size };
    await handle.close();
    return null;
  } catch {
    await handle?.close().catch(() => undefined);
    return null;
  }
}
