import { FRAMES_PER_SECOND, movie, renderMovie } from './movie.ts';
import { seededRandom, seedOf, type Maker } from './output.ts';
import type { MediaRequest } from '../task-store.ts';
import { drawBar, drawDisc, type Raster, type Rgb } from './pixels.ts';
import { voice } from './speech.ts';

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
      scene: { place: 'close', subjects: new Set(), move: 'still' },
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
