import { mediaPaths } from '../server/media/answers.ts';
import { messageOf } from '../engine/base/errors.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import { securityHeaders } from '../server/web/headers.ts';
import type { StaticFiles } from '../server/web/static-files.ts';
import { forwardToEngine } from './forward.ts';
import { isOurs, ORIGIN } from './lockdown.ts';
import { say } from '../contract/messages/words.ts';

export interface PagesOptions {
  /** The built window. */
  readonly files: Pick<StaticFiles, 'answer'>;
  /** The socket that gives media; waits for an engine that is just starting. */
  readonly engine: () => Promise<string>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly logger: Logger;
}

/** After this time we know that an engine has died, and wait for the next one, ms. */
const DEATH_KNOWN_MS = 500;

/**
 * Answers everything under `dailies://app`: the window's own files from here, media from the engine. There is nothing
 * else: no file by its path, and no procedure, since those travel over a port.
 */
export function createPages(options: PagesOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await answer(request, options).catch((error: unknown) => {
      // Also when a page goes away while it sends: Electron shows no difference.
      options.logger.warn('A page was not answered', { reason: messageOf(error) });
      return plain(503, say('desktop.engineAway'));
    });
    for (const [name, value] of Object.entries(securityHeaders)) response.headers.set(name, value);
    return response;
  };
}

async function answer(request: Request, options: PagesOptions): Promise<Response> {
  if (!isOurs(request.url) || !isFromUs(request.headers)) return plain(403, 'This address is of Dailies alone.');
  const { pathname } = new URL(request.url);
  if (isMedia(pathname)) return mediaOf(request, options);
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, '');
  return (await options.files.answer(pathname)) ?? plain(404, '');
}

/** What asks for something, and sends nothing, is asked of the next engine when one dies over it. */
async function mediaOf(request: Request, { engine, clock }: PagesOptions): Promise<Response> {
  try {
    return await forwardToEngine(request, await engine());
  } catch (error) {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw error;
    await clock.sleep(DEATH_KNOWN_MS);
    return forwardToEngine(request, await engine());
  }
}

/** A page of another origin could at most name our addresses; it gets nothing, not even a picture. */
function isFromUs(headers: Headers): boolean {
  const origin = headers.get('origin');
  return (origin === null || origin === ORIGIN) && headers.get('sec-fetch-site') !== 'cross-site';
}

/** The engine's host judges the rest of the path; a parser has taken any `..` out of it before. */
function isMedia(pathname: string): boolean {
  const [, first] = pathname.split('/');
  return mediaPaths.some((path) => path === first);
}

function plain(status: number, text: string): Response {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return new Response(text, { status, headers });
}
