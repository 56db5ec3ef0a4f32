import { Worker } from 'node:worker_threads';
import { threadFile } from './thread-file.ts';

/** What the thread is told about a file. */
export interface HashOrder {
  readonly id: number;
  /** An open file; or the path of one, which the thread opens and closes itself. */
  readonly file: number | string;
  /** So many bytes of the file are there. */
  readonly upTo: number;
  /** The last order of a file. It is answered, and from then on the file is not read. */
  readonly end?: 'tell' | 'forget';
}

/** `sha256` is null when the file was to be forgotten. */
export type HashAnswer =
  | { readonly id: number; readonly sha256: string | null }
  | { readonly id: number; readonly problem: { readonly code: string | undefined; readonly message: string } };

/**
 * The sha256 of a file that is written or sent in order. A thread takes it, which reads the file behind the transfer: on
 * the engine's own thread it would cost as much as the rest of the transfer. Ends with `close`, before the file is closed.
 */
export class FileHash {
  readonly #id: number;
  readonly #file: number | string;
  #upTo = 0;
  #answer: Promise<string | null> | null = null;

  /** `file` is an open one, or the path of one. */
  constructor(file: number | string) {
    this.#id = lastId += 1;
    this.#file = file;
  }

  /** The first `bytes` bytes of the file are there, and will not change. */
  follow(bytes: number): void {
    if (bytes === this.#upTo) return;
    this.#upTo = bytes;
    this.#order();
  }

  /** Hex, of all it followed. Rejects when the file cannot be read, or when `close` comes first. */
  async digest(): Promise<string> {
    const sha256 = await this.#end('tell');
    if (sha256 === null) throw new Error('The hash of the file is not wanted any more.');
    return sha256;
  }

  /** The file is not read any more when it resolves. */
  async close(): Promise<void> {
    // What the file's problem was, `digest` says.
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

/** One thread for the whole process, from the first file on. */
let thread: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, { resolve(sha256: string | null): void; reject(problem: Error): void }>();

/** Answers that the thread owes. */
export const hashesUnderWay = (): number => waiting.size;

/** While an answer is owed, the process does not end. */
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
    // The next thread reads the files that go on from their start; what was asked of this one is not told.
    thread = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });
  return thread;
}
