import { opendir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../engine/base/errors.ts';
import type { Clock, Logger } from '../../engine/base/ports.ts';

/** After so many bytes were added the folder is measured again. */
const MEASURED_EVERY_BYTES = 16 * 1000 ** 2;
/** The share that is kept when room is made, so that not every new file has to make room. */
const LEFT = 0.9;
/** After this time, a half-written file belongs to no living process, ms. */
const ABANDONED_MS = 3_600_000;
/** More uses than these are not remembered one by one. */
const MOST_REMEMBERED = 50_000;

interface KeptFile {
  readonly path: string;
  readonly bytes: number;
  readonly usedAt: number;
}

/**
 * Keeps a folder of files that we can make again below a limit: removes first what was unused for longest. The file
 * system knows when each file was used, so the order outlives the process. Nobody waits for any of it.
 */
export class BoundedFolder {
  readonly #folder: string;
  readonly #mostBytes: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #used = new Set<string>();
  #added = 0;
  #isMeasured = false;
  #work: Promise<void> | null = null;

  /** `folder` is absolute, with one level of folders below it. */
  constructor(folder: string, mostBytes: number, clock: Clock, logger: Logger) {
    this.#folder = folder;
    this.#mostBytes = mostBytes;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** A file was read. Noted once a run: to the day is as fine as it need be. */
  used(path: string): void {
    if (this.#used.has(path)) return;
    if (this.#used.size >= MOST_REMEMBERED) this.#used.clear();
    this.#used.add(path);
    const now = new Date(this.#clock.now());
    // A file that was removed needs no note.
    void utimes(path, now, now).catch(() => undefined);
  }

  /** A file of so many bytes was written. */
  added(bytes: number): void {
    this.#added += bytes;
    if (this.#work || (this.#isMeasured && this.#added < MEASURED_EVERY_BYTES)) return;
    this.#isMeasured = true;
    this.#added = 0;
    this.#work = this.#makeRoom()
      .catch((error: unknown) => {
        this.#logger.warn('The store of small pictures could not be tidied', { reason: messageOf(error) });
      })
      .finally(() => {
        this.#work = null;
      });
  }

  /** Resolves when no room is being made. */
  async settled(): Promise<void> {
    await this.#work;
  }

  async #makeRoom(): Promise<void> {
    const files = await this.#files();
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    for (const { path } of leastUsed(files, bytes <= this.#mostBytes ? 0 : bytes - this.#mostBytes * LEFT)) {
      await rm(path, { force: true });
    }
  }

  async #files(): Promise<KeptFile[]> {
    const now = this.#clock.now();
    const found: KeptFile[] = [];
    for await (const inside of await opendir(this.#folder)) {
      if (!inside.isDirectory()) continue;
      const folder = join(this.#folder, inside.name);
      for await (const { name } of await opendir(folder)) {
        const path = join(folder, name);
        const facts = await stat(path).catch(() => null);
        if (!facts?.isFile()) continue;
        const isAbandoned = name.endsWith('.tmp') && facts.mtimeMs < now - ABANDONED_MS;
        if (isAbandoned) await rm(path, { force: true });
        else found.push({ path, bytes: facts.size, usedAt: this.#used.has(path) ? now : facts.mtimeMs });
      }
    }
    return found;
  }
}

/** The files to take away for so many bytes, those first that were not used for longest. Pure. */
function leastUsed(files: readonly KeptFile[], bytes: number): KeptFile[] {
  let room = 0;
  return files
    .toSorted((a, b) => a.usedAt - b.usedAt)
    .filter((file) => {
      if (room >= bytes) return false;
      room += file.bytes;
      return true;
    });
}
