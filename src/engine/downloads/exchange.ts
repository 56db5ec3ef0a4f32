import type { RoutesTo } from '../base/ports.ts';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { connectByRoute, opened, openTunnel, overTunnel, skippingInterimAnswers, directly } from '../api/proxies.ts';
import { type AddressScope, toReach, unbracketed } from '../api/address.ts';
import { ErrorWithText } from '../base/errors.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { lookup, type LookupAddress } from 'node:dns';
import ipaddr from 'ipaddr.js';

/**
 * Whether a result of a service with reach `service` may live at an address with reach `address`. Public addresses
 * always may. Otherwise each reach opens only itself: a service on this machine may name this machine, a service in
 * the studio's network may name that network, but not our loopback, which means something else to it than to us.
 */
export function mayReach(service: AddressScope, address: AddressScope): boolean {
  if (address === 'never') return false;
  return address === 'public' || address === service;
}

/** Thrown (inside connecting) when a name or address leads where this result must not be fetched from. */
export class AddressRefusedError extends ErrorWithText {
  readonly code = 'address_refused';
  readonly host: string;

  constructor(host: string, reach: AddressScope) {
    super(
      reach === 'never'
        ? messageFor('failure.addressNever', { host })
        : messageFor('failure.addressInside', { host, reach }),
    );
    this.host = host;
  }
}

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export const resolveByDns: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true, verbatim: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });

/** The reach of a host: of the literal address, or the most local one among the addresses of a name. */
export async function reachOfHost(hostname: string, resolve: Resolve): Promise<AddressScope> {
  const host = unbracketed(hostname);
  if (ipaddr.isValid(host)) return toReach(host);
  const reaches = (await resolve(host)).map(({ address }) => toReach(address));
  return (['loopback', 'private', 'public'] as const).find((reach) => reaches.includes(reach)) ?? 'never';
}

/**
 * A `lookup` for sockets that hands out only addresses the service may name. The socket connects to one of these very
 * addresses and never asks again, so a name that changes its mind (DNS rebinding) gains nothing.
 */
function checkedLookup(service: AddressScope, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const allowed = addresses.filter(({ address }) => mayReach(service, toReach(address)));
        const wanted = allowed.filter(({ family }) => !options.family || options.family === family);
        const [first] = wanted;
        if (first === undefined) {
          const worst = addresses.map(({ address }) => toReach(address)).find((reach) => !mayReach(service, reach));
          callback(worst === undefined ? notFound(hostname) : new AddressRefusedError(hostname, worst), '', 0);
        } else if (options.all) callback(null, [...wanted]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), '', 0),
    );
  };
}

function notFound(hostname: string): Error {
  const error = new ErrorWithText(messageFor('failure.addressUnknown', { host: hostname }));
  return Object.assign(error, { code: 'ENOTFOUND' });
}

type UrlProblem = { readonly code: string; readonly message: Text };

/** The problem with an address that shows before any request, or null. `from` is the address that redirected here. */
export function urlProblem(url: URL, from: URL | null): UrlProblem | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return { code: 'address_scheme', message: messageFor('failure.addressScheme', { protocol: url.protocol }) };
  if (url.username !== '' || url.password !== '')
    return { code: 'address_credentials', message: messageFor('failure.addressCredentials', { host: url.host }) };
  if (from?.protocol === 'https:' && url.protocol === 'http:')
    return {
      code: 'redirect_downgrade',
      message: messageFor('failure.redirectDowngrade', { from: from.host, host: url.host }),
    };
  return null;
}

const CONNECT_TIMEOUT_MS = 20_000;

/**
 * Connections for results of services of one reach. Connections are pooled by host, so services of different reach
 * never share them: one opened for a private service is not there for a result of a public one. `gone` is aborted with
 * the agent's end, for the tunnels that are still on their way.
 */
export function createResultAgent(
  service: AddressScope,
  resolve: Resolve,
  { routesTo = directly, gone }: { readonly routesTo?: RoutesTo | undefined; readonly gone?: AbortSignal } = {},
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
      if (isIP(hostname) !== 0 && !mayReach(service, toReach(hostname))) {
        callback(new AddressRefusedError(hostname, toReach(hostname)), null);
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

function checkedSocket(socket: Socket, service: AddressScope, hostname: string): Socket {
  const reached = toReach(socket.remoteAddress ?? '');
  if (mayReach(service, reached)) return socket;
  socket.destroy();
  throw new AddressRefusedError(hostname, reached);
}

function checkedAddress(lookUp: LookupFunction, hostname: string): Promise<string> {
  if (isIP(unbracketed(hostname)) !== 0) return Promise.resolve(hostname);
  return new Promise((resolve, reject) => {
    lookUp(hostname, {}, (error, address) => {
      if (error) reject(error);
      else resolve(String(address));
    });
  });
}
