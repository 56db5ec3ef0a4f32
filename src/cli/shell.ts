import type { Surroundings } from '../host/surroundings.ts';

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

/** Everything the command sees of the outside: its machine and its terminal. */
export interface Shell extends Surroundings {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Calls `listener` at each SIGINT, SIGTERM or SIGHUP until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
  /** Ends the process at once. */
  quitNow(status: number): void;
  readonly questions: () => Promise<Questions>;
}

/** A person sits at this terminal and can be asked. */
export function canAsk(shell: Shell): boolean {
  return shell.stdin.isTTY === true && shell.stdout.isTTY === true;
}
