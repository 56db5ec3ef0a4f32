import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { errors } from 'undici';
import { messageFor } from '../../contract/messages/message.ts';
import { ErrorWithText } from '../base/errors.ts';

/** We ask for no compression (`accept-encoding: identity`), but a proxy between may not care. */

/** The body is not compressed as its header says, or not to its end. */
export class EncodedError extends ErrorWithText {
  readonly code = 'bad_encoding';
  constructor(encodings: readonly string[], cause?: unknown) {
    super(messageFor('failure.badEncoding', { encoding: encodings.join(', ') }), { cause });
  }
}

/** More in a row than any server applies. */
const MAX_ENCODINGS = 3;

const DECODERS: Readonly<Record<string, (first: number | undefined) => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  // Some servers leave out the frame of zlib, whose first byte ends in 8.
  deflate: (first = 8) => ((first & 15) === 8 ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
};

/** How the body of an answer is compressed, in the order in which that was done (RFC 9110, 8.4). */
export function toEncodings({ 'content-encoding': header }: IncomingHttpHeaders): string[] {
  const names = [header ?? ''].flat().join(',').toLowerCase().split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
}

export const canDecode = (encodings: readonly string[]): boolean =>
  encodings.length <= MAX_ENCODINGS && encodings.every((name) => Object.hasOwn(DECODERS, name));

/** A decompressed stream; `first` is its first byte. Throws {@link EncodedError}, ResponseExceededMaxSizeError. */
export async function* decompressed(
  source: Readable,
  encodings: readonly string[],
  { first, maxBytes }: { readonly first: number | undefined; readonly maxBytes: number },
): AsyncGenerator<Buffer> {
  const decoders = encodings
    .toReversed()
    .flatMap((name, index) => DECODERS[name]?.(index === 0 ? first : undefined) ?? []);
  let bytes = 0;
  // An error of any of them ends the last one with it.
  const last: unknown = pipeline([source, ...decoders], () => undefined);
  try {
    for await (const chunk of last as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new errors.ResponseExceededMaxSizeError();
      yield chunk;
    }
  } catch (error) {
    const isOfZlib = error instanceof Error && 'errno' in error && !('syscall' in error);
    throw isOfZlib ? new EncodedError(encodings, error) : error;
  }
}

/** The body of an answer as it is meant. What cannot be decompressed is given as far as that went, with the error. */
export async function decodedBody(
  headers: IncomingHttpHeaders,
  received: readonly Buffer[],
  maxBytes: number,
): Promise<{ readonly body: readonly Buffer[]; readonly error: unknown }> {
  const encodings = toEncodings(headers);
  const [start] = received;
  if (encodings.length === 0 || start === undefined || !canDecode(encodings)) return { body: received, error: null };
  const body: Buffer[] = [];
  try {
    const limits = { first: start[0], maxBytes };
    for await (const chunk of decompressed(Readable.from(received), encodings, limits)) body.push(chunk);
    return { body, error: null };
  } catch (error) {
    return { body: body.length > 0 ? body : received, error };
  }
}
