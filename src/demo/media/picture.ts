import { crc32, deflateSync } from 'node:zlib';
import { padding, type Maker } from './output.ts';
import { takeSlate } from './slate.ts';
import { stillOf } from './still.ts';

/** A PNG in the size that was asked for. */
export const picture: Maker = {
  usualMs: 1800,
  outputType: 'image',
  format: () => ({ extension: 'png', contentType: 'image/png' }),
  render: (key) => stillOf(takeSlate(key)),
  renderTiny: (key, leastBytes) =>
    Promise.resolve(withPrivateChunk(TINY_PICTURE, padding(key, leastBytes - TINY_PICTURE.length))),
};

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const IEND_BYTES = 12;
const TINY_PICTURE = flatPng(16, 16, [38, 42, 48]);

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
