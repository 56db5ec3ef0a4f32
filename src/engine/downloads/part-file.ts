import type { FileHandle } from 'node:fs/promises';
import { systemCode } from '../base/errors.ts';
import { FileHash } from '../base/file-hash.ts';
import type { Place } from '../files/place.ts';
import { createFile, isOwnFile, look, openFile, removeFile, type OpenFile } from '../files/project-files.ts';

const WRITE_SIZE = 1000 ** 2;
const BACKLOG_HIGH = 8 * WRITE_SIZE;
const BACKLOG_LOW = 2 * WRITE_SIZE;

export interface PartHooks {
  readonly syncEvery: number;
  /** Before the first write and after each sync, with the bytes written: throws when the disk should not take more. */
  readonly ensureRoom: (written: number) => Promise<void>;
  /** Before the bytes on the disk are dropped, the stored facts about them must be. */
  readonly forget: () => Promise<void>;
  /** After the first `bytes` bytes were fsynced. */
  readonly synced: (bytes: number) => Promise<void>;
  readonly failed: (error: PartWriteError) => void;
}

export class PartWriteError extends Error {}

/** A `.part` file, written in order in pieces of about 1 MB and hashed (sha256); `backlogged`: wait for the disk. */
export class PartFile {
  bytes: number;
  readonly #handle: FileHandle;
  readonly #hooks: PartHooks;
  #hash: FileHash;
  #written: number;
  #synced: number;
  #queue: Buffer[] = [];
  #queued = 0;
  #startOver = false;
  #roomChecked = false;
  #pumping: Promise<void> | null = null;
  #syncing: Promise<void> | null = null;
  #ending = false;
  #failure: PartWriteError | null = null;
  #whenDrained: (() => void) | null = null;

  private constructor(handle: FileHandle, bytes: number, hooks: PartHooks) {
    this.#handle = handle;
    this.#hooks = hooks;
    this.#hash = new FileHash(handle.fd);
    this.#hash.follow(bytes);
    this.bytes = bytes;
    this.#written = bytes;
    this.#synced = bytes;
  }

  /**
   * Opens or creates the part, keeps its first `durable` bytes and cuts off the rest, which may never have reached the
   * disk. A part shorter than that is started over (`bytes` is 0 then). Anything in its place that is not a plain file
   * of its own (a planted link, the second name of a published take) is put aside, never written through.
   */
  static async open(place: Place, durable: number, hooks: PartHooks): Promise<PartFile> {
    try {
      const fresh = await createNew(place);
      if (fresh !== null && durable > 0) await hooks.forget();
      if (fresh !== null) return new PartFile(fresh, 0, hooks);
      const found = await openFile(place, 'write');
      try {
        return await PartFile.#continue(found, durable, hooks);
      } catch (error) {
        await found.handle.close();
        throw error;
      }
    } catch (error) {
      throw new PartWriteError('The part could not be opened.', { cause: error });
    }
  }

  static async #continue({ handle, bytes }: OpenFile, durable: number, hooks: PartHooks): Promise<PartFile> {
    const kept = durable <= bytes ? durable : 0;
    if (durable > kept) await hooks.forget();
    if (bytes > kept) await handle.truncate(kept);
    return new PartFile(handle, kept, hooks);
  }

  /** True when so many bytes wait that the sender should pause; `drained` then runs once. */
  get backlogged(): boolean {
    return this.#queued > BACKLOG_HIGH;
  }

  set drained(resume: () => void) {
    this.#whenDrained = resume;
  }

  push(chunk: Buffer): void {
    if (this.#failure !== null) return;
    this.bytes += chunk.length;
    this.#queue.push(chunk);
    this.#queued += chunk.length;
    if (this.#queued >= WRITE_SIZE) this.#startPump();
  }

  /** Gives up everything so far: the next byte pushed is the first of the file. */
  startOver(): void {
    if (this.bytes === 0) return;
    this.#queue = [];
    this.#queued = 0;
    this.bytes = 0;
    this.#startOver = true;
  }

  /** Everything pushed so far is on the disk when this resolves. Throws what went wrong writing it. */
  async flush(): Promise<void> {
    this.#ending = true;
    while (this.#failure === null && (this.#startOver || this.#queued > 0)) {
      this.#startPump();
      await this.#pumping;
    }
    await this.#syncing;
    if (this.#failure !== null) throw this.#failure;
    if (this.#synced === this.#written) return;
    try {
      await this.#handle.datasync();
    } catch (error) {
      throw new PartWriteError('The part could not be synced.', { cause: error });
    }
    this.#synced = this.#written;
  }

  async digest(): Promise<string> {
    try {
      return await this.#hash.digest();
    } catch (error) {
      throw new PartWriteError('The part could not be read back.', { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#pumping;
    await this.#syncing;
    await this.#hash.close();
    await this.#handle.close();
  }

  #startPump(): void {
    this.#pumping ??= this.#pump().then(
      () => {
        this.#pumping = null;
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #fail(error: unknown): void {
    this.#pumping = null;
    this.#failure ??= new PartWriteError('The part could not be written.', { cause: error });
    this.#queue = [];
    this.#queued = 0;
    this.#hooks.failed(this.#failure);
  }

  async #pump(): Promise<void> {
    while (this.#startOver || this.#queued >= WRITE_SIZE || (this.#ending && this.#queued > 0)) {
      if (this.#startOver) await this.#truncateToNothing();
      if (!this.#roomChecked) await this.#hooks.ensureRoom(this.#written);
      this.#roomChecked = true;
      const chunks = this.#queue;
      this.#queue = [];
      await this.#writeAll(chunks);
      if (this.#written - this.#synced >= this.#hooks.syncEvery) this.#syncInBackground();
      if (this.#queued <= BACKLOG_LOW) this.#drain();
    }
  }

  #drain(): void {
    const resume = this.#whenDrained;
    this.#whenDrained = null;
    resume?.();
  }

  async #truncateToNothing(): Promise<void> {
    await this.#syncing;
    await this.#hooks.forget();
    await this.#hash.close();
    await this.#handle.truncate(0);
    this.#hash = new FileHash(this.#handle.fd);
    this.#written = 0;
    this.#synced = 0;
    this.#startOver = false;
  }

  async #writeAll(chunks: Buffer[]): Promise<void> {
    let rest = chunks;
    while (rest.length > 0) {
      const { bytesWritten } = await this.#handle.writev(rest, this.#written);
      this.#written += bytesWritten;
      this.#queued -= bytesWritten;
      rest = withoutFirst(rest, bytesWritten);
    }
    this.#hash.follow(this.#written);
  }

  /** Syncs in the background while more bytes arrive, so that the last sync is short. */
  #syncInBackground(): void {
    if (this.#syncing !== null) return;
    const written = this.#written;
    this.#syncing = this.#syncUpTo(written).then(
      () => {
        this.#syncing = null;
      },
      (error: unknown) => {
        this.#syncing = null;
        this.#fail(error);
      },
    );
  }

  async #syncUpTo(written: number): Promise<void> {
    await this.#handle.datasync();
    this.#synced = written;
    await this.#hooks.synced(written);
    await this.#hooks.ensureRoom(written);
  }
}

function withoutFirst(chunks: Buffer[], count: number): Buffer[] {
  let left = count;
  for (const [index, chunk] of chunks.entries()) {
    if (left < chunk.length) return [chunk.subarray(left), ...chunks.slice(index + 1)];
    left -= chunk.length;
  }
  return [];
}

async function createNew(place: Place): Promise<FileHandle | null> {
  try {
    return await createFile(place);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  const found = await look(place);
  if (found && isOwnFile(found)) return null;
  await removeFile(place);
  return createFile(place);
}
