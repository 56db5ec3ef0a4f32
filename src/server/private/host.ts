import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { createServer, type Server } from 'node:http';
import { actFor } from '../../engine/base/acting-session.ts';
import { engineRoutes, closeGently } from '../engine-routes.ts';
import type { Services } from '../services.ts';
import { socketPlaces, type SocketPlace } from './socket-path.ts';

export const AGENT_HEADER = 'x-dailies-agent';

export interface PrivateHost {
  readonly socket: string;
  close(): Promise<void>;
}

/**
 * Answers the programs of this user: commands, and the app's main process. Who may connect is the system's to say, by the
 * rights of the socket, so there is no token that could be read or guessed, and no port that others could reach or take.
 * `newEntry` makes an address that opens one window in a browser; absent where no browser is served.
 */
export async function startPrivateHost(
  services: Omit<Services, 'stopping'>,
  newEntry?: () => string,
): Promise<PrivateHost> {
  const stopping = new AbortController();
  const app = new Hono();
  app.post('/entry', () => (newEntry ? new Response(newEntry()) : new Response(null, { status: 404 })));
  const commands = engineRoutes({ ...services, caller: 'command', stopping: stopping.signal });
  const agents = engineRoutes({ ...services, caller: 'agent', stopping: stopping.signal });
  app.all('*', ({ req }) => {
    const session = req.header(AGENT_HEADER);
    return session === undefined ? commands.fetch(req.raw) : actFor(session, () => agents.fetch(req.raw));
  });
  const server = createAdaptorServer({ fetch: app.fetch, createServer }) as Server;
  const place = await listenSomewhere(server, services.host.dataFolder);
  return {
    socket: place.path,
    async close() {
      stopping.abort();
      await closeGently(server);
      place.remove();
    },
  };
}

async function listenSomewhere(server: Server, dataFolder: string): Promise<SocketPlace> {
  let trouble: unknown;
  for (const place of socketPlaces(dataFolder)) {
    try {
      server.listen(place.path);
      await once(server, 'listening');
      return place;
    } catch (error) {
      place.remove();
      trouble = error;
    }
  }
  throw trouble;
}
