import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A browser has six connections to a host, and a person a few windows. */
export const MOST_CONNECTIONS = 256;
/** A request must have said what it wants within this time, ms. */
export const HEADERS_MS = 10_000;

/**
 * Bounds the connections of a server, which are files of the process: with too many, not even the database could open one.
 * Above the bound, the one that is idle for longest makes room, so that connections which ask for nothing cannot keep out
 * those that do. While all are busy, the newest is closed.
 */
export function boundConnections(server: Server, most = MOST_CONNECTIONS): void {
  /** By when they were last busy: the first is idle for longest. */
  const open = new Map<Socket, { answering: number }>();
  server.headersTimeout = HEADERS_MS;
  server.on('connection', (socket: Socket) => {
    open.set(socket, { answering: 0 });
    socket.once('close', () => open.delete(socket));
    if (open.size <= most) return;
    const [idle] = [...open].find(([, { answering }]) => answering === 0) ?? [socket];
    open.delete(idle);
    idle.destroy();
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const state = open.get(socket);
    if (!state) return;
    state.answering += 1;
    response.once('close', () => {
      state.answering -= 1;
      if (!open.delete(socket)) return;
      open.set(socket, state);
    });
  });
}
