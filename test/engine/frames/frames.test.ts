import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sayText } from '../../../src/contract/messages/words.ts';
import type { Output } from '../../../src/contract/take.ts';
import { findFfmpeg } from '../../../src/engine/files/existing-paths.ts';
import { type FrameMade, Frames, numberIn } from '../../../src/engine/library/frames.ts';
import { frameByMarks, readFrame } from '../../../src/engine/kinds/shot-reference.ts';
import { ffmpeg, framesOf, makeFilm, psnr, trimmed } from '../../support/films.ts';
import { scratchFolder } from '../../support/scratch.ts';

let folder: string;
let stop: AbortController;

beforeEach(() => {
  folder = scratchFolder('frames-');
  mkdirSync(join(folder, '.dailies'));
  stop = new AbortController();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

function outputOf(file: string, format: Output['format'] = 'mp4'): Output {
  const content = readFileSync(join(folder, file));
  return { number: 1, file, bytes: content.length, sha256: sha256(content), format, verified: true };
}

const framesWith = (program: string | null): Frames => new Frames(() => program, stop.signal);

const frame = (text: string, output: Output, frames = framesWith(ffmpeg)): Promise<FrameMade> => {
  const wanted = readFrame(text);
  if (!wanted) throw new Error(`${text} is no frame`);
  return frames.frameOf(folder, output, frameByMarks(wanted, {}));
};

const kept = (): string[] => {
  const own = join(folder, '.dailies', 'frames');
  return existsSync(own) ? readdirSync(own).sort() : [];
};

async function pixelsOf(made: FrameMade, { sha256: film }: Output): Promise<Buffer> {
  if (made.type !== 'found') throw new Error(`no frame: ${JSON.stringify(made)}`);
  const picture = readFileSync(join(folder, '.dailies', 'frames', `${film}-${String(made.number)}.png`));
  expect(sha256(picture)).toBe(made.sha256);
  return sharp(picture).raw().toBuffer();
}

const B_FRAMES = ['-c:v', 'libx264', '-bf', '3', '-g', '24', '-pix_fmt', 'yuv420p'];

describe.runIf(ffmpeg !== null)('a frame of a film, by ffmpeg', () => {
  it.each([
    ['with frames that are predicted from later ones', () => makeFilm(folder, 'film.mp4', B_FRAMES)],
    [
      'with an edit list that hides its beginning and its end',
      () => trimmed(makeFilm(folder, 'whole.mp4', B_FRAMES), folder, 'film.mp4', '0.7', '0.9'),
    ],
    [
      'of a variable rate @night',
      () => makeFilm(folder, 'film.mp4', [...B_FRAMES, '-vf', 'select=not(eq(mod(n\\,3)\\,1))', '-fps_mode', 'vfr']),
    ],
    [
      'as VP9 in WebM @night',
      () => makeFilm(folder, 'film.webm', ['-c:v', 'libvpx-vp9', '-b:v', '1M', '-cpu-used', '8']),
    ],
    [
      'of ten bits @night',
      () =>
        makeFilm(folder, 'film.mp4', ['-c:v', 'libx265', '-x265-params', 'log-level=none', '-pix_fmt', 'yuv420p10le']),
    ],
  ])('%s: the last one exactly, and each other one', async (_what, make) => {
    const path = make();
    const all = framesOf(path);
    const output = outputOf(path.slice(folder.length + 1), path.endsWith('webm') ? 'webm' : 'mp4');
    const wanted: [string, number][] = [
      ...(['first', '0f', 'in', '0s'] as const).map((text): [string, number] => [text, 0]),
      ...(['last', 'out'] as const).map((text): [string, number] => [text, all.length - 1]),
      ['7f', 7],
    ];
    for (const [text, number] of wanted) {
      const made = await frame(text, output);
      expect(made).toMatchObject({ type: 'found', number, isDark: false });
      const found = psnr(await pixelsOf(made, output), all[number] ?? Buffer.alloc(0));
      if (text === 'last') expect(found).toBe(Number.POSITIVE_INFINITY);
      else expect(found).toBeGreaterThanOrEqual(40);
    }
    expect(await frame(`${String(all.length)}f`, output)).toEqual({ type: 'none' });
    expect(await frame('99s', output)).toEqual({ type: 'none' });
    expect(kept()).toEqual([0, all.length - 1, 7].map((number) => `${output.sha256}-${String(number)}.png`).sort());
  });

  it('is extracted once, also for many at once, and found without ffmpeg from then on', async () => {
    const output = outputOf(makeFilm(folder, 'film.mp4', B_FRAMES).slice(folder.length + 1));
    const counted = join(folder, 'counted');
    writeFileSync(counted, `#!/bin/sh\necho x >> ${folder}/runs\nexec ${ffmpeg ?? ''} "$@"\n`);
    chmodSync(counted, 0o755);
    const frames = framesWith(counted);
    const made = await Promise.all(Array.from({ length: 20 }, () => frame('last', output, frames)));
    expect(new Set(made.map((each) => JSON.stringify(each))).size).toBe(1);
    await frame('last', output, frames);
    // One to count, one to extract.
    expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('x\nx\n');
    expect(await frame('47f', output, framesWith(null))).toEqual(made[0]);
    expect(await frame('46f', output, framesWith(null))).toEqual({ type: 'no_decoder' });
  });

  it('is the one that is shown at a second', async () => {
    const output = outputOf(makeFilm(folder, 'film.mp4', B_FRAMES).slice(folder.length + 1));
    for (const [text, number] of [
      ['0.5s', 12],
      ['0.49s', 11],
      ['1.999s', 47],
      ['2s', 47],
      ['2.01s', null],
    ] as const)
      expect(await frame(text, output)).toMatchObject(number === null ? { type: 'none' } : { number });
  });

  it('that is nearly black is told', async () => {
    const fade = ['-vf', 'fade=t=out:st=1:d=0.9', ...B_FRAMES];
    const output = outputOf(makeFilm(folder, 'film.mp4', fade).slice(folder.length + 1));
    expect(await frame('last', output)).toMatchObject({ type: 'found', isDark: true });
    expect(await frame('first', output)).toMatchObject({ type: 'found', isDark: false });
  });

  it('of a film that was changed, is damaged or gone is told, and nothing is kept', async () => {
    const output = outputOf(makeFilm(folder, 'film.mp4', B_FRAMES).slice(folder.length + 1));
    const reason = async (of: Output): Promise<string> => {
      const made = await frame('last', of);
      return made.type === 'unread' ? sayText(made.reason) : made.type;
    };
    expect(await reason({ ...output, sha256: 'a'.repeat(64) })).toBe(
      'The file film.mp4 was changed since it was chosen.',
    );
    expect(await reason({ ...output, file: 'gone.mp4' })).toContain('ENOENT');
    expect(await reason({ ...output, sha256: '../../x' })).toMatch(/hash|changed/);
    writeFileSync(join(folder, 'film.mp4'), readFileSync(join(folder, 'film.mp4')).subarray(0, 3000));
    expect(await reason(outputOf('film.mp4'))).toMatch(/\S/);
    expect(kept()).toEqual([]);
  });

  it('is read from no other file than the film, and written through no link', async () => {
    const secret = makeFilm(folder, 'secret.mp4', B_FRAMES);
    writeFileSync(join(folder, 'list.mp4'), `ffconcat version 1.0\nfile '${secret}'\n`);
    expect((await frame('last', outputOf('list.mp4'))).type).toBe('unread');
    writeFileSync(join(folder, 'list.m3u8'), `#EXTM3U\n#EXTINF:2,\n${secret}\n#EXT-X-ENDLIST\n`);
    copyFileSync(join(folder, 'list.m3u8'), join(folder, 'list.mp4'));
    expect((await frame('last', outputOf('list.mp4'))).type).toBe('unread');
    symlinkSync(secret, join(folder, 'link.mp4'));
    expect((await frame('last', { ...outputOf('secret.mp4'), file: 'link.mp4' })).type).toBe('unread');
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(folder, '.dailies', 'frames'));
    expect((await frame('last', outputOf('secret.mp4'))).type).toBe('unread');
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(join(folder, '.dailies', 'frames'));
    mkdirSync(join(folder, '.dailies', 'frames'));
    const output = outputOf('secret.mp4');
    symlinkSync(join(folder, 'target'), join(folder, '.dailies', 'frames', `${output.sha256}-5.png`));
    expect((await frame('5f', output)).type).toBe('unread');
    expect(existsSync(join(folder, 'target'))).toBe(false);
  });

  it('ends with the engine', async () => {
    writeFileSync(join(folder, 'slow'), '#!/bin/sh\nexec sleep 600\n');
    chmodSync(join(folder, 'slow'), 0o755);
    const output = outputOf(makeFilm(folder, 'film.mp4', B_FRAMES).slice(folder.length + 1));
    const asked = frame('last', output, framesWith(join(folder, 'slow')));
    stop.abort(new Error('stopped'));
    await expect(asked).rejects.toThrow('stopped');
    expect(kept()).toEqual([]);
  });
});

it('is found on the PATH, in whole folders alone', () => {
  for (const name of ['tools', 'other']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'tools', 'ffmpeg'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(folder, 'other', 'ffmpeg'), 'not a program');
  expect(findFfmpeg({ PATH: `other:.:${folder}/other:${folder}/tools` })).toBe(join(folder, 'tools', 'ffmpeg'));
  expect(findFfmpeg({ PATH: `tools:${folder}/other` })).toBeNull();
  expect(findFfmpeg({})).toBeNull();
});

it('is counted in the frames that are shown', () => {
  const frames = [0, 0.04, 0.08].map((second, number) => ({ number, second }));
  const at = (second: number) => numberIn(frames, { at: 'second', second });
  expect([0, 0.0399, 0.04, 0.119, 0.13].map(at)).toEqual([0, 1, 1, 2, null]);
  expect(numberIn([], { at: 'last' })).toBeNull();
});
