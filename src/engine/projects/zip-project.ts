import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { placeWithoutLinks } from '../downloads/publish.ts';
import { toFolder, placeIn } from '../files/place.ts';
import { createFile, identityOfFolder, look, removeFile, syncFolder } from '../files/project-files.ts';
import { CHECKSUMS, checksumLine } from './checksums.ts';
import { requireRoom } from '../files/existing-paths.ts';
import {
  checkMayExport,
  checkStillThere,
  exportFailed,
  filesIn,
  openToCopy,
  LeftOutOfExport,
  partsOf,
  type CopiedSoFar,
  type ExportedProject,
} from './export-project.ts';

/** Files in an archive are not executable. */
const MODE = 0o100_644;

/** A folder's name for use in an archive, where `\` separates folders and `:` names a drive. Pure. */
const nameInZip = (folder: string): string => basename(folder).replace(/[\\:]/g, '_') || 'project';

/**
 * Copies every file of a project into a zip archive at `file` (absolute), in a folder with the project's name, with the
 * list of SHA-256 checksums last. Files are streamed and stored uncompressed, because media would not get smaller;
 * large archives use zip64. Yields its progress; a caller that stops reading stops it. The archive gets its name when
 * it is complete; a failed export leaves no archive. Throws RefusedError.
 */
export async function* zipProject(
  project: string,
  file: string,
): AsyncGenerator<CopiedSoFar, ExportedProject, undefined> {
  const target = placeIn(dirname(file), basename(file));
  await checkMayExport(project, dirname(file), (await look(target)) && file);
  const partial = placeIn(dirname(file), `.${String(process.pid)}.${String(Date.now())}.partial`);
  try {
    const before = await identityOfFolder(project);
    const handle = await createFile(partial);
    const leftOut = new LeftOutOfExport();
    let files: number;
    try {
      files = yield* zipAll({ project, into: handle, folder: dirname(file) }, leftOut);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await checkStillThere(project, before);
    if (!(await placeWithoutLinks(partial, target))) await checkMayExport(project, dirname(file), file);
    await syncFolder(toFolder(target));
    return { folder: file, files, leftOut: leftOut.told };
  } catch (error) {
    throw exportFailed(error);
  } finally {
    await removeFile(partial).catch(() => undefined);
  }
}

async function* zipAll(
  { project, into, folder }: { readonly project: string; readonly into: FileHandle; readonly folder: string },
  leftOut: LeftOutOfExport,
): AsyncGenerator<CopiedSoFar, number, undefined> {
  const soFar = { files: 0, ofFiles: 0, bytes: 0, ofBytes: 0 };
  for await (const { bytes } of filesIn(project)) {
    soFar.ofFiles += 1;
    soFar.ofBytes += bytes;
  }
  await requireRoom(folder, soFar.ofBytes);
  const zip = new ZipFile();
  const failed = new Promise<never>((_, reject) => void zip.once('error', reject));
  const output = zip.outputStream as Readable;
  const written = writeAll(output, into);
  const broken = Promise.race([failed, written.then(() => new Promise<never>(() => undefined))]);
  // The error is handled where the promise is awaited.
  broken.catch(() => undefined);
  try {
    const top = nameInZip(project);
    const lines: string[] = [];
    for await (const { place } of filesIn(project, leftOut)) {
      // A recipe may be replaced meanwhile, so hash exactly what is copied.
      const source = await openToCopy(place, leftOut);
      if (!source) continue;
      const name = place.names.join('/');
      try {
        const hash = createHash('sha256');
        const adding = new Adding(source.handle, (part) => {
          hash.update(part);
          soFar.bytes += part.length;
        });
        const { mtime } = await source.handle.stat();
        zip.addReadStreamLazy(`${top}/${name}`, { compress: false, mode: MODE, mtime }, (give) =>
          give(null, adding.stream),
        );
        while (!(await Promise.race([adding.next(), broken]))) yield { ...soFar };
        lines.push(checksumLine({ sha256: hash.digest('hex'), file: name }));
      } finally {
        await source.handle.close();
      }
      soFar.files += 1;
      yield { ...soFar };
    }
    zip.addReadStream(Readable.from(lines, { objectMode: false }), `${top}/${CHECKSUMS}`, {
      compress: false,
      mode: MODE,
    });
    zip.end();
    await Promise.race([written, failed]);
    return soFar.files;
  } finally {
    output.destroy();
    await written.catch(() => undefined);
  }
}

async function writeAll(output: Readable, into: FileHandle): Promise<void> {
  for await (const part of output) await into.writeFile(part as Buffer);
}

class Adding {
  readonly stream: Readable;
  #tell: () => void = () => undefined;
  #isOver = false;

  constructor(handle: FileHandle, seen: (part: Buffer) => void) {
    const parts = async function* (tell: () => void) {
      for await (const part of partsOf(handle)) {
        seen(part);
        yield part;
        tell();
      }
    };
    this.stream = Readable.from(
      parts(() => this.#tell()),
      { objectMode: false },
    );
    const end = (): void => {
      this.#isOver = true;
      this.#tell();
    };
    this.stream.once('close', end).once('end', end);
  }

  /** Resolves when another part was taken; true with the last one. */
  async next(): Promise<boolean> {
    if (!this.#isOver) await new Promise<void>((tell) => (this.#tell = tell));
    return this.#isOver;
  }
}

/** The longest name that we give to an archive, bytes, without its extension. */
const MAX_NAME = 200;

export function zipIn(folder: string, project: string): string {
  let name = nameInZip(project);
  while (Buffer.byteLength(name) > MAX_NAME) name = Array.from(name).slice(0, -1).join('');
  return join(folder, `${name}.zip`);
}
