import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Output, WebMOutputFormat } from 'mediabunny';
import { afterAll, describe, expect, it } from 'vitest';
import { perSecond, type Rate } from '../../../src/contract/rate.ts';
import { timingOf } from '../../../src/engine/library/film-timing.ts';
import { factsOfFile } from '../../../src/engine/library/media-facts.ts';
import { ffmpeg, framesOf, hidingEnd, makeFilm, trimmed } from '../../support/films.ts';
import { isoFilm, type FilmWanted } from '../../support/iso-films.ts';
import { png, wav } from '../downloads/samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'dailies-film-facts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
function kept(bytes: Uint8Array): string {
  const path = join(folder, `film-${String((made += 1))}`);
  writeFileSync(path, bytes);
  return path;
}

const factsOf = (wanted: FilmWanted) => factsOfFile(kept(isoFilm(wanted)));
const even = (count: number, delta: number): number[] => Array.from({ length: count }, () => delta);

/** VP8 frames at these times, s, as WebM rounds them. */
async function webm(times: readonly number[]): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format: new WebMOutputFormat(), target });
  const source = new EncodedVideoPacketSource('vp8');
  output.addVideoTrack(source);
  await output.start();
  const config = { codec: 'vp8', codedWidth: 64, codedHeight: 36 };
  for (const [index, time] of times.entries())
    await source.add(
      new EncodedPacket(new Uint8Array(64).fill(1), index % 24 === 0 ? 'key' : 'delta', time, 0.04),
      index === 0 ? { decoderConfig: config } : undefined,
    );
  await output.finalize();
  return new Uint8Array(target.buffer ?? new ArrayBuffer());
}

describe('the facts of a film', () => {
  it.each<[string, number, number, Rate]>([
    ['23.976', 24_000, 1001, { num: 24_000, den: 1001 }],
    ['24', 24, 1, { num: 24, den: 1 }],
    ['25', 12_800, 512, { num: 25, den: 1 }],
    ['29.97', 30_000, 1001, { num: 30_000, den: 1001 }],
    ['30', 600, 20, { num: 30, den: 1 }],
    ['60', 15_360, 256, { num: 60, den: 1 }],
    ['12.5', 25, 2, { num: 25, den: 2 }],
    ['14.985, which nobody rounds', 15_000, 1001, { num: 15_000, den: 1001 }],
    ['23.976 with its pause rounded', 90_000, 3754, { num: 24_000, den: 1001 }],
  ])('have its rate as a fraction: %s', async (_name, timescale, delta, rate) => {
    const facts = await factsOf({ timescale, deltas: even(96, delta) });
    expect(facts).toMatchObject({ rate, frames: 96, width: 64, height: 36 });
    expect(facts).not.toHaveProperty('isVariable');
    expect(facts.seconds).toBeCloseTo((96 * delta) / timescale, 3);
  });

  it('count frames that are decoded in another order than they are shown', async () => {
    const offsets = Array.from({ length: 96 }, (_, at) => [1, 3, 0, 0][at % 4] ?? 0).map((frames) => frames * 1001);
    expect(await factsOf({ timescale: 24_000, deltas: even(96, 1001), offsets })).toMatchObject({
      rate: { num: 24_000, den: 1001 },
      frames: 96,
    });
  });

  it('call a rate variable, with the usual one as its nominal rate', async () => {
    const deltas = Array.from({ length: 60 }, (_, at) => (at % 7 === 3 ? 2048 : 512));
    expect(await factsOf({ timescale: 12_800, deltas })).toMatchObject({
      rate: { num: 25, den: 1 },
      isVariable: true,
      frames: 60,
    });
  });

  it.each([
    ['its beginning', [{ from: 10 * 512, duration: 3440 }], 86],
    ['its end', [{ from: 0, duration: 3000 }], 75],
    ['both', [{ from: 7 * 512, duration: 1000 }], 25],
    [
      'a part between two others',
      [
        { from: 0, duration: 400 },
        { from: 50 * 512, duration: 600 },
      ],
      25,
    ],
    [
      'nothing, after a pause',
      [
        { from: -1, duration: 500 },
        { from: 0, duration: 3840 },
      ],
      96,
    ],
    ['nothing, as a stream has it', [{ from: 0, duration: 0 }], 96],
  ])('count only shown frames where an edit list hides %s', async (_what, edits, frames) => {
    const facts = await factsOf({ timescale: 12_800, deltas: even(96, 512), edits });
    expect(facts).toMatchObject({ frames, rate: { num: 25, den: 1 } });
  });

  it('have the length of what an edit list leaves', async () => {
    const edits = [{ from: 7 * 512, duration: 1000 }];
    expect((await factsOf({ timescale: 12_800, deltas: even(96, 512), edits })).seconds).toBeCloseTo(1, 3);
  });

  it.each([true, false])('have its start timecode (drop: %s)', async (isDrop) => {
    const facts = await factsOf({ timescale: 30_000, deltas: even(60, 1001), timecode: { frame: 107_892, isDrop } });
    expect(facts.timecode).toEqual({ frame: 107_892, ...(isDrop && { drop: true }) });
  });

  it.each<[string, Rate]>([
    ['23.976', { num: 24_000, den: 1001 }],
    ['24', { num: 24, den: 1 }],
    ['29.97', { num: 30_000, den: 1001 }],
    ['60', { num: 60, den: 1 }],
  ])('are measured where times are rounded to ms: %s', async (_name, rate) => {
    const times = Array.from({ length: 72 }, (_, at) => at / perSecond(rate));
    const facts = await factsOfFile(kept(await webm(times)));
    expect(facts).toMatchObject({ rate, frames: 72, width: 64, height: 36 });
    expect(facts).not.toHaveProperty('isVariable');
  });

  it('have no frames for a sound or a still', async () => {
    expect(await factsOfFile(kept(wav()))).toMatchObject({ channels: 1, sampleRate: 8000 });
    expect(await factsOfFile(kept(wav()))).not.toHaveProperty('rate');
    expect(await factsOfFile(kept(await png()))).toEqual({ contentType: 'image/png', width: 8, height: 6 });
  });
});

describe('the pace of frames', () => {
  const rates = fc.constantFrom<Rate>(
    { num: 24_000, den: 1001 },
    ...[24, 25, 30, 50, 60].map((num) => ({ num, den: 1 })),
    { num: 30_000, den: 1001 },
    { num: 60_000, den: 1001 },
  );

  it('is found again from times in the ticks of any container', () => {
    fc.assert(
      fc.property(
        rates,
        fc.constantFrom(1000, 90_000, 12_800, 48_000),
        fc.integer({ min: 60, max: 400 }),
        (rate, resolution, count) => {
          const ticks = Array.from({ length: count }, (_, at) => Math.round((at * resolution * rate.den) / rate.num));
          expect(timingOf(ticks, resolution)).toEqual({ rate });
        },
      ),
    );
  });

  it('is none without two frames, and never one that is no rate', () => {
    expect(timingOf([], 1000)).toEqual({});
    expect(timingOf([5], 1000)).toEqual({});
    expect(timingOf([5, 5], 1000)).toEqual({});
    const ticks = fc
      .array(fc.nat(1_000_000), { minLength: 2, maxLength: 50 })
      .map((all) => all.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(ticks, fc.integer({ min: 1, max: 1_000_000 }), (times, resolution) => {
        const { rate } = timingOf(times, resolution);
        if (rate) expect(Number.isInteger(rate.num) && rate.num > 0 && rate.den > 0).toBe(true);
      }),
    );
  });
});

describe.runIf(ffmpeg !== null)('the frames of films that ffmpeg made', () => {
  const B_FRAMES = ['-c:v', 'libx264', '-bf', '3', '-g', '24', '-pix_fmt', 'yuv420p'];

  it('are as many as ffmpeg shows where an edit list hides either end', async () => {
    const begun = trimmed(makeFilm(folder, 'whole.mp4', B_FRAMES), folder, 'begun.mp4', '0.7', '0.9');
    expect((await factsOfFile(begun)).frames).toBe(framesOf(begun).length);
    const ended = hidingEnd(makeFilm(folder, 'ended.mp4', B_FRAMES), 900);
    expect(framesOf(ended)).toHaveLength(22);
    expect(await factsOfFile(ended)).toMatchObject({ frames: 22, rate: { num: 24, den: 1 } });
    const both = hidingEnd(trimmed(makeFilm(folder, 'w.mp4', B_FRAMES), folder, 'both.mp4', '0.7', '0.9'), 500);
    expect((await factsOfFile(both)).frames).toBe(framesOf(both).length);
  });

  it('have their timecode and sound', async () => {
    const sound = ['-f', 'lavfi', '-i', 'sine=r=48000:d=2', '-ac', '2', '-c:a', 'aac', '-map', '0', '-map', '1'];
    const path = makeFilm(folder, 'sound.mov', [...sound, ...B_FRAMES, '-timecode', '01:00:00:00']);
    expect(await factsOfFile(path)).toMatchObject({ timecode: { frame: 86_400 }, channels: 2, sampleRate: 48_000 });
  });
});
