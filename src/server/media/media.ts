import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { TakeFile } from '../../engine/review/review.ts';
import { asDownload, contentTypes, FOREVER, isKnown, notFound, plain } from './answers.ts';
import { readRange } from './range.ts';
import { openTakeFile, type OpenTakeFile } from './take-file.ts';

/** Read from the disk in one go, bytes. */
const PIECE_BYTES = 256 * 1024;

/** Answers GET and HEAD for one file of a take: whole, in part, or not at all when the caller has it. */
export async function answerMedia(request: Request, file: TakeFile): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, '', { allow: 'GET, HEAD' });
  const opened = await openTakeFile(file);
  if (!opened) return notFound();
  const answer = planAnswer(request, file, opened.size);
  if (answer.bytes === null || request.method === 'HEAD') {
    await opened.handle.close();
    return new Response(null, answer);
  }
  return new Response(streamOf(opened, answer.bytes), answer);
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** What of the file goes with it, both ends counting. */
  readonly bytes: { readonly start: number; readonly end: number } | null;
}

function planAnswer(request: Request, { output }: TakeFile, size: number): Answer {
  // A file somebody changed since is shown, but no caller may keep it for what was saved.
  const isAsSaved = size === output.bytes;
  const etag = `"${output.sha256}"`;
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    'content-type': contentTypes[output.format],
    'x-content-type-options': 'nosniff',
    'cache-control': isAsSaved ? FOREVER : 'no-store',
    ...(isAsSaved && { etag }),
    ...(new URL(request.url).searchParams.has('download') && {
      'content-disposition': asDownload(posix.basename(output.file)),
    }),
  };
  if (isAsSaved && isKnown(request, etag)) return { status: 304, headers, bytes: null };
  const wanted = readRange(rangeThatHolds(request, isAsSaved ? etag : null), size);
  switch (wanted.type) {
    case 'none':
      return {
        status: 416,
        headers: { ...headers, 'content-range': `bytes */${size}`, 'content-length': '0' },
        bytes: null,
      };
    case 'part': {
      const { start, end } = wanted;
      const range = { 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': String(end - start + 1) };
      return { status: 206, headers: { ...headers, ...range }, bytes: { start, end } };
    }
    case 'all':
      return {
        status: 200,
        headers: { ...headers, 'content-length': String(size) },
        bytes: size === 0 ? null : { start: 0, end: size - 1 },
      };
  }
}

/** A part is only worth something beside other parts of the same content (`If-Range`). */
function rangeThatHolds(request: Request, etag: string | null): string | null {
  const condition = request.headers.get('if-range');
  return condition === null || condition === etag ? request.headers.get('range') : null;
}

function streamOf(
  { handle }: OpenTakeFile,
  { start, end }: { start: number; end: number },
): ReadableStream<Uint8Array> {
  const stream = handle.createReadStream({ start, end, highWaterMark: PIECE_BYTES });
  // Node's stream and the one of fetch are one thing under two names.
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
