import { messageFor } from '../../contract/messages/message.ts';
import { once } from 'node:events';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { t } from '../../contract/messages/words.ts';
import { REPORT_POLICY } from '../reports/write-report.ts';
import { securityHeaders, StaticFiles } from './static-files.ts';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemCode, refused } from '../../engine/base/errors.ts';
import type { Services } from '../services.ts';
import {
  Peers,
  toBearer,
  cookieName,
  EntryCodes,
  type PageSecrets,
  hasMediaCookie,
  checkToken,
  checkSource,
  newPageSecrets,
  proofFor,
  type Admission,
} from './guard.ts';
import { closeGently, engineRoutes } from '../engine-routes.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Loopback only: a caller can do everything that the owner can. */
const ADDRESS = '127.0.0.1';
/** Tried after the port of the run before, where a window that is still open looks for the next one. */
const USUAL_PORT = 4680;

export type WebHost = Awaited<ReturnType<typeof startWebHost>>;

/**
 * Serves the window and its procedures to the browsers of this machine. Without a port it takes that of the run before,
 * else the usual one, else any free one. `windowFolder` is absolute. Throws RefusedError when the port is taken.
 */
export async function startWebHost({
  services,
  windowFolder,
  port,
}: {
  readonly services: Omit<Services, 'stopping'>;
  readonly windowFolder: string;
  readonly port?: number | undefined;
}) {
  const { dataFolder, clock } = services.host;
  const stopping = new AbortController();
  const gate = newPageSecrets();
  const codes = new EntryCodes();
  const peers = new Peers();
  const served: Services = { ...services, servesBrowsers: true, stopping: stopping.signal };
  const app = createWebApp(served, new StaticFiles(windowFolder), gate, codes, peers);
  const server = createAdaptorServer({ fetch: app.fetch, createServer }) as Server;
  boundConnections(server);
  server.on('connection', (socket: Socket) => void peers.isOtherUser(socket));
  gate.port = port === undefined ? await listenSomewhere(server, lastPort(dataFolder)) : await listen(server, port);
  notePort(dataFolder, gate.port);
  const address = `http://${ADDRESS}:${gate.port}`;
  return {
    port: gate.port,
    /** Address of the window. Alone, it opens nothing. */
    address,
    /** An address that lets one window in, once and within two minutes. The code is never sent as part of an address. */
    newEntry: (): string => `${address}/#enter=${codes.issue(clock.now())}`,
    /** Ends every event stream and every running answer. The engine is left to the caller. */
    close(): Promise<void> {
      stopping.abort();
      return closeGently(server);
    },
  };
}

function createWebApp(services: Services, files: StaticFiles, gate: PageSecrets, codes: EntryCodes, peers: Peers) {
  const app = new Hono<{ Bindings: HttpBindings }>();

  app.use(async (context, next) => {
    await next();
    const own = context.res.headers.get('content-security-policy');
    for (const [name, value] of Object.entries(securityHeaders)) context.res.headers.set(name, value);
    // The page of a report may do less than a window, but has its styles inside.
    if (own === REPORT_POLICY) context.res.headers.set('content-security-policy', own);
  });
  app.use(async ({ req: { raw }, env }, next) => {
    const source = checkSource(raw, gate.port);
    if (!source.ok) return refusal(source);
    if (await peers.isOtherUser(env.incoming.socket)) return refusal(ofAnotherUser);
    return next();
  });
  // These two are asked before a page has, or believes in, a pass. Neither has a body that could be waited for.
  app.post('/enter', ({ req: { raw } }) => {
    if (!codes.take(toBearer(raw.headers), services.host.clock.now())) return refusal(usedUp);
    return new Response(gate.pass, { headers: { 'set-cookie': cookie(gate), 'cache-control': 'no-store' } });
  });
  app.post('/prove', ({ req: { raw } }) => {
    const challenge = new URL(raw.url).searchParams.get('challenge') ?? '';
    return new Response(proofFor(gate.pass, challenge), { headers: { 'cache-control': 'no-store' } });
  });
  app.use(async (context, next) => {
    const { raw } = context.req;
    const verdict = checkToken(raw, gate);
    if (!verdict.ok) return refusal(verdict);
    await next();
    // Another port of this machine can replace our cookie. The next call of the window brings it back.
    const isCall = toBearer(raw.headers) !== '';
    if (isCall && !hasMediaCookie(raw.headers, gate)) context.res.headers.set('set-cookie', cookie(gate));
    return undefined;
  });
  app.route('/', engineRoutes(services));
  app.get(
    '*',
    async ({ req: { raw } }) => (await files.answer(new URL(raw.url).pathname)) ?? new Response(null, { status: 404 }),
  );
  return app;
}

const cookie = ({ port, mediaCookie }: PageSecrets): string =>
  `${cookieName(port)}=${mediaCookie}; Path=/; HttpOnly; SameSite=Strict`;

type Refused = Exclude<Admission, { ok: true }>;

const usedUp: Refused = { ok: false, status: 401, reason: 'web.entryUsed' };
const ofAnotherUser: Refused = { ok: false, status: 403, reason: 'web.otherUser' };

function refusal({ status, reason }: Refused): Response {
  return new Response(`${t(reason)}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}

async function listenSomewhere(server: Server, last: number | null): Promise<number> {
  for (const port of [last, USUAL_PORT]) {
    if (port === null) continue;
    try {
      return await listen(server, port);
    } catch {
      // Another program has it.
    }
  }
  return listen(server, 0);
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    server.listen(port, ADDRESS);
    await once(server, 'listening');
  } catch (cause) {
    const facts = { port: String(port), code: systemCode(cause) ?? '' };
    throw refused('port_taken', messageFor('failure.portUnusable', facts), '', { cause });
  }
  const bound = server.address();
  return typeof bound === 'object' && bound ? bound.port : port;
}

const portFile = (dataFolder: string): string => join(dataFolder, 'web-port');

/** The port of the run before; null when there was none, or the note holds no port. */
function lastPort(dataFolder: string): number | null {
  try {
    const text = readFileSync(portFile(dataFolder), 'utf8').trim();
    const port = Number(text);
    return /^\d+$/.test(text) && port > 0 && port < 65_536 ? port : null;
  } catch {
    return null;
  }
}

function notePort(dataFolder: string, port: number): void {
  try {
    writeFileSync(portFile(dataFolder), `${port}\n`, { mode: 0o600 });
  } catch {
    // The note only saves reopening a window that is open.
  }
}

/** A browser has six connections to a host, and a person a few windows. */
export const MAX_CONNECTIONS = 256;

const HEADERS_MS = 10_000;

/**
 * Bounds the connections of a server, which are open files of the process: with too many, not even the database could
 * open one. Above the bound, the connection that was idle longest is closed, so that idle ones cannot keep out others.
 * While all are busy, the newest is closed.
 */
function boundConnections(server: Server, most = MAX_CONNECTIONS): void {
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
