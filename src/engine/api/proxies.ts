import { messageFor, type Message } from '../../contract/messages/message.ts';
import type { Route, RoutesTo, Target } from '../base/ports.ts';
import { isIP, isIPv6, type Socket } from 'node:net';
import { toReach, unbracketed } from './address.ts';
import { refused, systemCode } from '../base/errors.ts';
import { ProxyError, ConnectTimeoutError, StoppedError } from './errors.ts';
import { type IncomingMessage, request as requestPlain, type RequestOptions } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Duplex } from 'node:stream';
import type { buildConnector } from 'undici';

export const directly = (): readonly Route[] => [null];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxies set in the environment, read as other programs do: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and
 * `NO_PROXY`, lower case first. Services on this machine are always reached directly. Throws RefusedError for a value
 * that cannot be read, because a person who set a proxy does not want a direct connection.
 */
export function toProxies(env: Environment): (target: Target) => readonly [Route] {
  const proxyIn = (name: string): URL | null => proxyNamed(name, valueFor(env, name));
  const all = proxyIn('ALL_PROXY');
  const byProtocol: Readonly<Record<string, URL | null>> = {
    'https:': proxyIn('HTTPS_PROXY') ?? all,
    'http:': proxyIn('HTTP_PROXY') ?? all,
  };
  const exempt = exemptions(valueFor(env, 'NO_PROXY'));
  return (target) => {
    const proxy = byProtocol[target.protocol] ?? null;
    return [proxy === null || isOfThisMachine(target.hostname) || exempt(target) ? null : proxy];
  };
}

export const namesProxy = (env: Environment): boolean =>
  ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].some((name) => valueFor(env, name) !== '');

const valueFor = (env: Environment, name: string): string => (env[name.toLowerCase()] ?? env[name] ?? '').trim();

function proxyNamed(variable: string, text: string): URL | null {
  if (text === '') return null;
  // `proxy.studio:3128` is as common as `http://proxy.studio:3128`.
  const proxy = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  // Do not repeat the text: it may contain a password.
  if (proxy && canBeDecoded(proxy.username + proxy.password)) return proxy;
  throw refused('bad_proxy', messageFor('failure.notAProxy', { variable }), 'remedy.setProxy');
}

function canBeDecoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** `.studio.example`, `*.studio.example` and `studio.example` mean the name and its subdomains; `*` everything. */
function exemptions(text: string): (target: Target) => boolean {
  const entries = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(exemption);
  return ({ protocol, hostname, port }) => {
    const host = unbracketed(hostname).toLowerCase();
    const usual = protocol === 'https:' ? '443' : '80';
    return entries.some(
      (entry) =>
        (entry.port === undefined || entry.port === (port || usual)) &&
        (entry.name === '*' || host === entry.name || host.endsWith(`.${entry.name}`)),
    );
  };
}

function exemption(entry: string): { readonly name: string; readonly port: string | undefined } {
  // The end of an IPv6 address looks like a port. It has a port only when the address is in brackets.
  const withPort = isIPv6(entry) ? null : /^(.*?):(\d+)$/.exec(entry);
  const name = unbracketed(withPort?.[1] ?? entry);
  // An IPv6 address can be written in several ways; `URL` gives one form.
  const plain = isIPv6(name)
    ? unbracketed(URL.parse(`http://[${name}]`)?.hostname ?? name)
    : name.replace(/^\*?\./, '');
  return { name: plain, port: withPort?.[2] };
}

function isOfThisMachine(hostname: string): boolean {
  const host = unbracketed(hostname);
  if (isIP(host) !== 0) return toReach(host) === 'loopback';
  return host === 'localhost' || host.endsWith('.localhost');
}

/** The system's settings for an address, as a PAC script says it: `PROXY proxy.studio:3128;DIRECT`. */
export type AskSystem = (origin: string) => Promise<string>;

/** By environment, else by the system's settings: asked for each connection, since a laptop moves between networks. */
export function routesFrom(env: Environment, askSystem: AskSystem | undefined): RoutesTo {
  const byEnvironment = toProxies(env);
  if (askSystem === undefined || namesProxy(env)) return byEnvironment;
  return async (target) =>
    isOfThisMachine(target.hostname) ? [null] : routesInPac(await answerFor(askSystem, toOrigin(target)));
}

/** An empty answer is one of Electron's too: a script that must be obeyed could not be read. */
async function answerFor(askSystem: AskSystem, origin: string): Promise<string> {
  try {
    return await askSystem(origin);
  } catch (error) {
    throw new ProxyError(messageFor('failure.systemProxy'), { cause: error });
  }
}

/** Only the origin: a path or a signature has no business in a script of the network's. */
const toOrigin = ({ protocol, hostname, port }: Target): string =>
  `${protocol}//${hostname}${port === '' ? '' : `:${port}`}`;

const SCHEMES: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks4',
  SOCKS4: 'socks4',
  SOCKS5: 'socks5',
  QUIC: 'quic',
};

/** Reads the result of a PAC script. Throws {@link ProxyError} where nothing can be read from it. */
export function routesInPac(answer: string): readonly Route[] {
  const entries = answer
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const routes = entries.map(routeIn).filter((route) => route !== undefined);
  if (routes.length === 0 || routes.length < entries.length) throw new ProxyError(messageFor('failure.systemProxy'));
  return routes;
}

function routeIn(entry: string): Route | undefined {
  if (/^DIRECT$/i.test(entry)) return null;
  const [, word = '', host = ''] = /^(\w+)\s+(\S+)$/.exec(entry) ?? [];
  const scheme = SCHEMES[word.toUpperCase()];
  return (scheme === undefined ? null : URL.parse(`${scheme}://${host}`)) ?? undefined;
}

/** The proxy cannot be used at all, so that the next route may be tried. */
class UnusableProxyError extends ProxyError {}

export type Connector = (
  options: buildConnector.Options & { readonly gone?: AbortSignal },
  callback: buildConnector.Callback,
) => void;

/** A connector for requests to the service. It drops connections still being opened when `gone` is aborted. */
export function connectorUntil(gone: AbortSignal, connector: Connector): buildConnector.connector {
  return (options, callback) => connector({ ...options, gone }, skippingInterimAnswers(callback));
}

/**
 * Opens connections by the routes to their target. Each connection through a proxy is a separate tunnel. It carries one
 * request to the service and its answer, and it is established before a byte of that request is written.
 */
export function connectorThrough(routesTo: RoutesTo, open: buildConnector.connector, connectMs: number): Connector {
  return ({ gone, ...options }, callback) =>
    connectByRoute({ routesTo, target: options, connectMs, gone }, callback, async (route, limits) =>
      route === null ? opened(open, options) : overTunnel(await openTunnel(route, options, limits), options, open),
    );
}

/** Opens a connection by the first usable route. Only a proxy that cannot be used is passed over, never a refusal. */
export function connectByRoute(
  { routesTo, target, connectMs, gone }: TunnelLimits & { readonly routesTo: RoutesTo; readonly target: Target },
  callback: buildConnector.Callback,
  openBy: (route: Route, limits: TunnelLimits) => Promise<Socket>,
): void {
  const connect = async (): Promise<Socket> => {
    const routes = await routesTo(target);
    const limits = { connectMs: connectMs / routes.length, gone };
    let firstFailure: unknown = null;
    for (const route of routes) {
      if (gone?.aborted === true) throw new StoppedError();
      try {
        return await openBy(route, limits);
      } catch (error) {
        firstFailure ??= error;
        if (!(error instanceof UnusableProxyError)) break;
      }
    }
    throw firstFailure;
  };
  connect().then(
    (socket) => callback(null, socket),
    (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
  );
}

export function opened(open: buildConnector.connector, options: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    open(options, (...[error, socket]) => (error === null ? resolve(socket) : reject(error)));
  });
}

/** Uses the tunnel as the connection. TLS runs inside it, so that the proxy can read nothing. */
export async function overTunnel(
  socket: Socket,
  options: buildConnector.Options,
  open: buildConnector.connector,
): Promise<Socket> {
  return options.protocol === 'https:' ? opened(open, { ...options, httpSocket: socket }) : socket;
}

interface TunnelLimits {
  readonly connectMs: number;
  /** Aborted when the tunnel is no longer needed. It is then closed, established or not. */
  readonly gone?: AbortSignal | undefined;
}

/** Asks a proxy to connect to `target` (CONNECT). Rejects with {@link ProxyError}. */
export function openTunnel(proxy: URL, target: Target, { connectMs, gone }: TunnelLimits): Promise<Socket> {
  // Use only the host: the whole address may contain a password.
  const { host } = proxy;
  return new Promise((resolve, reject) => {
    const ask = { 'http:': requestPlain, 'https:': requestSecure }[proxy.protocol];
    if (!ask) {
      reject(new UnusableProxyError(messageFor('failure.proxyProtocol', { proxy: host, protocol: proxy.protocol })));
      return;
    }
    const asked = ask(connectRequest(proxy, target, connectMs));
    asked.once('connect', (answer: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.removeAllListeners('timeout');
      const status = answer.statusCode ?? 0;
      if (status < 200 || status >= 300) {
        socket.destroy();
        reject(new ProxyError(refusalFor(host, status)));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      const tunnel = socket as Socket;
      tunnel.setTimeout(0);
      resolve(tunnel);
    });
    // The socket outlives the CONNECT request, and a proxy may keep it open without a user.
    asked.once('socket', (socket) => closeWith(gone, socket));
    asked.once('timeout', () => asked.destroy(new ConnectTimeoutError(connectMs)));
    asked.once('error', (error) => {
      const code = systemCode(error) ?? error.message;
      reject(new UnusableProxyError(messageFor('failure.proxyUnreachable', { proxy: host, code }), { cause: error }));
    });
    asked.end();
  });
}

function closeWith(gone: AbortSignal | undefined, socket: Socket): void {
  const close = (): void => void socket.destroy();
  gone?.addEventListener('abort', close, { once: true });
  socket.once('close', () => gone?.removeEventListener('abort', close));
  if (gone?.aborted === true) close();
}

function connectRequest(proxy: URL, { protocol, hostname, port }: Target, connectMs: number): RequestOptions {
  const host = unbracketed(hostname);
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port || (protocol === 'https:' ? '443' : '80')}`;
  const user = decodeURIComponent(proxy.username);
  const password = decodeURIComponent(proxy.password);
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    method: 'CONNECT',
    host: unbracketed(proxy.hostname),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    path: authority,
    headers: { host: authority, ...(user && { 'proxy-authorization': `Basic ${credentials}` }) },
    agent: false,
    timeout: connectMs,
  };
}

const refusalFor = (proxy: string, status: number): Message =>
  status === 407
    ? messageFor('failure.proxyLogin', { proxy })
    : messageFor('failure.proxyRefused', { proxy, status: String(status) });

/** The beginning of an interim answer. 101 is none: another protocol follows it. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const MAX_STATUS_LINE_START = 'HTTP/1.1 100 '.length;
/** More than any interim answer. Beyond it, the bytes are left to undici to judge. */
const MAX_HELD_BYTES = 16_384;

/**
 * Takes interim answers (RFC 9110, 15.2) out of what a connection receives before its first final answer. undici drops
 * the connection at a `100 Continue` that nobody asked for, although the request was sent and may be charged.
 */
export const skippingInterimAnswers =
  (callback: buildConnector.Callback): buildConnector.Callback =>
  (...[error, socket]) => {
    if (error === null) callback(null, skipInterimAnswers(socket));
    else callback(error, null);
  };

function skipInterimAnswers<S extends Socket>(socket: S): S {
  const receive = socket.push.bind(socket);
  let held: Buffer = Buffer.alloc(0);
  const release = (): boolean => {
    // The method of the prototype is in its place again.
    Reflect.deleteProperty(socket, 'push');
    return held.length === 0 || receive(held);
  };
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      release();
      return receive(null);
    }
    held = Buffer.concat([held, chunk]);
    for (;;) {
      const start = held.toString('latin1', 0, MAX_STATUS_LINE_START);
      if (start.length < MAX_STATUS_LINE_START && couldBeInterim(start)) return true;
      if (!INTERIM.test(start)) return release();
      const end = held.indexOf('\r\n\r\n');
      if (end < 0) return held.length > MAX_HELD_BYTES ? release() : true;
      held = held.subarray(end + 4);
    }
  };
  return socket;
}

const couldBeInterim = (start: string): boolean => 'HTTP/1.1 1'.startsWith(start.slice(0, 10));
