import { ipcMain, type WebContents } from 'electron';
import { CONNECT_CHANNEL, PORT_CHANNEL } from '../contract/bridge.ts';
import { mediaPaths } from '../server/media/answers.ts';
import { toMessage } from '../engine/base/errors.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import { securityHeaders, type StaticFiles } from '../server/web/static-files.ts';
import type { EngineLink } from './engine-link.ts';
import { forwardToEngine } from './forward.ts';
import { isOfOurPage, isOurs, ORIGIN } from './lockdown.ts';
import type { DesktopWindow } from './window.ts';
import { t } from '../contract/messages/words.ts';

/** After this time we know that an engine has died, and wait for the next one, ms. */
const DEATH_KNOWN_MS = 500;

/**
 * Answers everything under `dailies://app`: the window's own files from here, media from the engine. There is nothing
 * else: no file by its path, and no procedure, since those travel over a port.
 */
export function createPages(
  files: Pick<StaticFiles, 'answer'>,
  engine: Pick<EngineLink, 'socket'>,
  clock: Pick<Clock, 'sleep'>,
  logger: Logger,
): (request: Request) => Promise<Response> {
  const answer = async (request: Request): Promise<Response> => {
    const { method, url, headers } = request;
    if (!isOurs(url) || !isFromUs(headers)) return plain(403, 'This address is of Dailies alone.');
    const { pathname } = new URL(url);
    const isReading = method === 'GET' || method === 'HEAD';
    if (!isMedia(pathname)) return (isReading ? await files.answer(pathname) : plain(405, '')) ?? plain(404, '');
    try {
      return await forwardToEngine(request, await engine.socket());
    } catch (error) {
      // What asks for something, and sends nothing, is asked of the next engine when one dies over it.
      if (!isReading) throw error;
      await clock.sleep(DEATH_KNOWN_MS);
      return forwardToEngine(request, await engine.socket());
    }
  };
  return async (request) => {
    const response = await answer(request).catch((error: unknown) => {
      // Also when a page goes away while it sends: Electron shows no difference.
      logger.warn('A page was not answered', { reason: toMessage(error) });
      return plain(503, t('window.noAnswer'));
    });
    for (const [name, value] of Object.entries(securityHeaders)) response.headers.set(name, value);
    return response;
  };
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

/** Gives our window's page a port to the engine, once a loading when it asks, and by `renew` for a new engine. */
export function createPagePorts(
  engine: Pick<EngineLink, 'openPort'>,
  window: Pick<DesktopWindow, 'current'>,
  logger: Logger,
): { renew(): void } {
  let connected: WebContents | null = null;
  /** The page whose port is on its way; it comes from whichever engine there is then. */
  let waiting: WebContents | null = null;

  const give = async (contents: WebContents): Promise<void> => {
    // A page that is loaded again while one is on its way gets that one.
    if (contents === waiting) return;
    waiting = contents;
    try {
      const port = await engine.openPort();
      // It may have gone elsewhere while the engine started.
      if (contents.isDestroyed() || !isOurs(contents.getURL())) port.close();
      else contents.postMessage(PORT_CHANNEL, null, [port]);
    } catch (error) {
      logger.warn('The page got no port to the engine', { reason: toMessage(error) });
    } finally {
      if (waiting === contents) waiting = null;
    }
  };
  ipcMain.on(CONNECT_CHANNEL, (event) => {
    if (!isOfOurPage(event, window.current())) {
      logger.warn('A page that is not ours asked for the engine', { url: event.senderFrame?.url ?? null });
      return;
    }
    connected = event.sender;
    void give(event.sender);
  });
  return {
    renew() {
      if (connected && !connected.isDestroyed() && isOurs(connected.getURL())) void give(connected);
    },
  };
}
