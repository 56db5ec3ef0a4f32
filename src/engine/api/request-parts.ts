import { messageFor } from '../../contract/messages/message.ts';
import type { ServiceProblem } from '../machine/failures.ts';
import type { Readable } from 'node:stream';
import type { PlannedRequest } from '../../contract/take.ts';
import { openMultipart } from './multipart.ts';
import { withInlineFiles } from './sent-files.ts';

/** The body of a POST, open and ready to be sent once. */
export interface OpenBody {
  readonly headers: Record<string, string>;
  readonly content: Buffer | Readable;
  close(): Promise<void>;
}

/** Opens what a request sends. `onFileChunk` receives each piece of its files. Throws `UnusableFileError`. */
export async function openBody(
  request: Pick<PlannedRequest, 'encoding' | 'body' | 'files'>,
  onFileChunk?: (chunk: Buffer) => void,
): Promise<OpenBody> {
  if (request.encoding === 'json') {
    const content = Buffer.from(JSON.stringify(await withInlineFiles(request.body, request.files)));
    return { headers: { 'content-type': 'application/json' }, content, close: () => Promise.resolve() };
  }
  const { contentType, contentLength, stream, close } = await openMultipart(request.body, request.files, onFileChunk);
  const headers = { 'content-type': contentType, 'content-length': String(contentLength) };
  return { headers, content: stream, close };
}

/** Headers of every request (reference, "Authentication"). */
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

/**
 * The path if it is below the service's address, else null. Other texts could be read as the address of another host,
 * which would then receive the key.
 */
export function usablePath(path: string): string | null {
  return /^\/(?!\/)[\x21-\x7e]*$/.test(path) ? path : null;
}
