import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

/** Of its own: Node's shared one takes proxies from the environment, which have no business between us. */
const agent = new Agent({ keepAlive: true });

/** All that is done with media. Of other methods Node sends a body without saying how long it is. */
const METHODS = ['GET', 'HEAD', 'PUT'];

/**
 * Headers of a page's request that go to the engine; nothing else matters to the answer. Not the length of its body:
 * bytes beyond it would count as a second request, so the body goes in chunks.
 */
const ASKED = ['accept', 'content-type', 'if-none-match', 'if-range', 'range'] as const;

const ANSWERED = [
  'accept-ranges',
  'allow',
  'cache-control',
  'content-disposition',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
] as const;

const WITHOUT_BODY: readonly (number | undefined)[] = [204, 205, 304];

/**
 * Forwards a request for media to the engine's socket, and streams its answer back. Uses Node's plain `http`, which has
 * no time limit: an upload is answered once the service has it. Electron's requests have no abort signal, so only the
 * streams show that a page went away: its upload fails, and its answer is destroyed. Rejects when the engine cannot be
 * reached.
 */
export async function forwardToEngine(request: Request, socketPath: string): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const target = new URL(`http://localhost${pathname}${search}`);
  // Under http a backslash divides a path, under our scheme it does not: we must fetch the path that we checked.
  if (target.pathname !== pathname) return new Response(null, { status: 404 });
  if (!METHODS.includes(request.method)) return new Response(null, { status: 405 });
  const outgoing = httpRequest({
    socketPath,
    path: `${target.pathname}${target.search}`,
    agent,
    method: request.method,
    headers: picked(request.headers),
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  const body = request.body ? Readable.fromWeb(request.body as ReadableStream<Uint8Array>) : Readable.from([]);
  // An answer may come before the whole body was read, and closes the connection then: it is the answer that counts.
  pipeline(body, outgoing).catch(() => undefined);
  return toResponse(await answered);
}

function picked(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    ASKED.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

function toResponse(answer: IncomingMessage): Response {
  const headers = new Headers();
  for (const name of ANSWERED) {
    const value = answer.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  const isEmpty = WITHOUT_BODY.includes(answer.statusCode) || answer.headers['content-length'] === '0';
  if (isEmpty) answer.resume();
  // A page that has seen enough cancels the stream, which closes the connection and with it the file.
  const body = isEmpty ? null : (Readable.toWeb(answer) as globalThis.ReadableStream<Uint8Array>);
  return new Response(body, { status: answer.statusCode ?? 502, headers });
}
