import { ErrorWithText } from '../base/errors.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Which network an address belongs to. `private` covers RFC 1918, unique local IPv6 and carrier-grade NAT (also used
 * by overlay networks); `never` is what no result can sensibly live at: unspecified, broadcast, multicast, link-local,
 * reserved ranges and the metadata services of cloud machines.
 */
export type AddressScope = 'public' | 'private' | 'loopback' | 'never';

/** Metadata services outside the link-local range. */
const METADATA = new Set(['100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254']);

const RANGES: Readonly<Record<string, AddressScope>> = {
  unicast: 'public',
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'private',
};

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** The reach of a literal IP address; text that is no address is `never`. IPv6 forms of an IPv4 address count as it. */
export function reachOf(address: string): AddressScope {
  const text = unbracketed(address);
  if (!ipaddr.isValid(text)) return 'never';
  const parsed = ipaddr.parse(text);
  const plain = parsed instanceof ipaddr.IPv6 ? (embeddedIPv4(parsed) ?? parsed) : parsed;
  if (METADATA.has(plain instanceof ipaddr.IPv6 ? plain.toRFC5952String() : plain.toString())) return 'never';
  // Outside of 2000::/3, no address belongs to a host on the public Internet, whatever the name of its range.
  if (plain instanceof ipaddr.IPv6 && plain.range() === 'unicast' && !plain.match(GLOBAL_UNICAST)) return 'never';
  return RANGES[plain.range()] ?? 'never';
}

/** The IPv4 address that an IPv4-mapped, NAT64 (64:ff9b::/96) or 6to4 address really leads to. */
function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray();
  switch (address.range()) {
    case 'ipv4Mapped':
      return new ipaddr.IPv4(bytes.slice(12));
    case 'rfc6052':
      // Other NAT64 prefixes put the address elsewhere, so we cannot know where they lead.
      return bytes.slice(4, 12).every((byte) => byte === 0) ? new ipaddr.IPv4(bytes.slice(12)) : null;
    case '6to4':
      return new ipaddr.IPv4(bytes.slice(2, 6));
    default:
      return null;
  }
}

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

function unbracketed(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
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
