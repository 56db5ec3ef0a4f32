import type { DemoService, DemoServiceOptions } from '../demo/service.ts';
import type { StartEngine } from '../engine/engine-api.ts';
import type { Clock } from '../engine/ports.ts';

/** Where text goes. `process.stdout` is one. */
export interface Output {
  readonly isTTY?: boolean;
  /** Width in characters, where there is one. */
  readonly columns?: number;
  write(text: string): unknown;
}

/** Where text comes from. `process.stdin` is one. */
export interface Input extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean;
}

/** Questions to the person at the terminal. Each rejects with `InterruptedError` when answered with Ctrl-C. */
export interface Questions {
  confirm(question: string): Promise<boolean>;
  /** Not echoed. */
  secret(question: string): Promise<string>;
}

/** The system's own store for one secret. Every call throws where there is no such store. */
export interface Keychain {
  read(): string | null;
  write(secret: string): void;
  /** Removes the secret if there is one. */
  remove(): void;
}

/**
 * Everything the command sees of the outside, so that tests can be the outside. What is heavy to load is a function
 * that loads it: `dailies --help` must not wait for a database or a network library.
 */
export interface Shell {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeFolder: string;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  /** Calls `listener` at each SIGINT, SIGTERM or SIGHUP until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
  /** Ends the process at once. */
  quitNow(status: number): void;
  readonly keychain: () => Promise<Keychain>;
  readonly questions: () => Promise<Questions>;
  readonly startEngine: StartEngine;
  readonly startDemoService: (options: DemoServiceOptions) => Promise<DemoService>;
}

/** A person sits at this terminal and can be asked. */
export function canAsk(shell: Shell): boolean {
  return shell.stdin.isTTY === true && shell.stdout.isTTY === true;
}
