import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Linux names the user of every connection of the machine here. The second one holds those that were made by IPv6 sockets. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;
/** As much of a table as is read, bytes: some 25,000 connections. */
const MAX_BYTES = 4 * 1000 ** 2;
const ROOT = 0;

export type ReadTable = (path: string) => Promise<string>;

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
