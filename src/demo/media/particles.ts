import { seededRandom } from './output.ts';
import { drawDisc, drawLine, type Raster, type Rgb } from './pixels.ts';
import type { Scene } from './scene.ts';

/** Paints what moves by itself in front of a scene, `seconds` after its beginning. */
export function paintParticles(picture: Raster, scene: Scene, seed: string, seconds: number): void {
  const random = seededRandom(`${seed} particles`);
  if (scene.hasBirds) paintBirds(picture, scene.time === 'night' ? PALE : DARK, random, seconds);
  if (scene.weather === 'rain') paintRain(picture, random, seconds);
  if (scene.weather === 'snow') paintSnow(picture, random, seconds);
}

const [DARK, PALE]: [Rgb, Rgb] = [
  [28, 28, 38],
  [242, 239, 223],
];

function paintBirds(picture: Raster, colour: Rgb, random: () => number, seconds: number): void {
  const { width, height } = picture;
  for (let bird = 0; bird < 9; bird++) {
    const size = height * (0.008 + 0.018 * random() ** 2);
    const [pace, turn, phase] = [0.05 + 0.05 * random(), 0.4 + 0.5 * random(), 7 * random()];
    const x = width * fraction(random() + pace * seconds) * 1.1 - width * 0.05;
    const y = height * (0.12 + 0.3 * random() + 0.03 * Math.sin(turn * seconds + phase));
    const lift = size * (0.25 + 0.55 * Math.sin(6 * seconds + phase));
    for (const side of [-1, 1]) {
      drawLine(picture, [x, y], [x + side * size, y - lift], { thickness: size * 0.2, colour, cover: 0.85 });
    }
  }
}

function paintRain(picture: Raster, random: () => number, seconds: number): void {
  const { width, height } = picture;
  for (let drop = 0; drop < 150; drop++) {
    const near = 0.3 + 0.7 * random();
    const y = height * (fraction(random() + seconds * (0.9 + near)) * 1.2 - 0.1);
    const x = width * fraction(random() + 0.06 * seconds * near);
    const long = height * 0.05 * near;
    drawLine(picture, [x, y], [x + long * 0.12, y + long], {
      thickness: 1,
      colour: [214, 226, 236],
      cover: 0.26 * near,
    });
  }
}

function paintSnow(picture: Raster, random: () => number, seconds: number): void {
  const { width, height } = picture;
  for (let flake = 0; flake < 130; flake++) {
    const near = 0.2 + 0.8 * random();
    const y = height * (fraction(random() + seconds * 0.12 * near) * 1.1 - 0.05);
    const x = width * fraction(random() + 0.02 * Math.sin(seconds * near + flake));
    drawDisc(picture, x, y, Math.max(0.8, height * 0.0055 * near), [245, 248, 252]);
  }
}

const fraction = (value: number): number => value - Math.floor(value);
