import { hostname } from 'node:os';
import type { Holder } from '../../engine/instance-lock.ts';
import { isOwnSocket } from '../../server/private/socket-path.ts';

/** Where an engine answers this command; null when it shares itself with nobody, or not with this user and machine. */
export function socketOf(holder: Holder | null): string | null {
  const { socket, host } = holder ?? {};
  return socket !== undefined && host === hostname() && isOwnSocket(socket) ? socket : null;
}
