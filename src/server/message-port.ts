import { RPCHandler } from '@orpc/server/message-port';
import { createRouter } from './router/router.ts';
import type { Services } from './services.ts';

/** The end of a channel that Node, a browser or Electron's main process has. */
export type Port = Parameters<RPCHandler<Record<never, never>>['upgrade']>[0];

/** Answers the procedures over a port, for a window that shares a machine and a program with the engine. */
export function servePort(services: Services, port: Port): void {
  new RPCHandler(createRouter(services)).upgrade(port);
}
