import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { basename, posix } from 'node:path';
import type { LocalMedia } from '../../contract/asset.ts';
import { contentTypeFor } from '../../engine/api/request-parts.ts';
import { DECODED } from '../../engine/base/pictures.ts';
import { isOwnFile, look, openFile } from '../../engine/files/project-files.ts';
import { toPath, placeIn } from '../../engine/files/place.ts';
import { formats, type OutputFormat } from '../../contract/formats.ts';
import type { TakeFile } from '../../engine/review/review.ts';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { asDownload, FOREVER, isKnown, plain } from './answers.ts';

export interface ServedFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly expected: { readonly bytes: number; readonly sha256: string };
  readonly contentType: string;
  readonly name: string;
}

const PIECE_BYTES = 256 * 1024;

/** Answers GET and HEAD with a file: whole, in part, or not at all when the caller has it. Sees to its handle. */
export async function answerFile(request: Request, file: ServedFile): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    await file.handle.close();
    return plain(405, '', { allow: 'GET, HEAD' });
  }
  const { bytes, ...answer } = planAnswer(request, file);
  if (bytes === null || request.method === 'HEAD') {
    await file.handle.close();
    return new Response(null, answer);
  }
  const stream = file.handle.createReadStream({ ...bytes, highWaterMark: PIECE_BYTES });
  // Node's stream and the one of fetch are one thing under two names.
  return new Response(Readable.toWeb(stream) as ReadableStream<Uint8Array>, answer);
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** What of the file goes with it, both ends counting. */
  readonly bytes: { readonly start: number; readonly end: number } | null;
}

function planAnswer(request: Request, { size, expected, contentType, name }: ServedFile): Answer {
  // A file that was changed since is shown, but no caller may cache it as the saved one.
  const isAsSaved = size === expected.bytes;
  const etag = `"${expected.sha256}"`;
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    'cache-control': isAsSaved ? FOREVER : 'no-store',
    ...(isAsSaved && { etag }),
    ...(new URL(request.url).searchParams.has('download') && { 'content-disposition': asDownload(name) }),
  };
  if (isAsSaved && isKnown(request, etag)) return { status: 304, headers, bytes: null };
  const wanted = readRange(rangeThatHolds(request, isAsSaved ? etag : null), size);
  switch (wanted.type) {
    case 'none': {
      const nothing = { 'content-range': `bytes */${size}`, 'content-length': '0', 'cache-control': 'no-store' };
      return { status: 416, headers: { ...headers, ...nothing }, bytes: null };
    }
    case 'part': {
      const { start, end } = wanted;
      const range = { 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': String(end - start + 1) };
      return { status: 206, headers: { ...headers, ...range }, bytes: { start, end } };
    }
    case 'all': {
      const bytes = size === 0 ? null : { start: 0, end: size - 1 };
      return { status: 200, headers: { ...headers, 'content-length': String(size) }, bytes };
    }
  }
}

/** A part is only worth something beside other parts of the same content (`If-Range`). */
function rangeThatHolds(request: Request, etag: string | null): string | null {
  const condition = request.headers.get('if-range');
  return condition === null || condition === etag ? request.headers.get('range') : null;
}

/** The bytes of a file that a request asks for; both ends count. */
type WantedBytes =
  | { readonly type: 'all' }
  | { readonly type: 'part'; readonly start: number; readonly end: number }
  | { readonly type: 'none' };

/** Reads a `Range` (RFC 9110, 14.2) for `size` bytes. Several ranges, or no byte range, get the whole file. Pure. */
export function readRange(header: string | null, size: number): WantedBytes {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return { type: 'all' };
  if (first === '') {
    const count = Math.min(Number(last), size);
    return count === 0 ? { type: 'none' } : { type: 'part', start: size - count, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return { type: 'all' };
  if (start >= size) return { type: 'none' };
  return { type: 'part', start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Opens the file of a take, if it exists inside the project; null otherwise. The caller closes the handle. */
export async function openTakeFile({ project, output }: TakeFile): Promise<ServedFile | null> {
  try {
    const { handle, bytes: size } = await openFile(placeIn(project, output.file), 'read');
    return {
      handle,
      size,
      expected: output,
      contentType: shownType(output.format),
      name: posix.basename(output.home ?? output.file),
    };
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
    return found && (found.isDirectory() || isOwnFile(found)) ? toPath(place) : null;
  } catch {
    return null;
  }
}

/** Types that a browser may show. Everything else, SVG with its scripts above all, is only offered for saving. */
const SHOWN =
  /^(image\/(png|jpeg|webp|gif|avif|bmp|tiff)|video\/(mp4|webm|quicktime)|audio\/(mpeg|wav|x-wav|flac|ogg|mp4|aac))$/;

/** Opens the local file an asset was made of, at the first of its places that still holds as many bytes. */
export async function openAssetFile({ sha256, bytes, paths, contentType }: LocalMedia): Promise<ServedFile | null> {
  for (const path of paths) {
    const real = await realpath(path).catch(() => null);
    const opened = real === null ? null : await openRegularFile(real);
    if (!opened) continue;
    if (opened.size === bytes) {
      const type = contentType !== undefined && SHOWN.test(contentType) ? contentType : 'application/octet-stream';
      return { ...opened, expected: { bytes, sha256 }, contentType: type, name: basename(path) };
    }
    await opened.handle.close();
  }
  return null;
}

/**
 * Opens a picture that a list names, by its real path; null where there is none. It is known by its place, its length and
 * its times, so that one that was drawn before is not read again.
 */
export async function openListedPicture(path: string): Promise<ServedFile | null> {
  const opened = await openRegularFile(path);
  if (!opened) return null;
  const { handle, size } = opened;
  const contentType = await contentTypeFor(handle).catch(() => null);
  if (contentType === null || !DECODED.has(contentType)) {
    await handle.close();
    return null;
  }
  const { mtimeMs, ctimeMs, ino } = await handle.stat();
  const sha256 = createHash('sha256').update([path, size, mtimeMs, ctimeMs, ino].join('\0')).digest('hex');
  return { ...opened, expected: { bytes: size, sha256 }, contentType, name: basename(path) };
}

/** Opens a regular file that is no link. The caller closes the handle. */
async function openRegularFile(path: string): Promise<Pick<ServedFile, 'handle' | 'size'> | null> {
  let handle: FileHandle | null = null;
  try {
    // No link takes its place between looking and opening, and no pipe keeps us waiting for a writer.
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const facts = await handle.stat();
    if (facts.isFile()) return { handle, size: facts.size };
  } catch {
    // Gone, or not readable for us: either way there is no such file.
  }
  await handle?.close();
  return null;
}
