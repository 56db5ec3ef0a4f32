import { ErrorWithText } from '../base/errors.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { reachOf, unbracketed, type AddressScope } from '../base/address-scope.ts';

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

/** Asks the system for all addresses of a name. Replaced in tests. */
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
  if (ipaddr.isValid(host)) return reachOf(host);
  const reaches = (await resolve(host)).map(({ address }) => reachOf(address));
  return (['loopback', 'private', 'public'] as const).find((reach) => reaches.includes(reach)) ?? 'never';
}

/**
 * A `lookup` for sockets that hands out only addresses the service may name. The socket connects to one of these very
 * addresses and never asks again, so a name that changes its mind (DNS rebinding) gains nothing.
 */
export function checkedLookup(service: AddressScope, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const allowed = addresses.filter(({ address }) => mayReach(service, reachOf(address)));
        const wanted = allowed.filter(({ family }) => !options.family || options.family === family);
        const [first] = wanted;
        if (first === undefined) {
          const worst = addresses.map(({ address }) => reachOf(address)).find((reach) => !mayReach(service, reach));
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

export type UrlProblem = { readonly code: string; readonly message: Text };

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
