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

/** In the upper right, clear of the words of the slate. */
function paintFace(frame: Raster, { unit, margin, accent }: SlateGeometry, index: number): void {
  const radius = unit * 13;
  const [x, y] = [frame.width - margin - radius, margin + radius];
  drawDisc(frame, x, y, radius, rgbOf(accent));
  for (const side of [-1, 1]) drawDisc(frame, x + side * radius * 0.38, y - radius * 0.25, radius * 0.1, INK);
  const openness = Math.abs(Math.sin((Math.PI * 3 * index) / FRAMES_PER_SECOND));
  const height = Math.max(2, radius * 0.4 * openness);
  drawBar(frame, x - radius * 0.35, y + radius * 0.4 - height / 2, radius * 0.7, height, INK);
}
