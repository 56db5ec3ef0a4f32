import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { toReach, unbracketed } from '../engine/api/address.ts';
import { StudioError } from './errors.ts';

/** Where the database of a studio is. It never holds a password. */
export interface StudioAddress {
  /** A host name, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** The file of the authority that signed the server's certificate; null where the system knows it. */
  readonly authorityFile: string | null;
  /** For people, and to tell studios apart. */
  readonly text: string;
}

const PORT = 5432;
/** What a URL may set besides; all else would weaken the connection, or surprise anyone who reads the URL. */
const PARAMETERS: ReadonlySet<string> = new Set(['host', 'port', 'sslmode', 'sslrootcert']);

/**
 * The address in a URL, and the password where one is in it; a relative file of an authority lies in `cwd`. Throws
 * StudioError, which repeats nothing of it.
 */
export function parseStudioUrl(
  text: string,
  cwd = process.cwd(),
): { readonly address: StudioAddress; readonly password: string | null } {
  // As psql writes the address of a socket.
  const url = URL.parse(text.trim().replace(/^([^/?#]*:\/\/[^/?#@]*@)\//, '$1localhost/'));
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol)) throw new StudioError('studio_address');
  const given = url.searchParams;
  if ([...given.keys()].some((name) => !PARAMETERS.has(name))) throw new StudioError('studio_address');
  const host = given.get('host') ?? unbracketed(decode(url.hostname));
  const database = decode(url.pathname.slice(1));
  if (host === '' || database === '' || database.includes('/')) throw new StudioError('studio_address');
  const mode = given.get('sslmode') ?? 'verify-full';
  if (mode !== 'verify-full' && !(mode === 'disable' && isOnThisMachine(host)))
    throw new StudioError('studio_insecure');
  const user = decode(url.username) || userInfo().username;
  const port = Number(given.get('port') ?? (url.port || PORT));
  const at = host.startsWith('/')
    ? 'localhost'
    : `${host.includes(':') ? `[${host}]` : host}${port === PORT ? '' : `:${port}`}`;
  const authority = given.get('sslrootcert');
  // The address is kept, and read again by programs that start elsewhere.
  const authorityFile = authority === null ? null : resolve(cwd, authority);
  const kept = new URLSearchParams({
    ...(host.startsWith('/') && { host, ...(port !== PORT && { port: String(port) }) }),
    ...(authorityFile !== null && { sslrootcert: authorityFile }),
  })
    .toString()
    // Allowed there as it is, and easier to read.
    .replaceAll('%2F', '/');
  const query = kept === '' ? '' : `?${kept}`;
  return {
    address: {
      ...{ host, port, database, user, authorityFile },
      text: `postgres://${encodeURIComponent(user)}@${at}/${encodeURIComponent(database)}${query}`,
    },
    password: url.password === '' ? null : decode(url.password),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new StudioError('studio_address', {}, { cause: error });
  }
}

/** A socket, or the loopback: nobody else can read what goes over it. */
const isOnThisMachine = (host: string): boolean =>
  host.startsWith('/') || host === 'localhost' || toReach(host) === 'loopback';

/** Everywhere else the certificate is checked against the host's name. Throws StudioError. */
export function tlsFor({ host, authorityFile }: StudioAddress): ConnectionOptions | false {
  if (isOnThisMachine(host)) return false;
  try {
    const ca = authorityFile === null ? {} : { ca: readFileSync(authorityFile, 'utf8') };
    return { ...ca, rejectUnauthorized: true };
  } catch (error) {
    throw new StudioError('studio_authority', { name: authorityFile ?? '' }, { cause: error });
  }
}
