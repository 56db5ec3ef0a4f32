import { isOwnFile, look, openFile } from '../../engine/files/project-files.ts';
import { toPath, placeIn } from '../../engine/files/place.ts';
import { formats, type OutputFormat } from '../../contract/formats.ts';
import { soundsIn } from '../../engine/review/cut-sounds.ts';
import type { TakeFile } from '../../engine/review/review.ts';
import type { FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
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

/** Opens a sound file that was added to the cuts of a project (absolute folder); null where it has none with this hash. */
export async function openSound(project: string, sha256: string): Promise<ServedFile | null> {
  const sound = (await soundsIn(project)).get(sha256);
  const opened = sound && (await openFile(sound.place, 'read').catch(() => null));
  if (!sound || !opened) return null;
  const { handle, bytes: size } = opened;
  const expected = { bytes: sound.bytes, sha256 };
  return { handle, size, expected, contentType: shownType(sound.format), name: `${sha256}.${sound.format}` };
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
