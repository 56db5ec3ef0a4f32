import { mediaPaths } from './media/answers.ts';
import { RPCHandler } from '@orpc/server/fetch';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { toMessage } from '../engine/base/errors.ts';
import { createMediaHandler } from './media/handler.ts';
import { createRouter } from './router/router.ts';
import type { Services } from './services.ts';
import type { Server } from 'node:http';

/** A list of 200 MB, in base64, and some room. */
const MAX_RPC_BYTES = 320 * 1000 ** 2;

/** Procedures and media over HTTP. There is no guard in it: each host mounts it behind its own. */
export function engineRoutes(services: Services): Hono {
  const rpc = new RPCHandler(createRouter(services));
  const media = createMediaHandler(services);
  const app = new Hono();

  app.use(
    '/rpc/*',
    bodyLimit({ maxSize: MAX_RPC_BYTES, onError: () => new Response('This is too large.', { status: 413 }) }),
  );
  app.all('/rpc/*', async ({ req: { raw } }) => {
    if (raw.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    const { response } = await rpc.handle(raw, { prefix: '/rpc' });
    if (!response) return new Response(null, { status: 404 });
    response.headers.set('cache-control', 'no-store');
    return response;
  });
  for (const path of mediaPaths) {
    app.all(`/${path}`, ({ req: { raw } }) => media(raw));
    app.all(`/${path}/*`, ({ req: { raw } }) => media(raw));
  }
  app.onError((error, { req: { raw } }) => {
    // The caller went away midway: nothing is wrong here, and the answer has no reader.
    if (raw.signal.aborted) return new Response(null, { status: 499 });
    services.host.logger.error('A request failed in a way it should not', {
      reason: toMessage(error),
      stack: error.stack,
    });
    return new Response('Something went wrong inside Dailies.', { status: 500 });
  });
  return app;
}

const GRACE_MS = 1000;
const SWEEP_MS = 20;

/** Takes no more requests, and closes every connection: idle ones at once, the others after their answer or soon. */
export async function closeGently(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that was busy a moment ago is idle now, and stays open unless it is looked at again.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const patience = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(patience);
}
