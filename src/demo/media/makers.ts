import { crc32 } from 'node:zlib';
import type { MediaKind } from '../models.ts';
import { movie, presenter } from './movie.ts';
import { type Maker, padding, prepared, seedFor } from './output.ts';
import { paintStill } from './scenery.ts';
import { tune, voice } from './sound.ts';
import { words } from './words.ts';

const picture: Maker = {
  usualMs: 1800,
  outputType: 'image',
  format: () => ({ extension: 'png', contentType: 'image/png' }),
  render: async (key) => {
    const { wanted } = key.task;
    return withPrivateChunk(await paintStill(wanted, wanted.prompt, seedFor(key)), padding(key, 0));
  },
  renderTiny: (key, leastBytes) => {
    const plain = prepared('tiny.png');
    return Promise.resolve(withPrivateChunk(plain, padding(key, leastBytes - plain.length)));
  },
};

/** Of the end mark, before which there may be chunks that viewers skip. */
const END_BYTES = 12;

function withPrivateChunk(png: Buffer, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from('taKe'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([png.subarray(0, -END_BYTES), length, typed, sum, png.subarray(-END_BYTES)]);
}

export const MAKERS: Readonly<Record<MediaKind, Maker>> = {
  video: movie,
  image: picture,
  music: tune,
  text: words,
  speech: voice,
  presenter,
};
