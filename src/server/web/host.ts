import { createAdaptorServer } from '@hono/node-server';
import { createServer, type Server } from 'node:http';
import { systemCode, RefusedError } from '../../engine/errors.ts';
import type { Services } from '../services.ts';
import { createWebApp } from './app.ts';
import { lastPort, notePort } from './last-port.ts';
import { dropToken, takeToken } from './token.ts';

/** Loopback, and nothing else: what is offered here is everything its owner may do. */
const ADDRESS = '127.0.0.1';
/** Tried after the port of the run before, where a window that is still open looks for the next one. */
const USUAL_PORT = 4680;
/** Answers under way may come to their end in this time, ms. */
const GRACE_MS = 1000;
const SWEEP_MS = 20;

export interface WebHostOptions {
  readonly services: Omit<Services, 'stopping'>;
  /** Folder of the built window, absolute. */
  readonly windowFolder: string;
  /** Absent: that of the run before, else the usual one, else any free one. */
  readonly port?: number;
}

export interface WebHost {
  readonly port: number;
  /** Address without the token. */
  readonly address: string;
  /** Address for the first visit, with the token. */
  readonly entry: string;
  readonly token: string;
  /** Ends every event stream and every answer under way. The engine is left to the caller. */
  close(): Promise<void>;
}

/** Serves the window and its procedures to the browsers of this machine. Throws RefusedError when the port is taken. */
export async function startWebHost({ services, windowFolder, port }: WebHostOptions): Promise<WebHost> {
  const { dataFolder } = services.host;
  const stopping = new AbortController();
  const gate = { port: 0, token: takeToken(dataFolder) };
  const app = createWebApp({
    services: { ...services, stopping: stopping.signal },
    windowFolder,
    gate: () => gate,
  });
  const server = createAdaptorServer({ fetch: app.fetch, createServer }) as Server;
  gate.port = port === undefined ? await listenSomewhere(server, lastPort(dataFolder)) : await listen(server, port);
  notePort(dataFolder, gate.port);
  const address = `http://${ADDRESS}:${gate.port}`;
  return {
    port: gate.port,
    address,
    entry: `${address}/?token=${gate.token}`,
    token: gate.token,
    async close() {
      stopping.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection that was busy a moment ago is idle now, and stays open unless it is looked at again.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      const patience = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      await closed;
      clearInterval(sweep);
      clearTimeout(patience);
      dropToken(dataFolder);
    },
  };
}

async function listenSomewhere(server: Server, last: number | null): Promise<number> {
  for (const port of [last, USUAL_PORT]) {
    if (port === null) continue;
    try {
      return await listen(server, port);
    } catch {
      // Whoever has it keeps it.
    }
  }
  return listen(server, 0);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => {
      const problem =
        systemCode(error) === 'EADDRINUSE'
          ? `Port ${port} is taken by another program.`
          : `Port ${port} cannot be used.`;
      reject(
        new RefusedError('port_taken', problem, 'Name another port, or none: then a free one is found.', {
          cause: error,
        }),
      );
    };
    server.once('error', onError);
    server.listen(port, ADDRESS, () => {
      server.off('error', onError);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound ? bound.port : port);
    });
  });
}
