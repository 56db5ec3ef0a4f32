import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { LeftOut } from '../../contract/project.ts';
import { placeWithoutLinks } from '../downloads/publish.ts';
import { toFolder, placeIn, type Place } from '../files/place.ts';
import { createFile, syncFolder } from '../files/project-files.ts';
import { CHECKSUMS } from './checksums.ts';
import { copyFiles, exportTo, nameTaken, partsOf, type CopiedSoFar, type Exporting } from './export-project.ts';

const MODE = 0o100_644;

/** A folder's name for use in an archive, where `\` separates folders and `:` names a drive. Pure. */
const nameInZip = (folder: string): string => basename(folder).replace(/[\\:]/g, '_') || 'project';

/**
 * Copies every file of a project into a zip archive at `file` (absolute), in a folder with the project's name, with the
 * list of SHA-256 checksums last. Files are stored uncompressed, because media would not get smaller. See `exportTo`.
 */
export const zipProject = (project: string, file: string): Exporting =>
  exportTo(file, project, placeZip, async function* (partial, leftOut) {
    const handle = await createFile(placeOf(partial));
    try {
      const files = yield* zipAll(project, { handle, folder: dirname(file) }, leftOut);
      await handle.sync();
      return files;
    } finally {
      await handle.close();
    }
  });

async function placeZip(partial: string, file: string): Promise<void> {
  const target = placeOf(file);
  if (!(await placeWithoutLinks(placeOf(partial), target))) throw nameTaken(file);
  await syncFolder(toFolder(target));
}

const placeOf = (file: string): Place => placeIn(dirname(file), basename(file));

async function* zipAll(
  project: string,
  into: { readonly handle: FileHandle; readonly folder: string },
  leftOut: LeftOut,
): AsyncGenerator<CopiedSoFar, number, undefined> {
  const zip = new ZipFile();
  const failed = new Promise<never>((_, reject) => void zip.once('error', reject));
  const output = zip.outputStream as Readable;
  const written = writeAll(output, into.handle);
  const broken = Promise.race([failed, written.then(() => new Promise<never>(() => undefined))]);
  // The error is handled where the promise is awaited.
  broken.catch(() => undefined);
  const top = nameInZip(project);
  try {
    const lines = yield* copyFiles(project, into.folder, leftOut, async function* (place, source) {
      const { mtime } = await source.stat();
      const content = new PassThrough();
      zip.addReadStream(content, `${top}/${place.names.join('/')}`, { compress: false, mode: MODE, mtime });
      for await (const part of partsOf(source)) {
        if (!content.write(part)) await Promise.race([once(content, 'drain'), broken]);
        yield part;
      }
      content.end();
    });
    zip.addReadStream(Readable.from(lines, { objectMode: false }), `${top}/${CHECKSUMS}`, {
      compress: false,
      mode: MODE,
    });
    zip.end();
    await Promise.race([written, failed]);
    return lines.length;
  } finally {
    output.destroy();
    await written.catch(() => undefined);
  }
}

async function writeAll(output: Readable, into: FileHandle): Promise<void> {
  for await (const part of output) await into.writeFile(part as Buffer);
}

/** The longest name that we give to an archive, bytes, without its extension. */
const MAX_NAME = 200;

export function zipIn(folder: string, project: string): string {
  let name = nameInZip(project);
  while (Buffer.byteLength(name) > MAX_NAME) name = Array.from(name).slice(0, -1).join('');
  return join(folder, `${name}.zip`);
}
