import { FRAMES_PER_SECOND, movie, renderMovie } from './movie.ts';
import type { Maker } from './output.ts';
import { drawBar, drawDisc, rgbOf, type Raster, type Rgb } from './pixels.ts';
import type { SlateGeometry } from './slate.ts';

const INK: Rgb = [24, 24, 24];

/** A talking card: the slate of the take, with a face whose mouth opens and closes. */
export const presenter: Maker = {
  ...movie,
  usualMs: 5000,
  render: (key) => renderMovie(key, paintFace),
};

function paintFace(frame: Raster, { figure: { x, y, radius }, accent }: SlateGeometry, index: number): void {
  drawDisc(frame, x, y, radius * 0.8, rgbOf(accent));
  for (const side of [-1, 1]) drawDisc(frame, x + side * radius * 0.3, y - radius * 0.2, radius * 0.08, INK);
  const openness = Math.abs(Math.sin((Math.PI * 3 * index) / FRAMES_PER_SECOND));
  const height = Math.max(2, radius * 0.3 * openness);
  drawBar(frame, x - radius * 0.25, y + radius * 0.3 - height / 2, radius * 0.5, height, INK);
}
