import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFfmpeg } from '../../scripts/find-ffmpeg.ts';

/** For `describe.runIf`: without it these tests are reported as not run. */
export const ffmpeg = findFfmpeg();

const run = (options: readonly string[]): Buffer =>
  execFileSync(ffmpeg ?? '', ['-nostdin', '-v', 'error', ...options], { maxBuffer: 2 ** 30 });

/** A film of a test picture whose every frame differs, as `options` encode it. Returns its path. */
export function makeFilm(
  folder: string,
  name: string,
  options: readonly string[],
  source = 'testsrc2=s=320x180:r=24:d=2',
): string {
  const path = join(folder, name);
  run(['-f', 'lavfi', '-i', source, ...options, '-y', path]);
  return path;
}

/** Copies a film without its beginning: an edit list hides the frames from the key frame before it on. */
export function trimmed(path: string, folder: string, name: string, from: string, length: string): string {
  const copy = join(folder, name);
  run(['-ss', from, '-i', path, '-t', length, '-c', 'copy', '-y', copy]);
  return copy;
}

/** Has the edit list of an MP4 of ours end after so many ms, so that it hides what follows. Returns the path. */
export function hidingEnd(path: string, ms: number): string {
  const film = readFileSync(path);
  // Behind the name: version and flags, the count, and the length of the one edit.
  film.writeUInt32BE(ms, film.indexOf('elst') + 12);
  writeFileSync(path, film);
  return path;
}

/** Pixels of every frame as ffmpeg decodes them, one after the other. */
export function framesOf(path: string): Buffer[] {
  const size = run([
    '-i',
    path,
    '-frames:v',
    '1',
    '-vf',
    'showinfo',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-',
  ]).length;
  const all = run([
    '-i',
    path,
    '-map',
    '0:V:0',
    '-fps_mode',
    'passthrough',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-',
  ]);
  return Array.from({ length: all.length / size }, (_, at) => all.subarray(at * size, (at + 1) * size));
}

/** How alike two pictures are, dB; infinite for the same pixels. */
export function psnr(one: Buffer, other: Buffer): number {
  if (one.length !== other.length) return 0;
  const squares = one.reduce((sum, value, at) => sum + (value - (other[at] ?? 0)) ** 2, 0);
  return squares === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10(255 ** 2 / (squares / one.length));
}
