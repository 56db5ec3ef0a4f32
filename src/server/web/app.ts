import { RPCHandler } from '@orpc/server/fetch';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { messageOf } from '../../engine/errors.ts';
import { createMediaHandler } from '../media/handler.ts';
import { mediaPaths } from '../media/paths.ts';
import { createRouter } from '../router/router.ts';
import type { Services } from '../services.ts';
import { EntryCodes } from './entry-codes.ts';
import { cookieName, judgeSource, judgeToken, type Gate, type Verdict } from './guard.ts';
import { securityHeaders } from './headers.ts';
import { quietly } from './quiet-refusals.ts';
import { StaticFiles } from './static-files.ts';
import { isSame } from './token.ts';

/** A list of 200 MB, in base64, and some room. */
const MOST_RPC_BYTES = 320 * 1000 ** 2;

export interface WebAppOptions {
  readonly services: Services;
  /** Folder of the built window, absolute. */
  readonly windowFolder: string;
  /** Asked at each request: the port is known only once the server listens. */
  readonly gate: () => Gate;
}

/** Everything the web host answers, behind one guard. */
export function createWebApp({ services, windowFolder, gate }: WebAppOptions): Hono {
  const rpc = new RPCHandler(createRouter(services));
  const media = createMediaHandler(services);
  const files = new StaticFiles(windowFolder);
  const codes = new EntryCodes();
  const app = new Hono();

  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(securityHeaders)) context.res.headers.set(name, value);
  });
  app.use(async ({ req: { raw } }, next) => {
    const source = judgeSource(raw, gate());
    if (!source.ok) return refusal(source);
    const entry = enter(raw, gate(), codes, services.host.clock.now());
    if (entry) return entry;
    const token = judgeToken(raw, gate());
    return token.ok ? next() : refusal(token);
  });

  app.use(
    '/rpc/*',
    bodyLimit({ maxSize: MOST_RPC_BYTES, onError: () => new Response('This is too large.', { status: 413 }) }),
  );
  app.all('/rpc/*', async ({ req: { raw } }) => {
    if (raw.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    const { response } = await rpc.handle(raw, { prefix: '/rpc' });
    if (!response) return new Response(null, { status: 404 });
    response.headers.set('cache-control', 'no-store');
    return quietly(raw, response);
  });
  for (const path of mediaPaths) {
    app.all(`/${path}`, ({ req: { raw } }) => media(raw));
    app.all(`/${path}/*`, ({ req: { raw } }) => media(raw));
  }
  app.get(
    '*',
    async ({ req: { raw } }) => (await files.answer(new URL(raw.url).pathname)) ?? new Response(null, { status: 404 }),
  );
  app.onError((error, { req: { raw } }) => {
    // Whoever asked has gone away in the middle of it: nothing is wrong here, and nobody reads the answer.
    if (raw.signal.aborted) return new Response(null, { status: 499 });
    services.host.logger.error('A request failed in a way it should not', {
      reason: messageOf(error),
      stack: error.stack,
    });
    return new Response('Something went wrong inside Dailies.', { status: 500, headers: securityHeaders });
  });
  return app;
}

/**
 * The first visit brings the token in its address, or a code that stands for it: it goes into a cookie, and out of the
 * address bar.
 */
function enter(request: Request, gate: Gate, codes: EntryCodes, now: number): Response | null {
  const { pathname, searchParams } = new URL(request.url);
  const given = searchParams.get('token');
  const code = searchParams.get('enter');
  if (request.method !== 'GET' || pathname !== '/' || (given ?? code) === null) return null;
  const { port, token } = gate;
  const headers = { location: '/', 'cache-control': 'no-store' };
  if (given !== null ? isSame(given, token) : codes.take(code ?? '', token, now)) {
    const cookie = `${cookieName(port)}=${token}; Path=/; HttpOnly; SameSite=Strict`;
    return new Response(null, { status: 303, headers: { ...headers, 'set-cookie': cookie } });
  }
  // A browser that looked ahead has used the code up and is in by now, as is one that goes back to an old address.
  if (judgeToken(request, gate).ok) return new Response(null, { status: 303, headers });
  return refusal({ ok: false, status: 401, reason: staleAddress });
}

const staleAddress = 'This address is of an earlier run. Open the one that Dailies printed last.';

function refusal({ status, reason }: Exclude<Verdict, { ok: true }>): Response {
  return new Response(`${reason}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}
