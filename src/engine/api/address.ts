import { messageFor, type Text } from '../../contract/messages/message.ts';
import { toPrefix } from '../../contract/settings.ts';
import { createHash } from 'node:crypto';
import { DailiesError } from '../base/errors.ts';
import ipaddr from 'ipaddr.js';

export class ServiceAddressError extends DailiesError {
  readonly code: string = 'bad_address';
  readonly remedy: Text = messageFor('remedy.setAddress');
}

export interface ServiceAddress {
  /** What jobs are pinned to: scheme, host, port and prefix, without a trailing slash. */
  readonly base: string;
  /** Scheme, host and port. The key is sent here and nowhere else. */
  readonly origin: string;
  readonly prefix: string;
  /** True for a loopback or private address. The service's answers may then contain such addresses too. */
  readonly local: boolean;
  /** True for plain http to a public host, where others could read the key. Allowed, with a warning. */
  readonly exposed: boolean;
}

/** Parses a service address that a person entered. Throws {@link ServiceAddressError}. */
export function parseServiceAddress(text: string): ServiceAddress {
  const typed = text.trim();
  if (typed === '') throw new ServiceAddressError(messageFor('failure.noAddress'));
  const url = URL.parse(typed);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ServiceAddressError(messageFor('failure.notAServiceAddress'));
  }
  // Do not repeat it in the message: it may contain the key.
  if (url.username !== '' || url.password !== '') {
    throw new ServiceAddressError(messageFor('failure.addressWithKey'));
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ServiceAddressError(messageFor('failure.addressWithQuery'));
  }
  const prefix = toPrefix(url.pathname);
  const local = isLocalHost(url.hostname);
  return { base: url.origin + prefix, origin: url.origin, prefix, local, exposed: url.protocol === 'http:' && !local };
}

export function isExposed(baseUrl: string): boolean {
  return baseUrl !== '' && parseServiceAddress(baseUrl).exposed;
}

/** The address that jobs are pinned to, the same however it was entered. Throws {@link ServiceAddressError}. */
export function toOrigin(baseUrl: string): string {
  return parseServiceAddress(baseUrl).base;
}

/** 16 hex digits that identify a key without revealing it. White space around it is ignored, as when it is sent. */
export function keyFingerprint(key: string): string {
  return createHash('sha256').update(`dailies key fingerprint 1\n${key.trim()}`).digest('hex').slice(0, 16);
}

export function isLocalHost(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname.endsWith('.local')) return true;
  return ['private', 'loopback'].includes(toReach(hostname));
}

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
export function toReach(address: string): AddressScope {
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

export function unbracketed(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
}
