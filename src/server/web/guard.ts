import { isSame } from './token.ts';

/** Who may speak to a web host on loopback: its own pages and its owner's commands. */
export interface Gate {
  readonly port: number;
  readonly token: string;
}

export type Verdict =
  { readonly ok: true } | { readonly ok: false; readonly status: 401 | 403; readonly reason: string };

const forbidden = (reason: string): Verdict => ({ ok: false, status: 403, reason });

export const hostsOf = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

export const cookieName = (port: number): string => `dailies_${port}`;

/**
 * Whether a request comes from where it may come from, whoever sends it: named by an address of this machine (a name
 * that was pointed at us is another site's, however it resolves) and not sent by a page of another origin. Pure.
 */
export function judgeSource({ headers, method }: Request, { port }: Gate): Verdict {
  const hosts = hostsOf(port);
  if (!hosts.includes(headers.get('host')?.toLowerCase() ?? ''))
    return forbidden('This is not the name of this server.');
  const origin = headers.get('origin');
  if (origin !== null && !hosts.some((host) => origin === `http://${host}`)) {
    return forbidden('Pages of other origins have no access.');
  }
  // Other ports of this machine are the same site to a browser, and not ours.
  if (!['same-origin', 'none', null].includes(headers.get('sec-fetch-site'))) {
    return forbidden('Pages of other sites have no access.');
  }
  const isReading = method === 'GET' || method === 'HEAD';
  if (!isReading && origin === null && headers.get('x-dailies') === null) {
    return forbidden('Requests that change something say where they come from: Origin, or x-dailies.');
  }
  return { ok: true };
}

/** Whether a request knows the token: in its cookie, or as a bearer. Pure. */
export function judgeToken({ headers }: Request, { port, token }: Gate): Verdict {
  const bearer = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const known = [bearer, cookieOf(headers, cookieName(port))].some(
    (given) => given !== undefined && isSame(given, token),
  );
  return known ? { ok: true } : { ok: false, status: 401, reason: 'Open the address that Dailies printed.' };
}

function cookieOf(headers: Headers, name: string): string | undefined {
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
