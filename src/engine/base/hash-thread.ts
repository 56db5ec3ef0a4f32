import { createHash } from 'node:crypto';
import { close, open, read } from 'node:fs';
import { promisify } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { toMessage, systemCode } from './errors.ts';

export interface HashOrder {
  readonly id: number;
  /** The number of an open file, or a path that the thread opens and closes itself. */
  readonly file: number | string;
  /** The number of bytes that are written and can be hashed. */
  readonly upTo: number;
  /** Set in the last order of a file. The thread answers it and then stops reading the file. */
  readonly end?: 'tell' | 'forget';
}

/** `sha256` is null after `end: 'forget'`. */
export type HashAnswer =
  | { readonly id: number; readonly sha256: string | null }
  | { readonly id: number; readonly problem: { readonly code: string | undefined; readonly message: string } };

const openFile = promisify(open);
const closeFile = promisify(close);
const readFile = promisify(read);

const PIECE = 256 * 1024;
const spareBuffers: Buffer[] = [];
const files = new Map<number, FollowedFile>();

class FollowedFile {
  readonly #hash = createHash('sha256');
  readonly #buffer = spareBuffers.pop() ?? Buffer.allocUnsafeSlow(PIECE);
  #fd: number | null = null;
  #hashed = 0;
  #order: HashOrder;
  #isAtWork = false;

  constructor(order: HashOrder) {
    this.#order = order;
  }

  /** Each file is read on its own, so that a disk that hangs delays only its own files. */
  async take(order: HashOrder): Promise<void> {
    this.#order = order;
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    const answer = await this.#work();
    this.#isAtWork = false;
    if (answer === null) return;
    files.delete(order.id);
    spareBuffers.push(this.#buffer);
    if (this.#fd !== null && this.#fd !== order.file) await closeFile(this.#fd);
    parentPort?.postMessage(answer);
  }

  /** Hashes what is written so far. A failed read is retried with the next order, and reported for the last only. */
  async #work(): Promise<HashAnswer | null> {
    const { id } = this.#order;
    try {
      while (this.#order.end !== 'forget' && this.#hashed < this.#order.upTo) await this.#hashPiece();
      if (this.#order.end === 'tell') return { id, sha256: this.#hash.digest('hex') };
    } catch (error) {
      if (this.#order.end === 'tell') return { id, problem: { code: systemCode(error), message: toMessage(error) } };
    }
    return this.#order.end === 'forget' ? { id, sha256: null } : null;
  }

  async #hashPiece(): Promise<void> {
    const { file, upTo } = this.#order;
    this.#fd ??= typeof file === 'number' ? file : await openFile(file, 'r');
    const length = Math.min(PIECE, upTo - this.#hashed);
    const { bytesRead } = await readFile(this.#fd, this.#buffer, 0, length, this.#hashed);
    if (bytesRead === 0) throw new Error('The file became shorter while it was read.');
    this.#hash.update(this.#buffer.subarray(0, bytesRead));
    this.#hashed += bytesRead;
  }
}

parentPort?.on('message', (order: HashOrder) => {
  const file = files.get(order.id) ?? new FollowedFile(order);
  files.set(order.id, file);
  void file.take(order);
});
