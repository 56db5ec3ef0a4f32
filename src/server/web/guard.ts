import type { MessageKey } from '../../contract/messages/message.ts';
import { mediaPaths } from '../media/answers.ts';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';

type WebRefusal = Extract<MessageKey, `web.${string}`>;

/**
 * What one run of the web host on loopback knows its own pages by: no other may speak to it. The secrets are made at its
 * start and kept in memory alone: to the next run, and to a stranger who takes the port, what an open page still sends
 * is worth nothing.
 */
export interface PageSecrets {
  port: number;
  /** Our page's script has it and sends it as a header, which no other origin can do: it allows every call. */
  readonly pass: string;
  /** A cookie, which a browser sends to every port of this machine: opens media to look at, and nothing else. */
  readonly mediaCookie: string;
}

/** Its port is known once the server listens. */
export const newPageSecrets = (): PageSecrets => ({ port: 0, pass: secret(), mediaCookie: secret() });

export type Admission =
  | { readonly ok: true }
  | { readonly ok: false; readonly status: 401 | 403; readonly reason: WebRefusal };

const forbidden = (reason: WebRefusal): Admission => ({ ok: false, status: 403, reason });

const toHosts = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

export const cookieName = (port: number): string => `dailies_${port}`;

/**
 * Whether a request comes from an allowed source: it names an address of this machine (a name that points here is another
 * site's, however it resolves), and no page of another origin sent it. Pure.
 */
export function checkSource(request: Request, port: number): Admission {
  const { headers } = request;
  const hosts = toHosts(port);
  if (!hosts.includes(headers.get('host')?.toLowerCase() ?? '')) return forbidden('web.notThisServer');
  const origin = headers.get('origin');
  if (origin !== null && !hosts.some((host) => origin === `http://${host}`)) {
    return forbidden('web.otherSite');
  }
  // Other ports of this machine are the same site to a browser, and not ours.
  if (!['same-origin', 'none', null].includes(headers.get('sec-fetch-site')) && !isVisit(request)) {
    return forbidden('web.otherSite');
  }
  return { ok: true };
}

/** A link or file here opens our window as a page of its own: it gets our files, and the other page nothing. */
function isVisit({ headers, method, url }: Request): boolean {
  const isWholePage = headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  return method === 'GET' && isWholePage && needFor(method, new URL(url).pathname) === 'nothing';
}

/** The proof a request needs: the window's own files are public, media need the cookie, all else is a call. Pure. */
function needFor(method: string, pathname: string): 'nothing' | 'cookie' | 'pass' {
  const [, first] = pathname.split('/');
  const isReading = method === 'GET' || method === 'HEAD';
  // The router decodes a path before it compares: `%72pc` is `rpc` there, and no file of ours is called so.
  if (first?.includes('%')) return 'pass';
  if (mediaPaths.some((path) => path === first)) return isReading && first !== 'upload' ? 'cookie' : 'pass';
  return isReading && first !== 'rpc' ? 'nothing' : 'pass';
}

export function checkToken(request: Request, gate: PageSecrets): Admission {
  const need = needFor(request.method, new URL(request.url).pathname);
  const shown =
    need === 'nothing' ||
    isSame(toBearer(request.headers), gate.pass) ||
    (need === 'cookie' && hasMediaCookie(request.headers, gate));
  return shown ? { ok: true } : { ok: false, status: 401, reason: 'web.openFromTerminal' };
}

export const toBearer = (headers: Headers): string =>
  /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';

/** Servers at other ports may have set cookies of this name, for longer paths too. */
export function hasMediaCookie(headers: Headers, { port, mediaCookie }: PageSecrets): boolean {
  const start = `${cookieName(port)}=`;
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.some((pair) => pair.startsWith(start) && isSame(pair.slice(start.length), mediaCookie));
}

/** What shows a page that it speaks with the host which gave it its pass. The page computes the same. */
export const proofFor = (pass: string, challenge: string): string =>
  createHmac('sha256', pass).update(`dailies host ${challenge}`).digest('base64url');

/** Whether two texts are equal, in a time that does not reveal how much of them is. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

const secret = (): string => randomBytes(32).toString('base64url');

/** How long a code opens the window, ms: a browser that is not running yet has to start first. */
const VALID_MS = 120_000;

const MAX_WAITING = 100;

/**
 * Codes that let one window in, each once and soon. The address that is opened or printed has such a code only: the
 * secrets that the window works with are in no file, address or argument.
 */
export class EntryCodes {
  readonly #validUntil = new Map<string, number>();

  issue(now: number): string {
    const code = randomBytes(24).toString('base64url');
    this.#validUntil.set(code, now + VALID_MS);
    const [oldest] = this.#validUntil.keys();
    if (this.#validUntil.size > MAX_WAITING && oldest !== undefined) this.#validUntil.delete(oldest);
    return code;
  }

  take(code: string, now: number): boolean {
    const until = this.#validUntil.get(code);
    this.#validUntil.delete(code);
    return until !== undefined && now <= until;
  }
}

/** Linux names the user of every connection of the machine here. The second one holds those that were made by IPv6 sockets. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;
/** As much of a table as is read, bytes: some 25,000 connections. */
const MAX_BYTES = 4 * 1000 ** 2;
const ROOT = 0;

type ReadTable = (path: string) => Promise<string>;

/**
 * Recognizes connections of other users of this machine. Only Linux says whose a connection is; elsewhere the
 * token alone decides. One that no table names is foreign: more connections than are read may hide it. Root may connect: it can read our memory anyway, and it passes on the
 * connections of a browser outside of a virtual machine.
 */
export class Peers {
  readonly #own = process.getuid?.();
  readonly #read: ReadTable;
  readonly #known = new WeakMap<Socket, Promise<boolean>>();
  #reading: Promise<readonly string[]> | null = null;
  #next: Promise<readonly string[]> | null = null;

  constructor(read: ReadTable = readTable) {
    this.#read = read;
  }

  /** Looked up once for each connection, best at its start: a closed one is in no table. */
  isOtherUser(socket: Socket): Promise<boolean> {
    const known = this.#known.get(socket) ?? this.#lookUp(socket);
    this.#known.set(socket, known);
    return known;
  }

  async #lookUp({ remoteAddress, remotePort, localAddress, localPort }: Socket): Promise<boolean> {
    if (process.platform !== 'linux' || this.#own === undefined) return false;
    const tables = await this.#tables();
    // The system does not tell.
    if (tables.every((table) => table === '')) return false;
    const peer = ownerIn(tables, [remoteAddress, remotePort], [localAddress, localPort]);
    return peer !== this.#own && peer !== ROOT;
  }

  /** Tables whose reading begins after this call; many connections at once share one reading. */
  #tables(): Promise<readonly string[]> {
    if (this.#reading) {
      this.#next ??= this.#reading.then(() => {
        this.#next = null;
        return this.#tables();
      });
      return this.#next;
    }
    this.#reading = Promise.all(TABLES.map((path) => this.#read(path).catch(() => ''))).finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }
}

type End = readonly [address: string | undefined, port: number | undefined];

/** The user whose connection leads from one end to the other; null when no table names it. Pure. */
export function ownerIn(tables: readonly string[], from: End, to: End): number | null {
  const [here, there] = [endInTable(from), endInTable(to)];
  if (here === null || there === null) return null;
  const mapped = (end: string): string => `0000000000000000FFFF0000${end}`;
  for (const pair of [` ${here} ${there} `, ` ${mapped(here)} ${mapped(there)} `]) {
    const line = tables.flatMap((table) => lineWith(table, pair))[0];
    const uid = line?.trim().split(/ +/)[7];
    if (uid !== undefined && /^\d+$/.test(uid)) return Number(uid);
  }
  return null;
}

function lineWith(table: string, text: string): string[] {
  const at = table.indexOf(text);
  if (at < 0) return [];
  const end = table.indexOf('\n', at);
  return [table.slice(table.lastIndexOf('\n', at) + 1, end < 0 ? undefined : end)];
}

/** `127.0.0.1`, 4680 as the table has it: `0100007F:1248`, in the order of bytes of the processor. */
function endInTable([address, port]: End): string | null {
  const parts =
    address
      ?.replace(/^::ffff:/, '')
      .split('.')
      .map(Number) ?? [];
  if (parts.length !== 4 || port === undefined) return null;
  const hex = (number: number, digits: number): string => number.toString(16).toUpperCase().padStart(digits, '0');
  return `${parts
    .map((part) => hex(part, 2))
    .reverse()
    .join('')}:${hex(port, 4)}`;
}

async function readTable(path: string): Promise<string> {
  await using handle = await open(path, 'r');
  const pieces: Buffer[] = [];
  for (let bytes = 0; bytes < MAX_BYTES;) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024));
    if (bytesRead === 0) break;
    pieces.push(buffer.subarray(0, bytesRead));
    bytes += bytesRead;
  }
  return Buffer.concat(pieces).toString('latin1');
}
