import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { isAbsolute, join, posix, relative } from 'node:path';
import type { TakeFile } from '../../engine/review/review.ts';
import { formats, type OutputFormat } from '../../contract/formats.ts';
import type { ServedFile } from './served-file.ts';

/**
 * Opens the file of a take, if it is a regular file inside its project folder once every link is followed. Null
 * otherwise: what lies elsewhere is nobody's take. The caller closes the handle.
 */
export async function openTakeFile({ project, output }: TakeFile): Promise<ServedFile | null> {
  const path = await pathInside(project, output.file);
  const opened = path === null ? null : await openRegularFile(path);
  if (!opened) return null;
  return { ...opened, expected: output, contentType: shownType(output.format), name: posix.basename(output.file) };
}

/** The type under which a window may show a format. What could run, or is not known, is bytes for saving. */
function shownType(format: OutputFormat): string {
  const { isShown, contentType } = formats[format];
  return isShown ? contentType : formats.bin.contentType;
}

/** Opens a regular file that is no link. The caller closes the handle. */
export async function openRegularFile(path: string): Promise<Pick<ServedFile, 'handle' | 'size'> | null> {
  let handle: FileHandle | null = null;
  try {
    // No link takes its place between looking and opening, and no pipe keeps us waiting for a writer.
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const facts = await handle.stat();
    if (facts.isFile()) return { handle, size: facts.size };
  } catch {
    // Gone, or not for us to read: there is no such file.
  }
  await handle?.close();
  return null;
}

/** Where a file or folder really lies, if that is inside the folder. Null when it lies elsewhere, or is not there. */
export async function pathInside(folder: string, file: string): Promise<string | null> {
  try {
    const root = await realpath(folder);
    const path = await realpath(join(root, file));
    const inside = relative(root, path);
    return inside === '' || inside.split(/[/\\]/)[0] === '..' || isAbsolute(inside) ? null : path;
  } catch {
    return null;
  }
}
