import { ErrorWithText } from '../../base/errors.ts';
import { messageFor } from '../../../contract/messages/message.ts';
import type { FileHandle } from 'node:fs/promises';
import type { OpenFile } from '../../files/project-files.ts';

const BLOCK = 64 * 1024;
/** No real file of media has more parts; a file made to keep us busy would. */
const MAX_STEPS = 5_000_000;

export class ContainerProblem extends ErrorWithText {}

export class ByteSource {
  readonly size: number;
  readonly #handle: FileHandle;
  #block = Buffer.alloc(0);
  #blockAt = 0;
  #steps = 0;

  /** The caller closes `handle`. */
  constructor({ handle, bytes }: OpenFile) {
    this.#handle = handle;
    this.size = bytes;
  }

  /** Exactly `length` bytes (at most 64 KiB) from `position`. Valid until the next call. */
  async bytes(position: number, length: number): Promise<Buffer> {
    this.requireUpTo(position + length);
    if (position < this.#blockAt || position + length > this.#blockAt + this.#block.length) await this.#load(position);
    const start = position - this.#blockAt;
    if (start + length > this.#block.length) throw cutOff();
    return this.#block.subarray(start, start + length);
  }

  /** As `bytes`, but fewer where the file ends. */
  bytesUpTo(position: number, length: number): Promise<Buffer> {
    return this.bytes(position, Math.max(0, Math.min(length, this.size - position)));
  }

  async all(): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let at = 0; at < this.size; at += BLOCK) pieces.push(Buffer.from(await this.bytesUpTo(at, BLOCK)));
    return Buffer.concat(pieces);
  }

  /** Throws unless the file has its first `end` bytes. */
  requireUpTo(end: number): void {
    if (end > this.size) throw cutOff();
  }

  step(): void {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) throw new ContainerProblem(messageFor('failure.fileTooManyParts'));
  }

  async #load(position: number): Promise<void> {
    const block = Buffer.allocUnsafe(Math.min(BLOCK, this.size - position));
    const { bytesRead } = await this.#handle.read(block, 0, block.length, position);
    this.#block = block.subarray(0, bytesRead);
    this.#blockAt = position;
  }
}

export function cutOff(): ContainerProblem {
  return new ContainerProblem(messageFor('failure.fileCutOff'));
}

export function ascii(bytes: Buffer, start = 0, end = bytes.length): string {
  return bytes.toString('latin1', start, end);
}
