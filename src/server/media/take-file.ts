import { posix } from 'node:path';
import type { TakeFile } from '../../engine/review/review.ts';
import { formats, type OutputFormat } from '../../contract/formats.ts';
import { pathOf, placeIn } from '../../engine/files/place.ts';
import { isOwnFile, look, openFile } from '../../engine/files/project-files.ts';
import type { ServedFile } from './served-file.ts';

/**
 * Opens the file of a take, if it is there and the project's own. Null otherwise: what lies elsewhere is nobody's take.
 * The caller closes the handle.
 */
export async function openTakeFile({ project, output }: TakeFile): Promise<ServedFile | null> {
  try {
    const { handle, bytes: size } = await openFile(placeIn(project, output.file), 'read');
    return { handle, size, expected: output, contentType: shownType(output.format), name: posix.basename(output.file) };
  } catch {
    return null;
  }
}

/** The type under which a window may show a format. What could run, or is not known, is bytes for saving. */
function shownType(format: OutputFormat): string {
  const { isShown, contentType } = formats[format];
  return isShown ? contentType : formats.bin.contentType;
}

/** The path of a file or folder of a project, if it is there and the project's own; null otherwise. */
export async function pathInside(project: string, file: string): Promise<string | null> {
  try {
    const place = placeIn(project, file);
    const found = await look(place);
    return found && (found.isDirectory() || isOwnFile(found)) ? pathOf(place) : null;
  } catch {
    return null;
  }
}
