import { Worker } from 'node:worker_threads';
import { threadFile } from './reader-process.ts';
import type { HashAnswer, HashOrder } from './hash-thread.ts';

/**
 * The sha256 of a file that is written or sent in order. A thread reads the file behind the transfer and hashes it: on
 * the engine's own thread, hashing would take as long as the rest of the transfer. Call `close` before the file is
 * closed.
 */
export class FileHash {
  readonly #id: number;
  readonly #file: number | string;
  #upTo = 0;
  #answer: Promise<string | null> | null = null;

  /** `file` is the number of an open file, or a path. */
  constructor(file: number | string) {
    this.#id = lastId += 1;
    this.#file = file;
  }

  /** The first `bytes` bytes are written and do not change again. */
  follow(bytes: number): void {
    if (bytes === this.#upTo) return;
    this.#upTo = bytes;
    this.#order();
  }

  /** Hex of all bytes passed to `follow`. Rejects when the file cannot be read, or when `close` comes first. */
  async digest(): Promise<string> {
    const sha256 = await this.#end('tell');
    if (sha256 === null) throw new Error('The hash was closed before it was complete.');
    return sha256;
  }

  /** When this resolves, the file is not read any more. */
  async close(): Promise<void> {
    // `digest` reports what was wrong with the file.
    if (this.#upTo > 0) await this.#end('forget').catch(() => undefined);
  }

  #end(end: 'tell' | 'forget'): Promise<string | null> {
    this.#answer ??= answerTo(this.#id);
    if (waiting.has(this.#id)) this.#order(end);
    return this.#answer;
  }

  #order(end?: 'tell' | 'forget'): void {
    const order: HashOrder = { id: this.#id, file: this.#file, upTo: this.#upTo, ...(end && { end }) };
    theThread().postMessage(order);
  }
}

/** sha256 of the first `bytes` bytes of a file, hex. Rejects with the signal's reason when that comes first. */
export async function sha256OfFile(file: number | string, bytes: number, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  const hash = new FileHash(file);
  const stop = (): void => void hash.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    hash.follow(bytes);
    return await hash.digest();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** One thread for the whole process. It starts with the first file. */
let thread: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, { resolve(sha256: string | null): void; reject(problem: Error): void }>();

/** Hashes that the thread has not answered yet. */
export const hashesUnderWay = (): number => waiting.size;

function answerTo(id: number): Promise<string | null> {
  theThread().ref();
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function theThread(): Worker {
  if (thread !== null) return thread;
  const url = threadFile('hash-thread', import.meta.url);
  thread = new Worker(url, { name: 'hash', env: {}, argv: [], execArgv: [] });
  thread.unref();
  thread.on('message', (answer: HashAnswer) => {
    const asker = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) thread?.unref();
    if ('problem' in answer) asker?.reject(Object.assign(new Error(answer.problem.message), answer.problem));
    else asker?.resolve(answer.sha256);
  });
  thread.on('error', (error) => {
    // A new thread starts each open file from its beginning. The answers this one still owed are rejected.
    thread = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });
  return thread;
}
