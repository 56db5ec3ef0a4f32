import { messageFor } from '../../contract/messages/message.ts';
import type { ServiceProblem } from '../machine/failures.ts';
import { Readable } from 'node:stream';
import type { PlannedRequest } from '../../contract/take.ts';
import { type FileHandle, open } from 'node:fs/promises';
import type { Json, JsonObject } from '../../contract/json.ts';
import type { MediaType } from '../../contract/kinds/spec.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { ErrorWithText, toText } from '../base/errors.ts';
import { fileTypeFromBuffer } from 'file-type';
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';

export interface OpenBody {
  readonly headers: Record<string, string>;
  readonly content: Buffer | Readable;
  close(): Promise<void>;
}

export async function openBody(
  request: Pick<PlannedRequest, 'encoding' | 'body' | 'files'>,
  onFileChunk?: (chunk: Buffer) => void,
): Promise<OpenBody> {
  if (request.encoding === 'json') {
    const content = Buffer.from(JSON.stringify(await withInlineFiles(request.body, request.files)));
    return { headers: { 'content-type': 'application/json' }, content, close: async () => undefined };
  }
  return openMultipart(request.body, request.files, onFileChunk);
}

export function headersFor(key: string, answers: PlannedRequest['answers'] = 'json'): Record<string, string> {
  return {
    authorization: `Bearer ${key}`,
    accept: answers === 'bytes' ? '*/*' : 'application/json',
    // No compression, so that a paid answer is on disk exactly as it was sent.
    'accept-encoding': 'identity',
    'user-agent': 'dailies',
  };
}

export type UsableKey = { readonly key: string } | { readonly complaint: ServiceProblem };

/** The key in the form that is sent. A pasted key often ends with a line break, which is removed. */
export function usableKey(stored: string | null): UsableKey {
  const key = stored?.trim() ?? '';
  if (key === '') return { complaint: { code: 'no_key', message: messageFor('failure.noKey') } };
  if (/^[\x21-\x7e]+$/.test(key)) return { key };
  return { complaint: { code: 'bad_key', message: messageFor('failure.keyCharacters') } };
}

/** The path if it is below the service's address, else null: another host would receive the key. */
export function usablePath(path: string): string | null {
  return /^\/(?!\/)[\x21-\x7e]*$/.test(path) ? path : null;
}

/** A file cannot be sent. Nothing was sent. */
export class UnusableFileError extends ErrorWithText {
  readonly code = 'unusable_file';
}

interface SentFile {
  readonly file: FileHandle;
  readonly size: number;
  readonly type: string | null;
}

/** Opens a file to send it. `media` is the medium it must contain, if known. Throws {@link UnusableFileError}. */
async function openSentFile(path: string, media: MediaType | null): Promise<SentFile> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, 'r');
    const stat = await file.stat();
    if (!stat.isFile()) throw new UnusableFileError(messageFor('failure.notAFile', { file: path }));
    if (stat.size === 0) throw new UnusableFileError(messageFor('failure.fileEmpty', { file: path }));
    // Checks the content, not the name: the service refuses a picture whose stated type is wrong. Checks the handle
    // that is sent, because the file may have been replaced since its list was checked.
    const type = await contentTypeFor(file);
    if (media !== null && !holdsMedium(type, media))
      throw new UnusableFileError(messageFor('failure.wrongContent', { path, media }));
    return { file, size: stat.size, type };
  } catch (error) {
    await file?.close();
    if (error instanceof UnusableFileError) throw error;
    const text = messageFor('failure.fileUnreadable', { file: path, reason: toText(error) });
    throw new UnusableFileError(text, { cause: error });
  }
}

/** The largest picture in a JSON body, bytes, because it is in memory three times before it is sent. */
export const MAX_INLINE_BYTES = 10 * 1000 ** 2;

/** A JSON body with its pictures, which are read one after the other. Throws {@link UnusableFileError}. */
export async function withInlineFiles(body: JsonObject, files: PlannedRequest['files']): Promise<JsonObject> {
  const texts: Record<string, string[]> = {};
  for (const { field, path, as = 'base64' } of files) {
    const { file, size, type } = await openSentFile(path, 'image');
    try {
      if (size > MAX_INLINE_BYTES) {
        const sizes = { size: bytesForPeople(size), most: bytesForPeople(MAX_INLINE_BYTES) };
        throw new UnusableFileError(messageFor('defect.fileOverLimit', { path, ...sizes }));
      }
      const base64 = (await file.readFile()).toString('base64');
      (texts[field] ??= []).push(as === 'base64' ? base64 : `data:${type ?? 'image/png'};base64,${base64}`);
    } finally {
      await file.close();
    }
  }
  return { ...body, ...texts };
}

const SAMPLE = 4100;

/** Content type of an open file, from its content and not its name; null if unknown. */
export async function contentTypeFor(file: FileHandle): Promise<string | null> {
  const sample = Buffer.alloc(SAMPLE);
  const { bytesRead } = await file.read(sample, 0, SAMPLE, 0);
  return (await fileTypeFromBuffer(sample.subarray(0, bytesRead)))?.mime ?? null;
}

/** Containers for both video and audio. Only their tracks would show which. */
const CONTAINERS = [
  'video/mp4',
  'video/webm',
  'video/ogg',
  'video/matroska',
  'video/quicktime',
  'audio/ogg',
  'application/ogg',
];

/** A list may name any file on the disk, and most are not media. */
export function holdsMedium(contentType: string | null, media: MediaType): boolean {
  if (contentType === null) return false;
  if (media === 'any') return (['image', 'video', 'audio'] as const).some((each) => holdsMedium(contentType, each));
  return contentType.startsWith(`${media}/`) || (media !== 'image' && CONTAINERS.includes(contentType));
}

interface FilePart {
  readonly head: Buffer;
  readonly file: SentFile['file'];
  readonly path: string;
  readonly size: number;
}

const CHUNK = 256 * 1024;
const BUFFERS = 4;

/**
 * A multipart body (reference, "Images") that streams its files from disk. All files are opened first, so that a
 * missing one is found before anything is sent. Throws {@link UnusableFileError}. `onFileChunk` receives each piece of
 * the files as it is passed on.
 */
async function openMultipart(
  body: JsonObject,
  files: PlannedRequest['files'],
  onFileChunk?: (chunk: Buffer) => void,
): Promise<OpenBody> {
  const boundary = `dailies-${randomUUID()}`;
  const fields = Buffer.concat(Object.entries(body).map(([name, value]) => fieldPart(boundary, name, value)));
  const parts: FilePart[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(parts.map((part) => part.file.close()));
  };
  try {
    for (const { field, path } of files) parts.push(await openPart(boundary, field, path, mediaFor(body, field)));
  } catch (error) {
    await close();
    throw error;
  }
  const end = Buffer.from(`--${boundary}--\r\n`);
  const filesLength = parts.reduce((sum, part) => sum + part.head.length + part.size + 2, 0);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(fields.length + filesLength + end.length),
    },
    content: Readable.from(chunksFor(fields, parts, end, onFileChunk), { objectMode: false }),
    close,
  };
}

function mediaFor({ type }: JsonObject, field: string): MediaType | null {
  if (field !== 'file') return 'image';
  const media: readonly MediaType[] = ['image', 'video', 'audio'];
  return media.find((each) => each === type) ?? null;
}

async function* chunksFor(
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
