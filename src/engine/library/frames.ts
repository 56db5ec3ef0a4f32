import { spawn } from 'node:child_process';
import PQueue from 'p-queue';
import type { OutputFormat } from '../../contract/formats.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import type { Output } from '../../contract/take.ts';
import { ErrorWithText, systemCode, toText } from '../base/errors.ts';
import { sha256OfFile } from '../base/file-hash.ts';
import { SingleFlight } from '../base/keyed-mutex.ts';
import { drawPicture } from '../base/pictures.ts';
import { below, placeIn, toPath, type Place } from '../files/place.ts';
import { ownFolders } from '../files/project-folder.ts';
import { makeFolder, type OpenFile, openFile, readFile, replaceFile } from '../files/project-files.ts';
import { frameName, type FilmFrame } from '../kinds/shot-reference.ts';

/*
 * A frame of a film as a PNG, extracted once and kept in the project under the hash of the film. The film is a file from
 * elsewhere, so ffmpeg gets the open file and not its path, opens nothing else, and ends when it takes too long.
 */

export type FrameMade =
  | {
      readonly type: 'found';
      readonly number: number;
      readonly sha256: string;
      readonly bytes: number;
      readonly isDark: boolean;
    }
  | { readonly type: 'no_decoder' }
  /** The film has no such frame. */
  | { readonly type: 'none' }
  | { readonly type: 'unread'; readonly reason: Text };

const MAX_FRAME_BYTES = 256 * 1000 ** 2;
const MAX_PIXELS = 8192 * 8192;
const MAX_MS = 120_000;
/** Frames listed: an hour at 60 a second. */
const MAX_LISTED_BYTES = 16 * 1000 ** 2;
const MAX_KNOWN = 10_000;

/** How ffmpeg reads each format: named, so that no content has it read a list of other files. */
const DEMUXERS: Partial<Readonly<Record<OutputFormat, string>>> = {
  ...{ mp4: 'mov', webm: 'matroska', mkv: 'matroska', avi: 'avi', mpg: 'mpeg', mts: 'mpegts', wmv: 'asf' },
};

/** Throws for what is no hash: one may come from a recipe of elsewhere. */
export function framePlace(project: string, sha256: string, number: number): Place {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('This is no hash.');
  return below(ownFolders(project).frames, `${sha256}-${number}.png`);
}

interface Film extends Pick<Output, 'file' | 'sha256' | 'format'> {
  /** Folder of its project. */
  readonly project: string;
}

export class Frames {
  readonly #ffmpeg: () => string | null;
  readonly #stopping: AbortSignal;
  readonly #making = new SingleFlight<FrameMade>();
  readonly #turns = new PQueue({ concurrency: 1 });
  /** Which number `last` and a second are, by film. */
  readonly #numbers = new Map<string, number>();

  constructor(ffmpeg: (() => string | null) | undefined, stopping: AbortSignal) {
    this.#ffmpeg = ffmpeg ?? (() => null);
    this.#stopping = stopping;
  }

  get canDecode(): boolean {
    return this.#ffmpeg() !== null;
  }

  /**
   * A frame of an output, from the project if it was extracted before. Never rejects for what the film contains.
   * `mayMake`: false where nothing may be written.
   */
  async frameOf(project: string, output: Output, frame: FilmFrame, mayMake = true): Promise<FrameMade> {
    const film = { project, ...output };
    const known = this.#numberOf(film, frame);
    const kept = known === null ? null : await this.#kept(film, known);
    if (kept) return kept;
    const ffmpeg = mayMake ? this.#ffmpeg() : null;
    if (ffmpeg === null) return { type: 'no_decoder' };
    return this.#making.run(keyOf(film, frame), () => this.#make(ffmpeg, film, frame));
  }

  /**
   * Keeps a frame that a window has read, drawn again, so that only its pixels remain. `number` is what the window counted.
   * False for what is no picture.
   */
  async give(project: string, output: Output, frame: FilmFrame, number: number, picture: Buffer): Promise<boolean> {
    const film = { project, ...output };
    if ((this.#numberOf(film, frame) ?? number) !== number) return false;
    if ((await this.#kept(film, number)) === null) {
      const drawn = await drawPicture(picture, MAX_PIXELS, (each) => each.removeAlpha().png().toBuffer()).catch(
        () => null,
      );
      if (!drawn) return false;
      await makeFolder(ownFolders(project).frames);
      await replaceFile(framePlace(project, output.sha256, number), drawn);
    }
    this.#remember(film, frame, number);
    return true;
  }

  #remember(film: Film, frame: FilmFrame, number: number): void {
    if (this.#numbers.size >= MAX_KNOWN) this.#numbers.clear();
    this.#numbers.set(keyOf(film, frame), number);
  }

  #numberOf(film: Film, frame: FilmFrame): number | null {
    if (frame.at === 'first') return 0;
    return frame.at === 'frame' ? frame.number : (this.#numbers.get(keyOf(film, frame)) ?? null);
  }

  async #kept(film: Film, number: number): Promise<FrameMade | null> {
    try {
      const place = framePlace(film.project, film.sha256, number);
      const file = await openFile(place, 'read');
      try {
        const sha256 = await sha256OfFile(file.handle.fd, file.bytes, this.#stopping);
        return { type: 'found', number, sha256, bytes: file.bytes, isDark: await isDark(place) };
      } finally {
        await file.handle.close();
      }
    } catch (error) {
      this.#stopping.throwIfAborted();
      if (systemCode(error) === 'ENOENT') return null;
      return { type: 'unread', reason: toText(error) };
    }
  }

  async #make(ffmpeg: string, film: Film, frame: FilmFrame): Promise<FrameMade> {
    try {
      return await this.#turns.add(() => this.#extract(ffmpeg, film, frame));
    } catch (error) {
      this.#stopping.throwIfAborted();
      return { type: 'unread', reason: toText(error) };
    }
  }

  async #extract(ffmpeg: string, film: Film, frame: FilmFrame): Promise<FrameMade> {
    const { project, sha256 } = film;
    const demuxer = DEMUXERS[film.format];
    if (demuxer === undefined) return { type: 'none' };
    const place = placeIn(project, film.file);
    const file = await openFile(place, 'read');
    try {
      if ((await sha256OfFile(file.handle.fd, file.bytes, this.#stopping)) !== sha256)
        throw new ErrorWithText(messageFor('failure.fileOtherContent', { file: film.file }));
      const run = (output: readonly string[], mostBytes: number) =>
        runFfmpeg(ffmpeg, [...inputOf(place, demuxer), ...output], file, mostBytes, this.#stopping);
      let number = this.#numberOf(film, frame);
      if (number === null) {
        number = numberIn(await listed(run(LIST, MAX_LISTED_BYTES)), frame);
        if (number === null) return { type: 'none' };
        this.#remember(film, frame, number);
      }
      await makeFolder(ownFolders(project).frames);
      try {
        await replaceFile(framePlace(project, sha256, number), notEmpty(run(oneFrame(number), MAX_FRAME_BYTES)));
      } catch (error) {
        if (error instanceof NoFrameError) return { type: 'none' };
        throw error;
      }
      const made = await this.#kept(film, number);
      return made ?? { type: 'none' };
    } finally {
      await file.handle.close();
    }
  }
}

const keyOf = ({ sha256 }: Film, frame: FilmFrame): string => `${sha256}#${frameName(frame)}`;

/** The child has the film as its file 3. */
const inputOf = (place: Place, demuxer: string): string[] => {
  const paths: Partial<Record<NodeJS.Platform, string>> = { linux: '/proc/self/fd/3', darwin: '/dev/fd/3' };
  const path = paths[process.platform] ?? toPath(place);
  const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-threads', '2', '-max_alloc', String(2 ** 29)];
  return [...quiet, '-protocol_whitelist', 'file', '-f', demuxer, '-i', `file:${path}`, '-map', '0:V:0'];
};

/** Prints number and time of each frame. The filter prints frames that have any metadata. */
const LIST = ['-vf', 'metadata=mode=add:key=f:value=1,metadata=mode=print:file=-', '-f', 'null', '-'];

/** At time 0, so that nothing is put before it. */
const oneFrame = (number: number): string[] => [
  ...['-vf', `select=eq(n\\,${number}),setpts=0`, '-frames:v', '1', '-pix_fmt', 'rgb24'],
  ...['-c:v', 'png', '-f', 'image2pipe', '-'],
];

interface ListedFrame {
  readonly number: number;
  readonly second: number;
}

async function listed(output: AsyncIterable<Buffer>): Promise<ListedFrame[]> {
  const pieces: Buffer[] = [];
  for await (const piece of output) pieces.push(piece);
  const lines = Buffer.concat(pieces).toString('latin1').split('\n');
  return lines.flatMap((line) => {
    const [, number, second] = /^frame:(\d+)\s+pts:\S+\s+pts_time:(\S+)/.exec(line) ?? [];
    return number === undefined ? [] : [{ number: Number(number), second: Number(second) }];
  });
}

/** Times are rounded to the container's unit. */
const ROUNDED = 0.0005;

/** The frame that is shown: so long after the first one, the last that began by then. Null after the end. Pure. */
export function numberIn(frames: readonly ListedFrame[], frame: FilmFrame): number | null {
  const last = frames.at(-1);
  if (!last) return null;
  if (frame.at !== 'second') return last.number;
  const wanted = (frames[0]?.second ?? 0) + frame.second + ROUNDED;
  const length = last.second - (frames.at(-2)?.second ?? last.second);
  if (wanted >= last.second + length + 2 * ROUNDED) return null;
  return frames.findLast(({ second }) => second <= wanted)?.number ?? null;
}

class NoFrameError extends Error {}

async function* notEmpty(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isEmpty = true;
  for await (const piece of pieces) {
    isEmpty = false;
    yield piece;
  }
  if (isEmpty) throw new NoFrameError();
}

const MAX_TOLD = 300;
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TMPDIR', 'TEMP'];

/** What ffmpeg writes, piece by piece. Throws when it fails, takes too long, or writes more than `mostBytes`. */
async function* runFfmpeg(
  program: string,
  options: readonly string[],
  { handle }: OpenFile,
  mostBytes: number,
  stopping: AbortSignal,
): AsyncGenerator<Buffer> {
  const env = Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'pipe', handle.fd], env, windowsHide: true });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // Awaited below, or the reading failed before.
  ended.catch(() => undefined);
  const limit = AbortSignal.any([stopping, AbortSignal.timeout(MAX_MS)]);
  const kill = (): void => void child.kill('SIGKILL');
  limit.addEventListener('abort', kill, { once: true });
  if (limit.aborted) kill();
  let told = '';
  child.stderr?.on('data', (piece: Buffer) => (told = (told + piece.toString('utf8')).slice(-MAX_TOLD)));
  try {
    let bytes = 0;
    for await (const piece of child.stdout as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > mostBytes) throw new ErrorWithText(messageFor('failure.fileFarTooLarge'));
      yield piece;
    }
    const code = await ended;
    limit.throwIfAborted();
    if (code !== 0) throw new Error(lastLine(told) || `ffmpeg ended with ${String(code)}`);
  } finally {
    limit.removeEventListener('abort', kill);
    kill();
  }
}

const lastLine = (text: string): string =>
  text
    .replace(/[^\P{Cc}\n]/gu, ' ')
    .trim()
    .split('\n')
    .at(-1) ?? '';

/** Of 255: video black is 16, and a fade in begins a little above. */
const DARK = 24;
const DARK_SHARE = 0.98;
const SAMPLED = 64;

/** Whether nearly all of a picture is black. False for one that cannot be read. */
async function isDark(place: Place): Promise<boolean> {
  try {
    const picture = await readFile(place, MAX_FRAME_BYTES);
    const shades = await drawPicture(picture, MAX_PIXELS, (drawing) =>
      drawing.resize(SAMPLED, SAMPLED, { fit: 'fill' }).greyscale().raw().toBuffer(),
    );
    return shades.filter((shade) => shade < DARK).length >= shades.length * DARK_SHARE;
  } catch {
    return false;
  }
}
