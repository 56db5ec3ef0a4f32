import { type ChildProcess, fork } from 'node:child_process';
import PQueue from 'p-queue';
import type { FromReader, ToReader } from './serve-reader.ts';

/**
 * Files of strangers are read by libraries that a small file can keep busy for hours, or make allocate until the process
 * dies. Nothing in the same process can stop either, so these libraries work in a process of their own
 * (`serve-reader.ts`), which ends when it takes too long or too much memory.
 */
export interface ReaderProcess {
  send(message: ToReader): void;
  onMessage(listener: (message: FromReader) => void): void;
  onEnd(listener: () => void): void;
  kill(): void;
  hold(isNeeded: boolean): void;
}

export type StartReader = (entry: URL) => ReaderProcess;

/** The process ended before it answered: it took too much memory, or crashed. */
export class ReaderEndedError extends Error {}

/** Memory for the JavaScript objects of a reader, MB. `serve-reader.ts` limits the whole process. */
const HEAP_MB = 512;
/** How long a process waits for the next file, ms. */
const IDLE_MS = 3000;

let startReader: StartReader = forked;

/** For a host whose processes cannot be forked: Electron's main process starts them. Returns the former starter. */
export function startReadersWith(start: StartReader): StartReader {
  const before = startReader;
  startReader = start;
  return before;
}

interface Reader {
  readonly queue: PQueue;
  idle: { readonly process: ReaderProcess; readonly end: NodeJS.Timeout } | null;
}
const readers = new Map<string, Reader>();

/** Files that wait to be read or are being read: nothing else in this process shows that it waits for them. */
export const readingsUnderWay = (): number =>
  [...readers.values()].reduce((sum, { queue }) => sum + queue.size + queue.pending, 0);

/**
 * Has one file read, after those that came before it. `take` is called with each piece of the answer; the last piece is
 * returned. Rejects with {@link ReaderEndedError}, with the reason of `limit` when that aborts, or with an error that
 * has the message of the reader's own.
 *
 * @param limit begins to count when the file's turn comes
 */
export function readApart<Piece>(
  entry: URL,
  request: unknown,
  limit: () => AbortSignal,
  take: (piece: Piece) => void = () => undefined,
): Promise<Piece> {
  const reader = readers.get(entry.href) ?? { queue: new PQueue({ concurrency: 1 }), idle: null };
  readers.set(entry.href, reader);
  return reader.queue.add(async () => {
    const process = reader.idle?.process ?? startReader(entry);
    clearTimeout(reader.idle?.end);
    reader.idle = null;
    try {
      const answer = await answerFor(process, request, limit(), take);
      rest(reader, process);
      return answer;
    } catch (error) {
      process.kill();
      throw error;
    }
  });
}

function rest(reader: Reader, process: ReaderProcess): void {
  process.hold(false);
  const forget = (): void => {
    if (reader.idle?.process === process) reader.idle = null;
  };
  const end = setTimeout(() => {
    forget();
    process.kill();
  }, IDLE_MS);
  end.unref();
  process.onMessage(() => undefined);
  process.onEnd(forget);
  reader.idle = { process, end };
}

function answerFor<Piece>(
  process: ReaderProcess,
  request: unknown,
  limit: AbortSignal,
  take: (piece: Piece) => void,
): Promise<Piece> {
  const { promise, resolve, reject } = Promise.withResolvers<Piece>();
  const stop = (): void => reject(limit.reason as Error);
  process.onMessage((message) => {
    if ('failure' in message) return reject(new Error(message.failure));
    if (message.isLast) return resolve(message.piece as Piece);
    take(message.piece as Piece);
    process.send({ next: true });
  });
  process.onEnd(() => reject(new ReaderEndedError()));
  process.hold(true);
  if (limit.aborted) stop();
  else limit.addEventListener('abort', stop, { once: true });
  process.send({ request });
  return promise.finally(() => limit.removeEventListener('abort', stop));
}

/** A process of Node, with no environment and no open files of ours. */
function forked(entry: URL): ReaderProcess {
  const child: ChildProcess = fork(entry, [], {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let ended = (): void => undefined;
  // A process that cannot start has no exit.
  child.on('error', () => ended());
  child.on('exit', () => ended());
  return {
    send(message) {
      // One that has just died answers nothing; its end is reported.
      child.send(message, () => undefined);
    },
    onMessage(listener) {
      child.removeAllListeners('message').on('message', listener as (message: unknown) => void);
    },
    onEnd(listener) {
      ended = listener;
      if (child.exitCode !== null || child.signalCode !== null) listener();
    },
    kill: () => void child.kill('SIGKILL'),
    hold(isNeeded) {
      const which = isNeeded ? 'ref' : 'unref';
      child[which]();
      child.channel?.[which]();
    },
  };
}

/** The file of a thread, or of a process that reads: beside the source that starts it, or in the build beside the entry files of the hosts. */
export function threadFile(name: string, startedBy: string): URL {
  return startedBy.endsWith('.ts')
    ? new URL(`./${name}.ts`, startedBy)
    : new URL(startedBy.replace(/(?:\/chunks)?\/[^/]+$/, `/${name}.js`));
}
