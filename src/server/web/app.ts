import { say } from '../../contract/messages/words.ts';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { engineRoutes } from '../engine-routes.ts';
import type { Services } from '../services.ts';
import {
  bearerOf,
  cookieName,
  hasMediaCookie,
  judgePass,
  judgeSource,
  type Gate,
  type Verdict,
  proofOf,
  type EntryCodes,
} from './guard.ts';
import { REPORT_POLICY } from '../reports/write-report.ts';
import { securityHeaders, StaticFiles } from './static-files.ts';
import type { Peers } from './peers.ts';

export interface WebAppOptions {
  readonly services: Services;
  /** Folder of the built window, absolute. */
  readonly windowFolder: string;
  /** A function, because the port is known only once the server listens. */
  readonly gate: () => Gate;
  readonly codes: EntryCodes;
  readonly peers: Peers;
}

type WebApp = Hono<{ Bindings: HttpBindings }>;

export function createWebApp({ services, windowFolder, gate, codes, peers }: WebAppOptions): WebApp {
  const files = new StaticFiles(windowFolder);
  const app: WebApp = new Hono();

  app.use(async (context, next) => {
    await next();
    const own = context.res.headers.get('content-security-policy');
    for (const [name, value] of Object.entries(securityHeaders)) context.res.headers.set(name, value);
    // The page of a report may do less than a window, but has its styles inside.
    if (own === REPORT_POLICY) context.res.headers.set('content-security-policy', own);
  });
  app.use(async ({ req: { raw }, env }, next) => {
    const source = judgeSource(raw, gate().port);
    if (!source.ok) return refusal(source);
    if (await peers.isForeign(env.incoming.socket)) return refusal(ofAnotherUser);
    return next();
  });
  // These two are asked before a page has, or believes in, a pass. Neither has a body that could be waited for.
  app.post('/enter', ({ req: { raw } }) => {
    if (!codes.take(bearerOf(raw.headers), services.host.clock.now())) return refusal(usedUp);
    return new Response(gate().pass, { headers: { 'set-cookie': cookie(gate()), 'cache-control': 'no-store' } });
  });
  app.post('/prove', ({ req: { raw } }) => {
    const challenge = new URL(raw.url).searchParams.get('challenge') ?? '';
    return new Response(proofOf(gate().pass, challenge), { headers: { 'cache-control': 'no-store' } });
  });
  app.use(async (context, next) => {
    const { raw } = context.req;
    const verdict = judgePass(raw, gate());
    if (!verdict.ok) return refusal(verdict);
    await next();
    // Another port of this machine can replace our cookie. The next call of the window brings it back.
    const isCall = bearerOf(raw.headers) !== '';
    if (isCall && !hasMediaCookie(raw.headers, gate())) context.res.headers.set('set-cookie', cookie(gate()));
    return undefined;
  });
  app.route('/', engineRoutes(services));
  app.get(
    '*',
    async ({ req: { raw } }) => (await files.answer(new URL(raw.url).pathname)) ?? new Response(null, { status: 404 }),
  );
  return app;
}

const cookie = ({ port, mediaCookie }: Gate): string =>
  `${cookieName(port)}=${mediaCookie}; Path=/; HttpOnly; SameSite=Strict`;

type Refused = Exclude<Verdict, { ok: true }>;

const usedUp: Refused = { ok: false, status: 401, reason: 'web.entryUsed' };
const ofAnotherUser: Refused = { ok: false, status: 403, reason: 'web.otherUser' };

function refusal({ status, reason }: Refused): Response {
  return new Response(`${say(reason)}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}
