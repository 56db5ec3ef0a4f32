import { hostname } from 'node:os';
import type { Holder } from '../../engine/instance-lock.ts';

/** Loopback alone, as the web host announces it: the token is sent to no other place, whatever a note says. */
const ADDRESS = /^http:\/\/127\.0\.0\.1:\d{1,5}$/;

/** Where an engine can be reached by this command; null when it shares itself with nobody, or not with this machine. */
export function addressOf(holder: Holder | null): string | null {
  const { address, host } = holder ?? {};
  return address !== undefined && ADDRESS.test(address) && host === hostname() ? address : null;
}
