import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import type { TakeFile } from '../../engine/review/review.ts';
import { messageOf } from '../../engine/errors.ts';
import type { Logger } from '../../engine/ports.ts';
import { openTakeFile } from './take-file.ts';

export const thumbWidths = [320, 640] as const;
export type ThumbWidth = (typeof thumbWidths)[number];

/** Pictures made small at once: more would only take the processor from the window. */
const AT_ONCE = 2;
/** Pixels of a picture that is sent in: a frame of 4K and some room. */
const MOST_POSTER_PIXELS = 4096 * 4096;

/** Small pictures and waveforms of takes, kept by the content they show. Everything here can be made again. */
export class Thumbs {
  readonly #folder: string;
  readonly #logger: Logger;
  readonly #making = new Map<string, Promise<Buffer | null>>();
  #free = AT_ONCE;
  readonly #waiting: (() => void)[] = [];

  /** `folder` is absolute and made when it is not there. */
  constructor(folder: string, logger: Logger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  /** A WebP at most `width` pixels wide; null for a film or a sound nobody has sent a picture of, or a broken file. */
  async thumb(file: TakeFile, width: ThumbWidth): Promise<Buffer | null> {
    const path = this.#path(file, `${width}.webp`);
    const kept = await readIfThere(path);
    if (kept || !isPicture(file)) return kept;
    const making = this.#making.get(path) ?? this.#make(file, path, width).finally(() => this.#making.delete(path));
    this.#making.set(path, making);
    return making;
  }

  /**
   * Keeps a picture of a film, drawn anew so that nothing of what was sent survives but its pixels. False when it is no
   * picture.
   */
  async keepPoster(file: TakeFile, picture: Uint8Array): Promise<boolean> {
    for (const width of thumbWidths) {
      const small = await this.#inTurn(() => drawnSmall(Buffer.from(picture), width, MOST_POSTER_PIXELS)).catch(
        () => null,
      );
      if (!small) return false;
      await this.#keep(this.#path(file, `${width}.webp`), small);
    }
    return true;
  }

  /** The waveform of a sound, as JSON; null when nobody has sent it yet. */
  peaks(file: TakeFile): Promise<Buffer | null> {
    return readIfThere(this.#path(file, 'peaks.json'));
  }

  keepPeaks(file: TakeFile, peaks: readonly number[]): Promise<void> {
    // Four digits are finer than any screen.
    const text = JSON.stringify(peaks.map((peak) => Math.round(peak * 10_000) / 10_000));
    return this.#keep(this.#path(file, 'peaks.json'), Buffer.from(text));
  }

  async #make(file: TakeFile, path: string, width: ThumbWidth): Promise<Buffer | null> {
    try {
      const opened = await openTakeFile(file);
      if (!opened) return null;
      const bytes = await opened.handle.readFile().finally(() => opened.handle.close());
      const small = await this.#inTurn(() => drawnSmall(bytes, width));
      await this.#keep(path, small);
      return small;
    } catch (error) {
      this.#logger.warn('A small picture could not be made', { file: file.output.file, reason: messageOf(error) });
      return null;
    }
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free === 0) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  #path({ output }: TakeFile, ending: string): string {
    // From the database, and from folders of other machines before: a name is made of it only if it is a hash.
    if (!/^[0-9a-f]{64}$/.test(output.sha256)) throw new Error(`"${output.sha256}" is no hash.`);
    return join(this.#folder, output.sha256.slice(0, 2), `${output.sha256}-${ending}`);
  }

  /** Written as a whole: a reader finds it or does not. */
  async #keep(path: string, bytes: Buffer): Promise<void> {
    const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 });
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      // It is shown all the same, and made again next time.
      this.#logger.warn('A small picture could not be kept', { reason: messageOf(error) });
    }
  }
}

const isPicture = ({ output }: TakeFile): boolean => ['png', 'jpg', 'webp', 'gif'].includes(output.format);

function drawnSmall(picture: Buffer, width: number, mostPixels = 268_402_689): Promise<Buffer> {
  return sharp(picture, { limitInputPixels: mostPixels })
    .rotate()
    .resize({ width, withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
}

async function readIfThere(path: string): Promise<Buffer | null> {
  return readFile(path).catch(() => null);
}
