import { createHash } from 'node:crypto';
import { encodeMovie } from './h264.ts';
import type { OutputKey } from './media-library.ts';
import { freeBox, stampMovie } from './mp4-boxes.ts';
import { flatPng, withPrivateChunk } from './png-chunks.ts';
import { encodeWav } from './wav.ts';

/**
 * The smallest whole files that players accept, told apart by a chunk they skip. For tests with hundreds of
 * tasks. `leastBytes` pads each file to at least that size.
 */
export async function renderTiny(key: OutputKey, leastBytes: number): Promise<Buffer> {
  const label = `${key.task.id}/${String(key.index + 1)}/${String(key.revision)} ${key.task.wish.prompt}`;
  switch (key.task.kind) {
    case 'video': {
      const movie = await tinyMovie();
      return Buffer.concat([movie, freeBox(padding(label, leastBytes - movie.length))]);
    }
    case 'image':
      return withPrivateChunk(TINY_PICTURE, padding(label, leastBytes - TINY_PICTURE.length));
    case 'music':
      return encodeWav(TINY_SOUND, padding(label, leastBytes - TINY_SOUND.channels.length * TINY_SAMPLES * 2));
  }
}

const TINY_SAMPLES = 800;
const TINY_PICTURE = flatPng(16, 16, [38, 42, 48]);
const TINY_SOUND = {
  samplesPerSecond: 8000,
  channels: [Float32Array.from({ length: TINY_SAMPLES }, (_, index) => 0.3 * Math.sin(index / 3))],
};

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

/** The label, then bytes that differ for every label, so that no part of two files is alike. */
function padding(label: string, bytes: number): Buffer {
  const text = Buffer.from(label);
  if (bytes <= text.length) return text;
  const filled = Buffer.alloc(bytes);
  const block = createHash('sha512').update(label).digest();
  for (let at = 0; at < bytes; at += block.length) {
    block.writeUInt32LE(at >>> 0, 0); // no two blocks of one file are alike either
    block.copy(filled, at);
  }
  text.copy(filled);
  return filled;
}
