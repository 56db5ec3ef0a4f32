import type { MessageKey } from '../../contract/messages/message.ts';
import { mediaPaths } from '../media/answers.ts';
import { isSame, type WebSecrets } from './secrets.ts';

/** The page that a browser shows in place of the window. */
type WebRefusal = Extract<MessageKey, `web.${string}`>;

/** Who may speak to a web host on loopback: its own pages. */
export interface Gate extends WebSecrets {
  readonly port: number;
}

export type Verdict =
  { readonly ok: true } | { readonly ok: false; readonly status: 401 | 403; readonly reason: WebRefusal };

const forbidden = (reason: WebRefusal): Verdict => ({ ok: false, status: 403, reason });

const hostsOf = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

export const cookieName = (port: number): string => `dailies_${port}`;

/**
 * Whether a request comes from an allowed source: it names an address of this machine (a name that points here is another
 * site's, however it resolves), and no page of another origin sent it. Pure.
 */
export function judgeSource(request: Request, port: number): Verdict {
  const { headers } = request;
  const hosts = hostsOf(port);
  if (!hosts.includes(headers.get('host')?.toLowerCase() ?? '')) return forbidden('web.notThisServer');
  const origin = headers.get('origin');
  if (origin !== null && !hosts.some((host) => origin === `http://${host}`)) {
    return forbidden('web.otherOrigin');
  }
  // Other ports of this machine are the same site to a browser, and not ours.
  if (!['same-origin', 'none', null].includes(headers.get('sec-fetch-site')) && !isVisit(request)) {
    return forbidden('web.otherSite');
  }
  return { ok: true };
}

/**
 * A link or a file of this machine opens our window as a page of its own: it gets our files only, and the other page
 * gains nothing.
 */
function isVisit({ headers, method, url }: Request): boolean {
  const isWholePage = headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  return method === 'GET' && isWholePage && needOf(method, new URL(url).pathname) === 'nothing';
}

/**
 * The proof that a request needs: the window's own files are public, media need the cookie, everything else is a call.
 * Pure.
 */
function needOf(method: string, pathname: string): 'nothing' | 'cookie' | 'pass' {
  const [, first] = pathname.split('/');
  const isReading = method === 'GET' || method === 'HEAD';
  // The router decodes a path before it compares: `%72pc` is `rpc` there, and no file of ours is called so.
  if (first?.includes('%')) return 'pass';
  if (mediaPaths.some((path) => path === first)) return isReading && first !== 'upload' ? 'cookie' : 'pass';
  return isReading && first !== 'rpc' ? 'nothing' : 'pass';
}

/** Whether a request has the proof it needs. Pure. */
export function judgePass(request: Request, gate: Gate): Verdict {
  const need = needOf(request.method, new URL(request.url).pathname);
  const shown =
    need === 'nothing' ||
    isSame(bearerOf(request.headers), gate.pass) ||
    (need === 'cookie' && hasMediaCookie(request.headers, gate));
  return shown ? { ok: true } : { ok: false, status: 401, reason: 'web.openFromTerminal' };
}

/** The bearer of a request; empty without one. */
export const bearerOf = (headers: Headers): string =>
  /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';

/** Servers at other ports may have set cookies of this name, for longer paths too. */
export function hasMediaCookie(headers: Headers, { port, mediaCookie }: Gate): boolean {
  const start = `${cookieName(port)}=`;
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.some((pair) => pair.startsWith(start) && isSame(pair.slice(start.length), mediaCookie));
}
