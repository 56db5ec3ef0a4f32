import { setImmediate as nextTurn } from 'node:timers/promises';
import type { H264MP4Encoder } from 'h264-mp4-encoder';

export interface MovieFrames {
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
