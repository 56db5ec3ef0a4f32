import { crc32 } from 'node:zlib';
import type { MediaKind } from '../models.ts';
import { movie, presenter } from './movie.ts';
import { type Maker, padding } from './output.ts';
import { prepared } from './prepared.ts';
import { stillOf } from './scenery.ts';
import { takeSlate } from './slate.ts';
import { tune, voice } from './sound.ts';
import { words } from './words.ts';

const picture: Maker = {
  usualMs: 1800,
  outputType: 'image',
  format: () => ({ extension: 'png', contentType: 'image/png' }),
  render: (key) => stillOf(takeSlate(key)),
  renderTiny: (key, leastBytes) => {
    const plain = prepared('tiny.png');
    return Promise.resolve(withPrivateChunk(plain, padding(key, leastBytes - plain.length)));
  },
};

const IEND_BYTES = 12;

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

export const MAKERS: Readonly<Record<MediaKind, Maker>> = {
  video: movie,
  image: picture,
  music: tune,
  text: words,
  speech: voice,
  presenter,
};
