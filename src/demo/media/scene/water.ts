import { mixed } from './palette.ts';
import { type Canvas, type Layer, n } from './plane.ts';
import { noise } from './noise.ts';

export function water(canvas: Canvas, depth: number): Layer[] {
  const { width, height, horizon, random, palette } = canvas;
  const [far, near] = palette.water;
  const below = `<defs><clipPath id="below"><rect y="${n(horizon)}" width="${n(width)}" height="${n(height - horizon)}"/></clipPath></defs>`;
  const surface =
    `<defs><linearGradient id="water" x1="0" y1="${n(horizon)}" x2="0" y2="${n(height)}" gradientUnits="userSpaceOnUse">` +
    `<stop offset="0" stop-color="${far}"/><stop offset=".5" stop-color="${mixed(far, near, 0.75)}"/><stop offset="1" stop-color="${near}"/></linearGradient></defs>` +
    `<rect y="${n(horizon)}" width="${n(width)}" height="${n(height - horizon)}" fill="url(#water)"/>`;
  const swell = (name: string, colour: string, from: number) =>
    noise(name, { colour, across: 5 / width, down: 46 / height, octaves: 3, seed: random(), from, hard: 2.4 }) +
    `${below}<g clip-path="url(#below)"><rect width="${n(width)}" height="${n(height)}" filter="url(#${name})" opacity=".5"/></g>`;
  return [
    { depth, svg: surface },
    { depth, isSoft: true, drift: 0.022, svg: swell('dark', palette.ground, 0.46) },
    { depth, isSoft: true, drift: -0.03, svg: swell('bright', palette.light, 0.6) },
    { depth, drift: 0.012, svg: glitter(canvas) },
  ];
}

function glitter({ width, height, horizon, random, palette }: Canvas): string {
  return Array.from({ length: 260 }, () => {
    const away = random() ** 1.8;
    const y = horizon + (height - horizon) * away;
    const long = width * (0.004 + 0.05 * away * random());
    const x = width * (0.5 + (random() - 0.5) * (0.25 + 0.9 * away));
    return `<rect x="${n(x)}" y="${n(y)}" width="${n(long)}" height="${n(Math.max(0.7, height * 0.0035 * away))}" rx="1" fill="${palette.light}" opacity="${n(0.06 + 0.34 * random() * (1 - away * 0.6))}"/>`;
  }).join('');
}
