import { messageFor, type Text } from '../../contract/messages/message.ts';
import { withoutEnd } from '../base/trim-end.ts';
import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { DailiesError } from '../base/errors.ts';

/** The address a person typed cannot be one of the service. */
export class ServiceAddressError extends DailiesError {
  readonly code: string = 'bad_address';
  readonly remedy: Text = messageFor('remedy.setAddress');
}

/** Where the service is, taken apart once. */
export interface ServiceAddress {
  /** What jobs are pinned to: scheme, host, port and prefix, without a trailing slash. */
  readonly base: string;
  /** Scheme, host and port. The key is sent here and nowhere else. */
  readonly origin: string;
  /** `''` or `/prefix`; goes before every path of the reference. */
  readonly prefix: string;
  /** The service's own address is loopback or private, so addresses like that are expected in its answers. */
  readonly local: boolean;
  /** Plain http to a public host: the key could be read on its way. Allowed, and warned about. */
  readonly exposed: boolean;
}

/** Reads a service address as people type it. Throws {@link ServiceAddressError}. */
export function parseServiceAddress(text: string): ServiceAddress {
  const typed = text.trim();
  if (typed === '') throw new ServiceAddressError(messageFor('failure.noAddress'));
  const url = URL.parse(typed);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ServiceAddressError(messageFor('failure.notAServiceAddress'));
  }
  // Never repeated in the message: what stands there may be the key.
  if (url.username !== '' || url.password !== '') {
    throw new ServiceAddressError(messageFor('failure.addressWithKey'));
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ServiceAddressError(messageFor('failure.addressWithQuery'));
  }
  // The address set for other client libraries ends in /v1 (reference, "Authentication", rule 2); every path of
  // ours has it already.
  const prefix = withoutEnd(url.pathname, /\//).replace(/\/v1$/, '');
  const local = isLocalHost(url.hostname);
  return { base: url.origin + prefix, origin: url.origin, prefix, local, exposed: url.protocol === 'http:' && !local };
}

/** Whether a key that is sent to this address could be read on its way; no, as long as no address is set. */
export function isExposed(baseUrl: string): boolean {
  return baseUrl !== '' && parseServiceAddress(baseUrl).exposed;
}

/** What a job is pinned to: the same for every way of typing the same address. Throws {@link ServiceAddressError}. */
export function originOf(baseUrl: string): string {
  return parseServiceAddress(baseUrl).base;
}

/**
 * 16 hex digits that name a key without revealing it: enough to tell two keys of one person apart. White space around
 * the key is no part of it, as when it is sent.
 */
export function keyFingerprint(key: string): string {
  return createHash('sha256').update(`dailies key fingerprint 1\n${key.trim()}`).digest('hex').slice(0, 16);
}

/** A host of this machine or of a private network. */
export function isLocalHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.local')) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() !== 'unicast';
}
