import type { Raster, Rgb } from '../pixels.ts';
import type { Technique } from './scene.ts';

const PAPER: Rgb = [240, 234, 220];
const GRAPHITE: Rgb = [52, 50, 50];
const INK: Rgb = [26, 24, 28];
/** Tones of paper in a collage. */
const SHEETS = 5;

/** Draws a picture again as by pencil, by a cut plate or from coloured paper, in place. */
export function drawAs(technique: Technique, picture: Raster): void {
  if (technique === 'film') return;
  const tones = tonesOf(picture);
  const { width, data } = picture;
  const middle = tones.reduce((sum, tone) => sum + tone, 0) / tones.length;
  for (let pixel = 0; pixel < tones.length; pixel++) {
    const at = pixel * 4;
    if (technique === 'collage') {
      const tone = Math.max(1, tones[pixel] ?? 0);
      for (let channel = at; channel < at + 3; channel++) {
        data[channel] = Math.min(255, Math.round(((data[channel] ?? 0) * sheetOf(tone)) / tone));
      }
      continue;
    }
    const tone = tones[pixel] ?? 0;
    const edge = Math.abs(tone - (tones[pixel + 1] ?? tone)) + Math.abs(tone - (tones[pixel + width] ?? tone));
    const dark =
      technique === 'pencil'
        ? Math.min(1, edge / 26 + hatching(pixel, width, tone))
        : tone < 0.8 * middle || edge > 24
          ? 1
          : 0;
    const ink = technique === 'pencil' ? GRAPHITE : INK;
    PAPER.forEach((paper, channel) => {
      data[at + channel] = Math.round(paper + ((ink[channel] ?? 0) - paper) * dark);
    });
  }
}

/** Slanted lines, the closer the darker. */
function hatching(pixel: number, width: number, tone: number): number {
  const [x, y] = [pixel % width, Math.floor(pixel / width)];
  const isLine = (x + y) % 6 < 2;
  return isLine ? Math.max(0, 0.5 - tone / 300) : Math.max(0, 0.12 - tone / 900);
}

const sheetOf = (level: number): number => Math.round((Math.round((level / 255) * SHEETS) / SHEETS) * 255);

/** How bright each pixel is, 0 to 255. */
function tonesOf({ data }: Raster): Uint8Array {
  const tones = new Uint8Array(data.length / 4);
  for (let pixel = 0; pixel < tones.length; pixel++) {
    const at = pixel * 4;
    tones[pixel] = ((data[at] ?? 0) * 54 + (data[at + 1] ?? 0) * 183 + (data[at + 2] ?? 0) * 19) >> 8;
  }
  return tones;
}
