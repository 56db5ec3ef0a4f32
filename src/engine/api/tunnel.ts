import { messageFor, type Message } from '../../contract/messages/message.ts';
import type { ProxyFor, Target } from '../base/ports.ts';
import { request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { ErrorWithText, systemCode } from '../base/errors.ts';
import { ConnectTimeoutError } from './network-errors.ts';
import { bare } from './proxies.ts';

/** The proxy itself failed or refused: nothing was sent through it. */
export class ProxyError extends ErrorWithText {
  readonly code = 'proxy';
}

/** Opens connections for as long as they are wanted: one still on its way when `gone` is aborted is let go at once. */
export type Connector = (
  options: buildConnector.Options & { readonly gone?: AbortSignal },
  callback: buildConnector.Callback,
) => void;

/** A connector whose connections are wanted until `gone` is aborted. */
export function connectorUntil(gone: AbortSignal, connector: Connector): buildConnector.connector {
  return (options, callback) => connector({ ...options, gone }, callback);
}

/**
 * Opens connections through a proxy where one is to be used, and directly elsewhere. A connection through a proxy is
 * a tunnel of its own: what travels in it is one request to the service and its answer, as without a proxy, and the
 * tunnel stands before a byte of that request is written.
 */
export function connectorThrough(proxyFor: ProxyFor, open: buildConnector.connector, connectMs: number): Connector {
  return ({ gone, ...options }, callback) => {
    const proxy = proxyFor(options);
    if (!proxy) {
      open(options, callback);
      return;
    }
    openTunnel(proxy, options, { connectMs, gone }).then(
      (socket) => overTunnel(socket, options, open, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

/** Takes the tunnel for the connection; a secure one is made inside it, so that the proxy reads nothing. */
export function overTunnel(
  socket: Socket,
  options: buildConnector.Options,
  open: buildConnector.connector,
  callback: buildConnector.Callback,
): void {
  if (options.protocol === 'https:') open({ ...options, httpSocket: socket }, callback);
  else callback(null, socket);
}

export interface TunnelLimits {
  readonly connectMs: number;
  /** Aborted when nobody wants the tunnel any more: it is closed then, whether it stands or not. */
  readonly gone?: AbortSignal | undefined;
}

/** Asks a proxy for a way to `target` (CONNECT). Rejects with {@link ProxyError}. */
export function openTunnel(proxy: URL, target: Target, { connectMs, gone }: TunnelLimits): Promise<Socket> {
  // Its whole address may contain a password.
  const { host } = proxy;
  return new Promise((resolve, reject) => {
    const ask = { 'http:': requestPlain, 'https:': requestSecure }[proxy.protocol];
    if (!ask) {
      reject(new ProxyError(messageFor('failure.proxyProtocol', { proxy: host, protocol: proxy.protocol })));
      return;
    }
    const asked = ask(connectRequest(proxy, target, connectMs));
    asked.once('connect', (answer: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.removeAllListeners('timeout');
      const status = answer.statusCode ?? 0;
      if (status < 200 || status >= 300) {
        socket.destroy();
        reject(new ProxyError(refusalOf(host, status)));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      const tunnel = socket as Socket;
      tunnel.setTimeout(0);
      resolve(tunnel);
    });
    // The socket outlives the request that asked for it, and a proxy may keep one that nobody waits for.
    asked.once('socket', (socket) => closeWith(gone, socket));
    asked.once('timeout', () => asked.destroy(new ConnectTimeoutError(connectMs)));
    asked.once('error', (error) => {
      const code = systemCode(error) ?? error.message;
      reject(new ProxyError(messageFor('failure.proxyUnreachable', { proxy: host, code }), { cause: error }));
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
  const host = bare(hostname);
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port || (protocol === 'https:' ? '443' : '80')}`;
  const user = decodeURIComponent(proxy.username);
  const password = decodeURIComponent(proxy.password);
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    method: 'CONNECT',
    host: bare(proxy.hostname),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    path: authority,
    headers: { host: authority, ...(user && { 'proxy-authorization': `Basic ${credentials}` }) },
    agent: false,
    timeout: connectMs,
  };
}

const refusalOf = (proxy: string, status: number): Message =>
  status === 407
    ? messageFor('failure.proxyLogin', { proxy })
    : messageFor('failure.proxyRefused', { proxy, status: String(status) });
