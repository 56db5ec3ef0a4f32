import { RPCHandler } from '@orpc/server/fetch';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { messageOf } from '../engine/errors.ts';
import { createMediaHandler } from './media/handler.ts';
import { mediaPaths } from './media/paths.ts';
import { quietly } from './quiet-refusals.ts';
import { createRouter } from './router/router.ts';
import type { Services } from './services.ts';

/** A list of 200 MB, in base64, and some room. */
const MOST_RPC_BYTES = 320 * 1000 ** 2;

/** Procedures and media over HTTP. There is no guard in it: each host mounts it behind its own. */
export function engineRoutes(services: Services): Hono {
  const rpc = new RPCHandler(createRouter(services));
  const media = createMediaHandler(services);
  const app = new Hono();

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
  app.onError((error, { req: { raw } }) => {
    // The caller went away in the middle of it: nothing is wrong here, and nobody reads the answer.
    if (raw.signal.aborted) return new Response(null, { status: 499 });
    services.host.logger.error('A request failed in a way it should not', {
      reason: messageOf(error),
      stack: error.stack,
    });
    return new Response('Something went wrong inside Dailies.', { status: 500 });
  });
  return app;
}
