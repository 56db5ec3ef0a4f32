import type { Message } from '../../contract/messages/message.ts';

/** The host to connect to. `port` may be empty for the default port of the protocol. */
export interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

/** The address of a proxy; null for a direct connection. */
export type Route = URL | null;

/** The routes to a target, in the order in which they are tried. Asked for each connection, since networks change. */
export type RoutesTo = (target: Target) => readonly Route[] | Promise<readonly Route[]>;

/** A number in [0, 1), like `Math.random`. Injected, so that tests control it. */
export type Random = () => number;

/** What the engine needs from its host: the CLI, the web host or Electron; in tests a clock that never waits. */

/** Time. Everything that waits uses it, so that tests can advance it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, options?: { signal?: AbortSignal | undefined }): Promise<void>;
  /** Ms since the machine started, its sleep too: shows sleep or a set clock. Without it, `now` is trusted. */
  steady?(): number;
}

/** Structured log lines. Never pass it a key, a header or a signed query. */
export interface Logger {
  debug(message: string, facts?: Record<string, unknown>): void;
  info(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
  error(message: string, facts?: Record<string, unknown>): void;
}

/** What only the host can find out about the disks. */
export interface Disk {
  /** Bytes free for us on the file system that holds `path`. */
  freeBytes(path: string): Promise<number>;
  /** Whether so many bytes fit in a folder after all. Only where the system frees room for a program that writes. */
  makeRoom?(folder: string, bytes: number): Promise<boolean>;
}

export interface Ports {
  readonly clock: Clock;
  readonly logger: Logger;
  /** `apiKey`: the key of an account (its id; null or absent: the first one), or null when none is set. */
  readonly secrets: { apiKey(accountId?: string | null): string | null };
  readonly disk: Disk;
  /** The routes to each target; without it, all connections are direct. */
  readonly routesTo?: RoutesTo;
  /** Tells a person what no disk takes, before the process may end. Absent where nobody reads it. */
  readonly sayAtOnce?: (message: Message) => void;
  readonly random: Random;
  /** Path of an `ffmpeg`, which reads frames of films; null where there is none now. Asked each time: it may be installed. */
  readonly ffmpeg?: () => string | null;
}
