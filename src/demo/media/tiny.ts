import type { OutputKey } from './take-slate.ts';
import { createHash } from 'node:crypto';
import { encodeMovie } from './h264.ts';
import { freeBox, stampMovie } from './mp4-boxes.ts';
import { encodeWav } from './wav.ts';
import { crc32, deflateSync } from 'node:zlib';

const IEND_BYTES = 12;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * The smallest whole files that players accept, told apart by a chunk they skip. For tests with hundreds of
 * tasks. `leastBytes` pads each file to at least that size.
 */
export async function renderTiny(key: OutputKey, leastBytes: number): Promise<Buffer> {
  const label = `${key.task.id}/${String(key.index + 1)}/${String(key.revision)} ${key.task.wanted.prompt}`;
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

type Rgb = readonly [red: number, green: number, blue: number];

/** A whole PNG of one colour. */
function flatPng(width: number, height: number, colour: Rgb): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits a channel, RGB, default compression and filter, not interlaced
  const row = Buffer.concat([
    Buffer.from([0]),
    Buffer.concat(Array.from({ length: width }, () => Buffer.from(colour))),
  ]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

/** The same picture with an ancillary chunk that viewers skip, placed before the end mark. */
function withPrivateChunk(png: Buffer, content: Buffer): Buffer {
  const end = png.length - IEND_BYTES;
  return Buffer.concat([png.subarray(0, end), chunk('taKe', content), png.subarray(end)]);
}

function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const framed = Buffer.alloc(content.length + 12);
  framed.writeUInt32BE(content.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), content.length + 8);
  return framed;
}
