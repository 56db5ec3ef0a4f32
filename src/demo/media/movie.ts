import { drawBar, drawSprite, type Raster, rasterOf, type Rgb, rgbOf } from './pixels.ts';
import { type Maker, type OutputKey, padding, seedOf } from './output.ts';
import { paintParticles } from './particles.ts';
import { Planes } from './planes.ts';
import { type Scene, sceneOf } from './scene.ts';
import { slateGeometry, type SlateGeometry, slateSvg, takeSlate } from './slate.ts';
import { drawText, textWidth } from './text-layout.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { H264MP4Encoder } from 'h264-mp4-encoder';

export const FRAMES_PER_SECOND = 12;
const TRACK: Rgb = [58, 58, 58];
const CLOCK_INK = '#e2e2e0';

export interface FilmColours {
  readonly scene?: Partial<Scene>;
  readonly paint?: (frame: Raster, index: number) => void;
}

export const movie: Maker = {
  usualMs: 4000,
  outputType: 'video',
  format: () => ({ extension: 'mp4', contentType: 'video/mp4' }),
  render: (key) => renderMovie(key),
  renderTiny: async (key, leastBytes) => {
    const plain = await tinyMovie();
    return Buffer.concat([plain, freeBox(padding(key, leastBytes - plain.length))]);
  },
};

/**
 * An H.264 MP4 of the length that the request asks for: the scene of the prompt, filmed by a moving camera, with the
 * shot's slate and a running frame count at the edge, so that no two frames are the same.
 */
export async function renderMovie(key: OutputKey, { scene: asked, paint }: FilmColours = {}): Promise<Buffer> {
  const slate = takeSlate(key);
  const { width, height, seed } = slate;
  const geometry = slateGeometry(slate);
  const seconds = Math.max(1, key.task.wanted.seconds);
  const scene = { ...sceneOf(slate.headline, seed), ...asked };
  const planes = await Planes.of(scene, seed, { width, height });
  const front = await rasterOf(slateSvg(slate));
  const clock = await clockDigits(geometry.unit * 2.4);
  const count = seconds * FRAMES_PER_SECOND;
  const movie = await encodeMovie({
    width,
    height,
    framesPerSecond: FRAMES_PER_SECOND,
    count,
    paint: (rgba, index) => {
      const frame = { width, height, data: rgba };
      planes.paint(frame, count === 1 ? 0 : index / (count - 1));
      paintParticles(frame, scene, seed, index / FRAMES_PER_SECOND);
      paint?.(frame, index);
      drawSprite(frame, front, 0, 0);
      paintProgress(frame, geometry, (index + 1) / count);
      paintClock(frame, geometry, clock, index);
    },
  });
  stampMovie(movie, Math.floor(key.task.createdAt / 1000));
  return Buffer.concat([movie, freeBox(Buffer.from(seedOf(key)))]);
}

function paintProgress(frame: Raster, { unit, accent }: SlateGeometry, share: number): void {
  const height = Math.max(2, unit * 0.5);
  drawBar(frame, 0, frame.height - height, frame.width, height, TRACK);
  drawBar(frame, 0, frame.height - height, frame.width * share, height, rgbOf(accent));
}

/** Seconds and frames, `00:00`, at the right of the foot. */
function paintClock(frame: Raster, geometry: SlateGeometry, digits: Map<string, Raster>, index: number): void {
  const seconds = Math.floor(index / FRAMES_PER_SECOND);
  const text = `${twoDigits(seconds)}:${twoDigits(index % FRAMES_PER_SECOND)}`;
  const sprites = [...text].flatMap((character) => digits.get(character) ?? []);
  let x = Math.round(frame.width - geometry.margin - sprites.reduce((sum, sprite) => sum + sprite.width, 0));
  for (const sprite of sprites) {
    drawSprite(frame, sprite, x, Math.round(geometry.footBaseline + geometry.unit * 0.6 - sprite.height));
    x += sprite.width;
  }
}

async function clockDigits(size: number): Promise<Map<string, Raster>> {
  const sprites = new Map<string, Raster>();
  for (const character of '0123456789:') {
    const width = Math.ceil(textWidth(character, size) + size * 0.2);
    const height = Math.ceil(size * 1.4);
    const glyph = drawText(character, size * 0.1, size * 1.2, { size, colour: CLOCK_INK });
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${String(width)}" height="${String(height)}">${glyph}</svg>`;
    sprites.set(character, await rasterOf(svg));
  }
  return sprites;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

let template: Promise<Buffer> | null = null;

function tinyMovie(): Promise<Buffer> {
  template ??= encodeMovie({
    width: 64,
    height: 64,
    framesPerSecond: 12,
    count: 12,
    paint: (rgba, index) => rgba.fill(40 + index * 12),
  }).then((movie) => {
    stampMovie(movie, 0);
    return movie;
  });
  return template;
}

/** Seconds from the MP4 epoch (1904) to the Unix epoch. */
const MP4_EPOCH_OFFSET = 2_082_844_800;

const CONTAINERS = new Set(['moov', 'trak', 'mdia']);

const DATED = new Set(['mvhd', 'tkhd', 'mdhd']);

const HEADER_BYTES = 8;

/**
 * Writes one creation and modification time into every header of a movie, in place. The encoder puts the time
 * of encoding there, which would make two renders of the same take differ.
 */
function stampMovie(movie: Buffer, unixSeconds: number): void {
  stampBoxes(movie, unixSeconds + MP4_EPOCH_OFFSET);
}

function stampBoxes(boxes: Buffer, mp4Seconds: number): void {
  let at = 0;
  while (at + HEADER_BYTES <= boxes.length) {
    const size = boxes.readUInt32BE(at);
    const type = boxes.toString('latin1', at + 4, at + HEADER_BYTES);
    if (size < HEADER_BYTES) return;
    const content = boxes.subarray(at + HEADER_BYTES, at + size);
    if (CONTAINERS.has(type)) stampBoxes(content, mp4Seconds);
    if (DATED.has(type)) stampHeader(content, mp4Seconds);
    at += size;
  }
}

function stampHeader(content: Buffer, mp4Seconds: number): void {
  const isShort = content[0] === 0; // version 0: two 32-bit times after version and flags
  if (!isShort) return;
  content.writeUInt32BE(mp4Seconds, 4);
  content.writeUInt32BE(mp4Seconds, 8);
}

/** A box that players skip; allowed at the end of any movie. */
function freeBox(content: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(HEADER_BYTES + content.length, 0);
  header.write('free', 4, 'latin1');
  return Buffer.concat([header, content]);
}

interface MovieFrames {
  /** Pixels, even. */
  width: number;
  height: number;
  framesPerSecond: number;
  count: number;
  /** Paints frame `index` into RGBA bytes that still hold the frame before it. */
  paint(rgba: Uint8Array, index: number): void;
}

/** Higher is smaller and worse, 10 to 51. */
const QUANTIZATION = 26;
/** Frames between two looks at the event loop: about 10 ms of work. */
const FRAMES_PER_TURN = 2;

let moviesMade = 0;

/**
 * An MP4 with H.264 video. Every frame is a key frame, so that players can seek to any of them.
 * Encodes in this thread but lets the event loop turn every few frames.
 */
export async function encodeMovie(frames: MovieFrames): Promise<Buffer> {
  const encoder = await newEncoder();
  // All encoders share one virtual file system.
  encoder.outputFilename = `movie-${String(++moviesMade)}.mp4`;
  encoder.width = frames.width;
  encoder.height = frames.height;
  encoder.frameRate = frames.framesPerSecond;
  encoder.quantizationParameter = QUANTIZATION;
  encoder.speed = 10;
  encoder.groupOfPictures = 1;
  encoder.initialize();
  try {
    const rgba = new Uint8Array(frames.width * frames.height * 4);
    for (let index = 0; index < frames.count; index++) {
      frames.paint(rgba, index);
      encoder.addFrameRgba(rgba);
      if (index % FRAMES_PER_TURN === FRAMES_PER_TURN - 1) await nextTurn();
    }
    encoder.finalize();
    const movie = Buffer.from(encoder.FS.readFile(encoder.outputFilename));
    encoder.FS.unlink(encoder.outputFilename);
    return movie;
  } finally {
    encoder.delete();
  }
}

let encoderMaker: Promise<() => Promise<H264MP4Encoder>> | null = null;

async function newEncoder(): Promise<H264MP4Encoder> {
  encoderMaker ??= loadEncoderMaker();
  const make = await encoderMaker;
  return make();
}

const CRASH_EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Loading the encoder hooks its own handlers to the crashes of the whole process, where they would swallow the
 * stack of errors that are none of its business. They are taken off again.
 */
async function loadEncoderMaker(): Promise<() => Promise<H264MP4Encoder>> {
  const before = new Map(CRASH_EVENTS.map((event) => [event, new Set(process.rawListeners(event))]));
  const { default: encoderModule } = await import('h264-mp4-encoder');
  for (const [event, known] of before) {
    for (const listener of process.rawListeners(event)) {
      if (!known.has(listener)) process.removeListener(event, listener as () => void);
    }
  }
  return encoderModule.createH264MP4Encoder;
}
