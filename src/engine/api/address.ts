import { messageFor, type Text } from '../../contract/messages/message.ts';
import { prefixOf } from '../../contract/service-address.ts';
import { createHash } from 'node:crypto';
import { reachOf } from '../base/address-scope.ts';
import { DailiesError } from '../base/errors.ts';

export class ServiceAddressError extends DailiesError {
  readonly code: string = 'bad_address';
  readonly remedy: Text = messageFor('remedy.setAddress');
}

export interface ServiceAddress {
  /** What jobs are pinned to: scheme, host, port and prefix, without a trailing slash. */
  readonly base: string;
  /** Scheme, host and port. The key is sent here and nowhere else. */
  readonly origin: string;
  /** `''` or `/prefix`; goes before every path of the reference. */
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
  const prefix = prefixOf(url.pathname);
  const local = isLocalHost(url.hostname);
  return { base: url.origin + prefix, origin: url.origin, prefix, local, exposed: url.protocol === 'http:' && !local };
}

export function isExposed(baseUrl: string): boolean {
  return baseUrl !== '' && parseServiceAddress(baseUrl).exposed;
}

/** The address that jobs are pinned to, the same however it was entered. Throws {@link ServiceAddressError}. */
export function originOf(baseUrl: string): string {
  return parseServiceAddress(baseUrl).base;
}

/**
 * 16 hex digits that identify a key without revealing it: enough to tell a person's keys apart. White space around the
 * key is ignored, as it is when the key is sent.
 */
export function keyFingerprint(key: string): string {
  return createHash('sha256').update(`dailies key fingerprint 1\n${key.trim()}`).digest('hex').slice(0, 16);
}

export function isLocalHost(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname.endsWith('.local')) return true;
  return ['private', 'loopback'].includes(reachOf(hostname));
}
