import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { fromFdPromise, type Entry, type ZipFile } from 'yauzl';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { MAX_PATH } from '../../contract/units.ts';
import { toText, refused, RefusedError } from '../base/errors.ts';
import { placeIn } from '../files/place.ts';
import { lookAtFolder, openFile, type OpenFile } from '../files/project-files.ts';
import { realPath } from '../files/existing-paths.ts';
import { CHECKSUMS, parseChecksumLine, splitLines } from './checksums.ts';
import { verifyProject, type FileTrouble, type Verified, type VerifyProgress } from './verify-project.ts';

/** More files than any project has. Each takes a few hundred bytes of memory. */
const MAX_FILES = 500_000;
/** The longest list that is read, bytes. */
const MAX_LIST_BYTES = 128 * 1000 ** 2;
/** A file that is this many times larger than its stored bytes was made to fill a disk. */
const MAX_GROWTH = 200;
const SMALL = 1000 ** 2;
const LINK = 0o120_000;
const FILE_TYPE = 0o170_000;
/** A Unicode name in addition to the entry's own, which other programs ignore. */
const UNICODE_NAME = 0x7075;

export async function* verifyPath(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<VerifyProgress, Verified, undefined> {
  const real = await realPath(path);
  if ((await lookAtFolder(real)) !== 'other') return yield* verifyProject(path, signal);
  const archive = await openFile(placeIn(dirname(real), basename(real)), 'read');
  try {
    return yield* verifyZip(archive, signal);
  } finally {
    await archive.handle.close();
  }
}

/**
 * Reads every file of an exported archive and reports which differ from its checksum list: changed, missing, not
 * listed, present twice or unreadable. Unpacks nothing to the disk. Throws RefusedError for a file that is not an
 * archive or not an export.
 */
async function* verifyZip(
  { handle, bytes: size }: OpenFile,
  signal: AbortSignal,
): AsyncGenerator<VerifyProgress, Verified, undefined> {
  const { top, wanted } = await readList(handle.fd, size);
  const seen = new Set<string>();
  let [files, bytes] = [0, 0];
  for await (const { zip, entry } of entriesFor(handle.fd, size)) {
    signal.throwIfAborted();
    const { fileName } = entry;
    if (fileName.endsWith('/') || fileName === top + CHECKSUMS) continue;
    const file = fileName.startsWith(top) ? fileName.slice(top.length) : fileName;
    const sha256 = fileName.startsWith(top) ? wanted.get(file) : undefined;
    const twice = seen.has(fileName);
    seen.add(fileName);
    files += 1;
    if (sha256 === undefined) yield { type: 'trouble', file: fileName, problem: 'unlisted' };
    else if (twice) {
      yield { type: 'trouble', file, problem: 'unreadable', reason: messageFor('failure.zipNameTwice') };
    } else {
      const read = await lookAt(zip, entry, sha256, signal);
      bytes += read.bytes;
      if (read.trouble) yield { type: 'trouble', file, ...read.trouble };
    }
    yield { type: 'progress', files, bytes };
  }
  for (const file of wanted.keys()) if (!seen.has(top + file)) yield { type: 'trouble', file, problem: 'missing' };
  return { files, bytes, emptied: 0, by: 'checksums' };
}

interface Listed {
  readonly top: string;
  readonly wanted: ReadonlyMap<string, string>;
}

/** The checksum list of an archive: exactly one, at the top or in its only folder. */
async function readList(fd: number, size: number): Promise<Listed> {
  let found: Listed | null = null;
  for await (const { zip, entry } of entriesFor(fd, size)) {
    const { fileName, uncompressedSize } = entry;
    const names = fileName.split('/');
    if (names.at(-1) !== CHECKSUMS || names.length > 2) continue;
    if (found !== null || uncompressedSize > MAX_LIST_BYTES || toTrouble(entry) !== null) throw noExport();
    const wanted = await linesFor(zip, entry).catch((error: unknown) => {
      throw asDamaged(error);
    });
    found = { top: fileName.slice(0, -CHECKSUMS.length), wanted };
  }
  if (found === null) throw noExport();
  return found;
}

async function linesFor(zip: ZipFile, list: Entry): Promise<Map<string, string>> {
  const wanted = new Map<string, string>();
  const stream = await zip.openReadStreamPromise(list);
  for await (const line of splitLines(stream.setEncoding('utf8'))) {
    const checksum = parseChecksumLine(line);
    if (checksum) wanted.set(checksum.file, checksum.sha256);
    if (wanted.size > MAX_FILES) throw noExport();
  }
  return wanted;
}

/** The entries of an archive, one by one. Refuses an archive with a name that leads elsewhere. */
async function* entriesFor(fd: number, size: number): AsyncGenerator<{ zip: ZipFile; entry: Entry }> {
  try {
    const zip = await fromFdPromise(fd, { autoClose: false, strictFileNames: true });
    if (zip.entryCount > MAX_FILES) throw noExport();
    let stored = 0;
    for await (const entry of zip.eachEntry()) {
      stored += entry.compressedSize;
      // Files that share their bytes: a small archive could otherwise go on forever. Long names are slow to look up.
      if (stored > size || entry.fileName.length > MAX_PATH) throw noExport();
      yield { zip, entry };
    }
  } catch (error) {
    throw asDamaged(error);
  }
}

function asDamaged(error: unknown): RefusedError {
  if (error instanceof RefusedError) return error;
  const problem = messageFor('failure.zipDamaged', { reason: toText(error) });
  return refused('zip_damaged', problem, 'remedy.saveOrCopyAgain', { cause: error });
}

/** Why a file is not read; null if it can be. */
function toTrouble(entry: Entry): Text | null {
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK) return messageFor('failure.zipLink');
  if (!entry.canDecodeFileData()) return messageFor('failure.zipUnknownWay');
  const grows = entry.uncompressedSize > SMALL && entry.uncompressedSize > MAX_GROWTH * entry.compressedSize;
  return grows ? messageFor('failure.zipBomb') : null;
}

async function lookAt(
  zip: ZipFile,
  entry: Entry,
  sha256: string,
  signal: AbortSignal,
): Promise<{ readonly bytes: number; readonly trouble: Omit<FileTrouble, 'file'> | null }> {
  const reason = toTrouble(entry);
  if (reason !== null) return { bytes: 0, trouble: { problem: 'unreadable', reason } };
  let bytes = 0;
  try {
    // Other programs may use the name in front of the file, or the one without the Unicode field.
    const { fileName } = await zip.readLocalFileHeaderPromise(entry);
    const hasOtherName =
      entry.extraFields.some(({ id }) => id === UNICODE_NAME) && !fileName.equals(Buffer.from(entry.fileName));
    if (hasOtherName || !fileName.equals(entry.fileNameRaw)) {
      return { bytes, trouble: { problem: 'unreadable', reason: messageFor('failure.zipTwoNames') } };
    }
    const hash = createHash('sha256');
    for await (const part of await zip.openReadStreamPromise(entry)) {
      signal.throwIfAborted();
      hash.update(part as Buffer);
      bytes += (part as Buffer).length;
    }
    return { bytes, trouble: hash.digest('hex') === sha256 ? null : { problem: 'changed' } };
  } catch (error) {
    signal.throwIfAborted();
    return { bytes, trouble: { problem: 'unreadable', reason: toText(error) } };
  }
}

const noExport = (): RefusedError => refused('zip_no_export', 'failure.zipNoExport');
