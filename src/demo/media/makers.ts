import type { MediaKind } from '../models.ts';
import { movie, FRAMES_PER_SECOND, renderMovie } from './movie.ts';
import { type Maker, seededRandom, seedOf, padding } from './output.ts';
import { voice } from './speech.ts';
import { tune } from './tune.ts';
import { words } from './words.ts';
import type { MediaRequest } from '../task-store.ts';
import { drawBar, drawDisc, type Raster, type Rgb } from './pixels.ts';
import { crc32 } from 'node:zlib';
import { takeSlate } from './slate.ts';
import { stillOf } from './still.ts';

export const picture: Maker = {
  usualMs: 1800,
  outputType: 'image',
  format: () => ({ extension: 'png', contentType: 'image/png' }),
  render: (key) => stillOf(takeSlate(key)),
  renderTiny: (key, leastBytes) =>
    Promise.resolve(withPrivateChunk(TINY_PICTURE, padding(key, leastBytes - TINY_PICTURE.length))),
};

const IEND_BYTES = 12;
/** A grey picture of 16 x 16 pixels. */
const TINY_PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR4nGNQ0zIgCTGMahjVMHw1AAAEjIABwyyY7AAAAABJRU5ErkJggg==',
  'base64',
);

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

const isVoice = ({ width }: MediaRequest): boolean => width === 0;

const INK: Rgb = [36, 28, 30];
const LIPS: Rgb = [120, 48, 52];
const SKINS: readonly Rgb[] = [
  [236, 196, 164],
  [214, 164, 124],
  [166, 114, 80],
  [112, 74, 54],
];
const COATS: readonly Rgb[] = [
  [44, 62, 86],
  [92, 46, 52],
  [50, 74, 62],
  [66, 60, 84],
];

/** A drawn person who talks in front of lights out of focus; the voice alone where no picture was asked for. */
export const presenter: Maker = {
  ...movie,
  usualMs: 5000,
  format: (wanted) => (isVoice(wanted) ? voice : movie).format(wanted),
  renderTiny: (key, leastBytes) => (isVoice(key.task.wanted) ? voice : movie).renderTiny(key, leastBytes),
  render: (key) => {
    if (isVoice(key.task.wanted)) return voice.render(key);
    const random = seededRandom(seedOf(key));
    const skin = SKINS[Math.floor(random() * SKINS.length)] ?? INK;
    const coat = COATS[Math.floor(random() * COATS.length)] ?? INK;
    return renderMovie(key, {
      scene: { place: 'close', time: 'night', variant: 1, move: 'still' },
      paint: (frame, index) => paintPerson(frame, index / FRAMES_PER_SECOND, { skin, coat }),
    });
  },
};

function paintPerson(frame: Raster, seconds: number, { skin, coat }: { skin: Rgb; coat: Rgb }): void {
  const radius = Math.min(frame.width, frame.height) * 0.15;
  const x = frame.width * 0.5 + radius * 0.05 * Math.sin(seconds * 1.3);
  const y = frame.height * 0.4 + radius * 0.03 * Math.sin(seconds * 2.1);
  drawDisc(frame, x, y + radius * 3.1, radius * 1.95, coat);
  drawBar(frame, x - radius * 0.36, y + radius * 0.6, radius * 0.72, radius * 0.8, skin);
  drawDisc(frame, x, y - radius * 0.24, radius * 1.1, INK);
  drawDisc(frame, x, y, radius, skin);
  const blinks = seconds % 2.6 < 0.14;
  for (const side of [-1, 1]) {
    const eye = x + side * radius * 0.36;
    if (blinks) drawBar(frame, eye - radius * 0.12, y - radius * 0.12, radius * 0.24, radius * 0.05, INK);
    else drawDisc(frame, eye, y - radius * 0.1, radius * 0.1, INK);
  }
  const openness = Math.abs(Math.sin(Math.PI * 3 * seconds) * Math.sin(1.9 * seconds + 1));
  drawDisc(frame, x, y + radius * 0.46, radius * (0.07 + 0.13 * openness), LIPS);
  drawBar(frame, x - radius * 0.22, y + radius * 0.43, radius * 0.44, radius * 0.06, LIPS);
}

export const MAKERS: Readonly<Record<MediaKind, Maker>> = {
  video: movie,
  image: picture,
  music: tune,
  text: words,
  speech: voice,
  presenter,
};
