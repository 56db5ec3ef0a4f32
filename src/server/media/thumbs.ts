import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import PQueue from 'p-queue';
import { toMessage } from '../../engine/base/errors.ts';
import { drawPicture } from '../../engine/base/pictures.ts';
import type { Clock, Logger } from '../../engine/base/ports.ts';
import type { TakeFile } from '../../engine/review/review.ts';
import { SingleFlight } from '../../engine/base/keyed-mutex.ts';
import type { ServedFile } from './served-file.ts';

export const thumbWidths = [320, 640] as const;
export type ThumbWidth = (typeof thumbWidths)[number];

/** Pictures made small at once: more would only take the processor from the window. */
const AT_ONCE = 2;
/** Pixels of a picture that is sent in: a frame of 4K and some room. */
const MAX_POSTER_PIXELS = 4096 * 4096;
/** Pixels of a picture of ours: far more than any model makes. */
const MAX_PIXELS = 16_384 * 16_384;

/** The largest picture that is read to be made small, bytes: no format of ours needs as many. */
const MAX_FILE_BYTES = 256 * 1000 ** 2;

const MAX_BYTES = 512 * 1000 ** 2;

/**
 * The hash under which the small picture of a take's file is kept. A recipe says what the content of its file is, and may
 * claim that of another project's picture, so each project has its own.
 */
export const thumbKey = ({ projectId, output }: TakeFile): string =>
  createHash('sha256').update(`${projectId}\n${output.sha256}`).digest('hex');

/**
 * Small pictures and waveforms, kept by the hash of the content they show, those of a list's local files by the hash of
 * their path and times. Everything here can be made again.
 */
export class Thumbs {
  readonly #folder: string;
  readonly #logger: Logger;
  readonly bounds: ReturnType<typeof boundedFolder>;
  readonly #making = new SingleFlight<Buffer | null>();
  readonly #drawing = new PQueue({ concurrency: AT_ONCE });

  constructor(folder: string, { clock, logger }: { clock: Clock; logger: Logger }, mostBytes = MAX_BYTES) {
    this.#folder = folder;
    this.#logger = logger;
    this.bounds = boundedFolder(folder, mostBytes, clock, logger);
  }

  kept(sha256: string, width: ThumbWidth): Promise<Buffer | null> {
    return readOrNull(this.#path(sha256, `${width}.webp`));
  }

  /** A WebP of a picture, at most `width` pixels wide; null when `open` finds no file, or one that is no picture. */
  async of(sha256: string, width: ThumbWidth, open: () => Promise<ServedFile | null>): Promise<Buffer | null> {
    const path = this.#path(sha256, `${width}.webp`);
    return this.#making.run(path, () => this.#make(path, width, open));
  }

  /** Stores a picture of a film, redrawn, so that only pixels of the sent file remain. False when it is no picture. */
  async keepPoster(sha256: string, picture: Uint8Array): Promise<boolean> {
    for (const width of thumbWidths) {
      const drawing = this.#drawing.add(() => drawnSmall(Buffer.from(picture), width, MAX_POSTER_PIXELS));
      const small = await drawing.catch(() => null);
      if (!small) return false;
      await this.#keep(this.#path(sha256, `${width}.webp`), small);
    }
    return true;
  }

  peaks(sha256: string): Promise<Buffer | null> {
    return readOrNull(this.#path(sha256, 'peaks.json'));
  }

  keepPeaks(sha256: string, peaks: readonly number[]): Promise<void> {
    // Four digits are finer than any screen.
    const text = JSON.stringify(peaks.map((peak) => Math.round(peak * 10_000) / 10_000));
    return this.#keep(this.#path(sha256, 'peaks.json'), Buffer.from(text));
  }

  async #make(path: string, width: ThumbWidth, open: () => Promise<ServedFile | null>): Promise<Buffer | null> {
    const known = await readOrNull(path);
    if (known) return known;
    try {
      const opened = await open();
      if (!opened) return null;
      // Read in its turn too: no more large files than are drawn are in memory.
      const small = await this.#drawing.add(async () => {
        try {
          // Awaited here: one that fails while the file is closed would be an unhandled rejection, which ends the process.
          return await drawnSmall(await wholeOf(opened), width, MAX_PIXELS);
        } finally {
          await opened.handle.close();
        }
      });
      await this.#keep(path, small);
      return small;
    } catch (error) {
      this.#logger.warn('A small picture could not be made', { reason: toMessage(error) });
      return null;
    }
  }

  #path(sha256: string, ending: string): string {
    // Hashes come from folders of other machines too: only a real hash becomes part of a path.
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('This is no hash.');
    return join(this.#folder, sha256.slice(0, 2), `${sha256}-${ending}`);
  }

  /** Written as a whole: a reader finds it or does not. */
  async #keep(path: string, bytes: Buffer): Promise<void> {
    const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 });
      await rename(temporary, path);
      this.bounds.added(bytes.length);
    } catch (error) {
      await rm(temporary, { force: true });
      // It is shown all the same, and made again next time.
      this.#logger.warn('A small picture could not be kept', { reason: toMessage(error) });
    }
  }
}

const readOrNull = (path: string): Promise<Buffer | null> => readFile(path).catch(() => null);

async function wholeOf({ handle, size }: ServedFile): Promise<Buffer> {
  if (size > MAX_FILE_BYTES) throw new Error(`The file is too large for a picture (${size} bytes).`);
  return handle.readFile();
}

const drawnSmall = (picture: Buffer, width: number, mostPixels: number): Promise<Buffer> =>
  drawPicture(picture, mostPixels, (drawing) =>
    drawing.rotate().resize({ width, withoutEnlargement: true }).webp({ quality: 80 }).toBuffer(),
  );

/** After so many bytes were added the folder is measured again. */
const MEASURED_EVERY_BYTES = 16 * 1000 ** 2;
/** The share that is kept when room is made, so that not every new file has to make room. */
const LEFT = 0.9;
/** After this time, a half-written file belongs to no living process, ms. */
const ABANDONED_MS = 3_600_000;

/**
 * Keeps a folder of files that we can make again below a limit: removes the oldest first. Nobody waits for any of it.
 * `folder` is absolute.
 */
function boundedFolder(folder: string, mostBytes: number, clock: Clock, logger: Logger) {
  let addedBytes = MEASURED_EVERY_BYTES;
  let work: Promise<void> | null = null;

  const makeRoom = async (): Promise<void> => {
    const now = clock.now();
    const files: { path: string; bytes: number; madeAt: number }[] = [];
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const facts = entry.isFile() ? await stat(path).catch(() => null) : null;
      if (!facts) continue;
      const isAbandoned = entry.name.endsWith('.tmp') && facts.mtimeMs < now - ABANDONED_MS;
      if (isAbandoned) await rm(path, { force: true });
      else files.push({ path, bytes: facts.size, madeAt: facts.mtimeMs });
    }
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes <= mostBytes) return;
    for (const file of files.toSorted((a, b) => a.madeAt - b.madeAt)) {
      if (bytes <= mostBytes * LEFT) return;
      await rm(file.path, { force: true });
      bytes -= file.bytes;
    }
  };

  return {
    added(bytes: number): void {
      addedBytes += bytes;
      if (work || addedBytes < MEASURED_EVERY_BYTES) return;
      addedBytes = 0;
      work = makeRoom()
        .catch((error: unknown) => {
          logger.warn('The store of small pictures could not be tidied', { reason: toMessage(error) });
        })
        .finally(() => {
          work = null;
        });
    },
    async settled(): Promise<void> {
      await work;
    },
  };
}
