/** A host that is to be reached, as connectors name it. `port` may be empty for the usual one of the protocol. */
export interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

/** Address of the proxy that a target is reached through; null when it is reached directly. */
export type ProxyFor = (target: Target) => URL | null;

/** A number in [0, 1), like `Math.random`. Passed in, so that tests decide it. */
export type Random = () => number;

/**
 * What the engine needs from its host. Each host (CLI, web, Electron) implements these its own way; tests implement them
 * with a clock that never waits.
 */

/** Time. Everything that waits goes through it, so that tests can move it by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, options?: { signal?: AbortSignal | undefined }): Promise<void>;
  /**
   * Milliseconds since the machine was started, its sleep included, whatever the clock is set to. By this and `now` it is
   * known whether the machine slept or its clock was changed; absent, `now` is believed.
   */
  steady?(): number;
}

/** Structured log lines. Never handed a key, a header or a signed query. */
export interface Logger {
  debug(message: string, facts?: Record<string, unknown>): void;
  info(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
  error(message: string, facts?: Record<string, unknown>): void;
}

/** Where the key comes from. Asked at each request, so that a new key is used at once. */
export interface Secrets {
  /** The key for the service, or null when none is set. */
  apiKey(): string | null;
}

/** What only the host's machine can tell. */
export interface Disk {
  /** Bytes free for us on the file system that holds `path`. */
  freeBytes(path: string): Promise<number>;
}

export interface Ports {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secrets: Secrets;
  readonly disk: Disk;
  /** Which proxy leads where; every host is reached directly when absent. */
  readonly proxyFor?: ProxyFor;
  /** Spreads repeated requests over time. */
  readonly random: Random;
}
