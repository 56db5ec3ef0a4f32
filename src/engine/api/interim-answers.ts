import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** The beginning of an interim answer. 101 is none: another protocol follows it. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const LONGEST_STATUS_LINE_START = 'HTTP/1.1 100 '.length;
/** More than any interim answer. Beyond it, the bytes are left to undici to judge. */
const MAX_HELD_BYTES = 16_384;

/**
 * Takes interim answers (RFC 9110, 15.2) out of what a connection receives before its first final answer. undici drops
 * the connection at a `100 Continue` that nobody asked for, although the request was sent and may be charged.
 */
export const skippingInterimAnswers =
  (callback: buildConnector.Callback): buildConnector.Callback =>
  (...[error, socket]) => {
    if (error === null) callback(null, skipInterimAnswers(socket));
    else callback(error, null);
  };

function skipInterimAnswers<S extends Socket>(socket: S): S {
  const receive = socket.push.bind(socket);
  let held: Buffer = Buffer.alloc(0);
  const release = (): boolean => {
    // The method of the prototype is in its place again.
    Reflect.deleteProperty(socket, 'push');
    return held.length === 0 || receive(held);
  };
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      release();
      return receive(null);
    }
    held = Buffer.concat([held, chunk]);
    for (;;) {
      const start = held.toString('latin1', 0, LONGEST_STATUS_LINE_START);
      if (start.length < LONGEST_STATUS_LINE_START && couldBeInterim(start)) return true;
      if (!INTERIM.test(start)) return release();
      const end = held.indexOf('\r\n\r\n');
      if (end < 0) return held.length > MAX_HELD_BYTES ? release() : true;
      held = held.subarray(end + 4);
    }
  };
  return socket;
}

const couldBeInterim = (start: string): boolean => 'HTTP/1.1 1'.startsWith(start.slice(0, 10));
