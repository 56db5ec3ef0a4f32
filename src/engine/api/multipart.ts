import { messageFor } from '../../contract/messages/message.ts';
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { Json, JsonObject } from '../../contract/json.ts';
import type { MediaType } from '../../contract/kinds/spec.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import { openSentFile, UnusableFileError, type SentFile } from './sent-files.ts';

export interface MultipartBody {
  readonly contentType: string;
  /** Size of the whole body, bytes, known before the first byte is sent. */
  readonly contentLength: number;
  readonly stream: Readable;
  /** Closes the files, whether they were sent or not. */
  close(): Promise<void>;
}

interface FilePart {
  readonly head: Buffer;
  readonly file: SentFile['file'];
  readonly path: string;
  readonly size: number;
}

/** Large enough that a fast connection does not wait for reading. */
const CHUNK = 256 * 1024;
/** Buffers that the pieces of a file use in turn. */
const BUFFERS = 4;

/**
 * A multipart body (reference, "Images") that streams its files from disk. All files are opened first, so that a
 * missing one is found before anything is sent. Throws {@link UnusableFileError}. `onFileChunk` receives each piece of
 * the files as it is passed on.
 */
export async function openMultipart(
  body: JsonObject,
  files: PlannedRequest['files'],
  onFileChunk?: (chunk: Buffer) => void,
): Promise<MultipartBody> {
  const boundary = `dailies-${randomUUID()}`;
  const fields = Buffer.concat(Object.entries(body).map(([name, value]) => fieldPart(boundary, name, value)));
  const parts: FilePart[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(parts.map((part) => part.file.close()));
  };
  try {
    for (const { field, path } of files) parts.push(await openPart(boundary, field, path, mediaOf(body, field)));
  } catch (error) {
    await close();
    throw error;
  }
  const end = Buffer.from(`--${boundary}--\r\n`);
  const filesLength = parts.reduce((sum, part) => sum + part.head.length + part.size + 2, 0);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: fields.length + filesLength + end.length,
    stream: Readable.from(chunksOf(fields, parts, end, onFileChunk), { objectMode: false }),
    close,
  };
}

/** The medium a file must contain: the type that an upload states, or a picture for an image request. */
function mediaOf({ type }: JsonObject, field: string): MediaType | null {
  if (field !== 'file') return 'image';
  const media: readonly MediaType[] = ['image', 'video', 'audio'];
  return media.find((each) => each === type) ?? null;
}

async function* chunksOf(
  fields: Buffer,
  parts: readonly FilePart[],
  end: Buffer,
  onFileChunk?: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  if (fields.length > 0) yield fields;
  for (const part of parts) {
    yield part.head;
    for await (const chunk of fileChunks(part)) {
      onFileChunk?.(chunk);
      yield chunk;
    }
    yield Buffer.from('\r\n');
  }
  yield end;
}

/**
 * Reads one piece ahead, so that disk and connection work at the same time. Allocating memory for each piece of a film
 * would cost more than hashing it, so the pieces share three buffers: one that the connection sends, one in the stream,
 * one that the disk fills. A piece is larger than what makes a connection pause the stream, and the stream asks for the
 * next piece only after the previous one has left this process.
 */
async function* fileChunks(part: FilePart): AsyncGenerator<Buffer> {
  const buffers: Buffer[] = [];
  const read = (position: number, turn: number): Promise<Buffer> => {
    const buffer = (buffers[turn % BUFFERS] ??= Buffer.allocUnsafeSlow(Math.min(CHUNK, part.size)));
    return filled(buffer.subarray(0, Math.min(CHUNK, part.size - position)), part, position);
  };
  let next: Promise<Buffer> | null = read(0, 0);
  try {
    for (let position = 0, turn = 1; next; turn += 1) {
      const chunk: Buffer = await next;
      position += chunk.length;
      next = position < part.size ? read(position, turn) : null;
      // The error is handled when this piece is awaited, if ever.
      next?.catch(() => undefined);
      yield chunk;
    }
  } finally {
    // Wait for the read before the file is closed.
    await next?.catch(() => undefined);
  }
}

/** Fills the whole buffer: several small pieces could otherwise wait in the connection at once. */
async function filled(buffer: Buffer, { file, path }: FilePart, position: number): Promise<Buffer> {
  for (let length = 0; length < buffer.length;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, position + length);
    if (bytesRead === 0) throw new UnusableFileError(messageFor('failure.becameShorter', { file: basename(path) }));
    length += bytesRead;
  }
  return buffer;
}

async function openPart(boundary: string, field: string, path: string, media: MediaType | null): Promise<FilePart> {
  const { file, size, type } = await openSentFile(path, media);
  const head = partHead(
    boundary,
    field,
    `; filename="${escapeName(basename(path))}"\r\nContent-Type: ${type ?? 'application/octet-stream'}`,
  );
  return { head, file, path, size };
}

function fieldPart(boundary: string, name: string, value: Json): Buffer {
  if (value === null) return Buffer.alloc(0);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return Buffer.concat([partHead(boundary, name, ''), Buffer.from(`${text}\r\n`)]);
}

function partHead(boundary: string, name: string, rest: string): Buffer {
  return Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${rest}\r\n\r\n`);
}

/** Escapes as browsers do (WHATWG, "multipart/form-data encoding"). */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
