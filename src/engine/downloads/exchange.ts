import type { RoutesTo } from '../base/ports.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { Dispatcher } from 'undici';
import { skippingInterimAnswers } from '../api/tunnel.ts';
import { bare, directly } from '../api/proxies.ts';
import { connectByRoute, opened, openTunnel, overTunnel } from '../api/tunnel.ts';
import { reachOf, type AddressScope } from '../base/address-scope.ts';
import { AddressRefusedError, checkedLookup, mayReach } from './addresses.ts';
import type { Resolve } from './addresses.ts';

const CONNECT_TIMEOUT_MS = 20_000;
/** Up to this much of an unused body is read, so that its connection can be used again. */
const LEFTOVER_BYTES = 64 * 1024;

export interface ResultAgentOptions {
  readonly routesTo?: RoutesTo | undefined;
  /** Aborted with the agent's end, for the tunnels that are still on their way. */
  readonly gone?: AbortSignal;
}

/**
 * Connections for results of services of one reach. Connections are pooled by host, so services of different reach
 * never share them: one opened for a private service is not there for a result of a public one.
 */
export function createResultAgent(
  service: AddressScope,
  resolve: Resolve,
  { routesTo = directly, gone }: ResultAgentOptions = {},
): Agent {
  const lookUp = checkedLookup(service, resolve);
  // One connection a download (no HTTP/2): a slow disk then holds back its own sender alone.
  const open = buildConnector({
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    lookup: lookUp,
  });
  return new Agent({
    connect: (options, connected) => {
      const callback = skippingInterimAnswers(connected);
      const { hostname } = options;
      // No lookup is made for a literal address, so it is checked here.
      if (isIP(hostname) !== 0 && !mayReach(service, reachOf(hostname))) {
        callback(new AddressRefusedError(hostname, reachOf(hostname)), null);
        return;
      }
      const connection = { routesTo, target: options, connectMs: CONNECT_TIMEOUT_MS, gone };
      connectByRoute(connection, callback, async (route, limits) => {
        if (route === null) return checkedSocket(await opened(open, options), service, hostname);
        // The proxy would look the name up for itself: it is given the address that was checked instead of the name.
        const address = await checkedAddress(lookUp, hostname);
        return overTunnel(await openTunnel(route, { ...options, hostname: address }, limits), options, open);
      });
    },
  });
}

/** The socket, if it leads where a result of the service may be fetched from. */
function checkedSocket(socket: Socket, service: AddressScope, hostname: string): Socket {
  const reached = reachOf(socket.remoteAddress ?? '');
  if (mayReach(service, reached)) return socket;
  socket.destroy();
  throw new AddressRefusedError(hostname, reached);
}

function checkedAddress(lookUp: LookupFunction, hostname: string): Promise<string> {
  if (isIP(bare(hostname)) !== 0) return Promise.resolve(hostname);
  return new Promise((resolve, reject) => {
    lookUp(hostname, {}, (error, address) => {
      if (error) reject(error);
      else resolve(String(address));
    });
  });
}

export interface ExchangeRequest {
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
}

/** The sender's side of a body, for its receiver. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** Receives one exchange. An error that it throws ends the exchange. */
export interface ExchangeListener {
  /** The head came. True when the body is wanted. */
  head(status: number, headers: IncomingHttpHeaders): boolean;
  body(chunk: Buffer, flow: Flow): void;
}

/**
 * One GET. Resolves when the whole body has arrived, or at once when it is not wanted; rejects with the error that
 * broke the exchange or with the signal's reason. The listener is not called after either.
 */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest, listener: ExchangeListener): Promise<void> {
  return new Promise((resolve, reject) => {
    const { url, signal } = request;
    let controller: Dispatcher.DispatchController | null = null;
    let leftover = 0;
    let over = false;

    const end = (error: Error | null): void => {
      if (over) return;
      over = true;
      signal.removeEventListener('abort', abort);
      if (error === null) resolve();
      else reject(error);
    };
    const breakOff = (reason: unknown): void => {
      const error = reason instanceof Error ? reason : new Error(String(reason));
      end(error);
      controller?.abort(error);
    };
    const abort = (): void => breakOff(signal.reason);

    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener('abort', abort, { once: true });
    dispatcher.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method: 'GET', headers: request.headers },
      {
        onRequestStart(started) {
          controller = started;
          // The signal may have come while the connection was still being made.
          if (over) started.abort(new Error('The request is not wanted any more.'));
        },
        onResponseStart(_started, status, headers) {
          if (over || status < 200) return;
          try {
            if (!listener.head(status, headers)) end(null);
          } catch (error) {
            breakOff(error);
          }
        },
        onResponseData(flow, chunk) {
          if (over) {
            leftover += chunk.length;
            if (leftover > LEFTOVER_BYTES) flow.abort(new Error('The rest of the answer is not wanted.'));
            return;
          }
          try {
            listener.body(chunk, flow);
          } catch (error) {
            breakOff(error);
          }
        },
        onResponseEnd: () => end(null),
        onResponseError: (_started, error) => end(error),
      },
    );
  });
}
