import { t } from '../contract/messages/words.ts';
import { UsageError } from './exit.ts';
import type { Environment } from '../host/process-environment.ts';

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
  /** Moves the cursor, by an escape sequence of ours; `write` of a command's output lets none through. */
  control?(sequence: string): unknown;
}

export interface Input extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean;
}

/** Questions to the person at the terminal. Each rejects with `InterruptedError` when answered with Ctrl-C. */
export interface Questions {
  confirm(question: string): Promise<boolean>;
  /** Not echoed. */
  secret(question: string): Promise<string>;
}

export const stopSignals = ['SIGINT', 'SIGBREAK', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof stopSignals)[number];

export interface Shell extends Environment {
  /** The processor that this Node.js is built for, and those that our native libraries are built for; empty if unknown. */
  readonly processor: string;
  readonly builtFor: () => readonly string[];
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Calls `listener` at each of these signals until the returned function is called. */
  onInterrupt(listener: (signal: StopSignal) => void): () => void;
  quitNow(status: number): void;
  readonly questions: () => Promise<Questions>;
}

export function canAsk(shell: Shell): boolean {
  return shell.stdin.isTTY === true && shell.stdout.isTTY === true;
}

/** Asks the person at the terminal. Throws UsageError, with what agrees without being asked, for any other answer. */
export async function agree(shell: Shell, question: string, remedy = t('cli.agree')): Promise<void> {
  if (!canAsk(shell)) throw new UsageError(question, remedy);
  const questions = await shell.questions();
  if (!(await questions.confirm(question))) throw new UsageError(t('cli.nothingChanged'), remedy);
}

/** All that comes in. Throws `tooLong` after so many bytes. */
export async function wholeInput(stdin: Input, mostBytes: number, tooLong: UsageError): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece);
    length += bytes.length;
    if (length > mostBytes) throw tooLong;
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}
