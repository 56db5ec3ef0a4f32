import { setImmediate as nextTurn } from 'node:timers/promises';
import type { H264MP4Encoder } from 'h264-mp4-encoder';
import sharp from 'sharp';
import type { MediaRequest } from '../task-store.ts';
import { type Maker, oneOf, type OutputKey, padding, seedFor, prepared } from './output.ts';
import { layOver, loadScenery, paintScenery, rasterFor } from './scenery.ts';
import { type Scene, sceneFor } from './scene.ts';
import { slateSvg, takeSlate } from './slate.ts';
import { voice } from './sound.ts';

const FRAMES_PER_SECOND = 12;

export const movie: Maker = {
  usualMs: 4000,
  outputType: 'video',
  format: () => ({ extension: 'mp4', contentType: 'video/mp4' }),
  render: (key) => renderMovie(key),
  renderTiny: (key, leastBytes) => {
    const plain = prepared('tiny.mp4');
    return Promise.resolve(Buffer.concat([plain, freeBox(padding(key, leastBytes - plain.length))]));
  },
};

const PERSONS = 4;
const MOUTHS = ['closed', 'half', 'open', 'half'];
const makerFor = ({ width }: MediaRequest): Maker => (width === 0 ? voice : movie);

/** A drawn person who talks in front of lights out of focus; the voice alone where no picture was asked for. */
export const presenter: Maker = {
  ...movie,
  usualMs: 5000,
  format: (wanted) => makerFor(wanted).format(wanted),
  renderTiny: (key, leastBytes) => makerFor(key.task.wanted).renderTiny(key, leastBytes),
  render: (key) => {
    if (makerFor(key.task.wanted) === voice) return voice.render(key);
    const person = `person-${String(oneOf(PERSONS, seedFor(key)))}`;
    const lights: Partial<Scene> = { place: 'close', time: 'night', variant: 1, move: 'still' };
    return renderMovie(key, { scene: lights, fronts: MOUTHS.map((mouth) => `${person}-${mouth}`) });
  },
};

/** An H.264 MP4 of the asked length: the prompt's scene, filmed by a moving camera, with the shot's slate. */
async function renderMovie(key: OutputKey, asked: { scene?: Partial<Scene>; fronts?: string[] } = {}): Promise<Buffer> {
  const slate = takeSlate(key);
  const { width, height, seed } = slate;
  const scenery = await loadScenery({ ...sceneFor(slate.headline, seed), ...asked.scene }, seed, slate, asked.fronts);
  const words = await rasterFor(sharp(Buffer.from(slateSvg(slate))));
  const count = Math.max(1, key.task.wanted.seconds) * FRAMES_PER_SECOND;
  const film = await encodeMovie({
    width,
    height,
    framesPerSecond: FRAMES_PER_SECOND,
    count,
    paint: (data, index) => {
      const frame = { width, height, data };
      paintScenery(frame, scenery, index / (count - 1), Math.floor(index / 2));
      layOver(frame, words);
    },
  });
  stampMovie(film, Math.floor(key.task.createdAt / 1000));
  return Buffer.concat([film, freeBox(Buffer.from(seedFor(key)))]);
}

/** Seconds from the MP4 epoch (1904) to the Unix epoch. */
const MP4_EPOCH_OFFSET = 2_082_844_800;

/** Writes one time into every header of a movie, in place: that of encoding would make two renders differ. */
function stampMovie(film: Buffer, unixSeconds: number): void {
  for (const header of ['mvhd', 'tkhd', 'mdhd']) {
    // Behind the name, its version and its flags.
    const at = film.indexOf(header, film.lastIndexOf('moov')) + 8;
    film.writeUInt32BE(unixSeconds + MP4_EPOCH_OFFSET, at);
    film.writeUInt32BE(unixSeconds + MP4_EPOCH_OFFSET, at + 4);
  }
}

/** A box that players skip; allowed at the end of any movie. */
function freeBox(content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(header.length + content.length, 0);
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

/** An MP4 with H.264, each frame a key frame to seek to. Encodes in this thread, giving way every few frames. */
export async function encodeMovie(frames: MovieFrames): Promise<Buffer> {
  encoderMaker ??= loadEncoderMaker();
  const encoder = await (await encoderMaker)();
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

const CRASH_EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/** Loading the encoder hooks handlers to the process's crashes, which would swallow stacks: they are taken off. */
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
