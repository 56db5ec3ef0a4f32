import { mixed } from './palette.ts';
import type { Scene } from './scene.ts';
import { type Canvas, type Layer, n } from './plane.ts';
import { noise } from './noise.ts';

export function sky({ width, height, horizon, random, palette }: Canvas, { time }: Scene): Layer {
  const [top, middle, low] = palette.sky;
  const x = width * (0.25 + 0.5 * random());
  const y = horizon * (1 - (palette.sun ?? 0));
  const radius = height * (time === 'night' ? 0.035 : 0.045);
  const glow =
    palette.sun === null
      ? ''
      : `<circle cx="${n(x)}" cy="${n(y)}" r="${n(height * 0.62)}" fill="url(#glow)"/>` +
        `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="${palette.light}" filter="url(#soft)"/>`;
  const stars =
    time === 'night'
      ? Array.from({ length: 220 }, () => {
          const size = height * (0.0008 + 0.0016 * random() ** 3);
          return `<circle cx="${n(width * random())}" cy="${n(horizon * random() ** 1.4)}" r="${n(size)}" fill="#fff" opacity="${n(0.3 + 0.7 * random())}"/>`;
        }).join('')
      : '';
  return {
    depth: 0.04,
    svg:
      `<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="${n(horizon)}" gradientUnits="userSpaceOnUse">` +
      `<stop offset="0" stop-color="${top}"/><stop offset=".58" stop-color="${middle}"/><stop offset="1" stop-color="${low}"/></linearGradient>` +
      `<radialGradient id="glow"><stop offset="0" stop-color="${palette.light}" stop-opacity=".75"/><stop offset=".22" stop-color="${palette.light}" stop-opacity=".26"/>` +
      `<stop offset="1" stop-color="${palette.light}" stop-opacity="0"/></radialGradient>` +
      `<filter id="soft"><feGaussianBlur stdDeviation="${n(height * 0.003)}"/></filter></defs>` +
      `<rect width="${n(width)}" height="${n(height)}" fill="url(#sky)"/>${stars}${glow}`,
  };
}

/** Drawn by noise that is stretched flat, thinning out towards the zenith. */
export function clouds({ width, height, horizon, random, palette }: Canvas, { time, weather }: Scene): Layer {
  const isStorm = time === 'storm';
  const cover = isStorm ? 0.36 : weather === 'clear' ? 0.46 + 0.08 * random() : 0.34;
  const colour =
    time === 'night' || isStorm
      ? mixed(palette.sky[isStorm ? 0 : 1], palette.light, 0.1)
      : mixed(palette.sky[2], palette.light, 0.5);
  return {
    depth: 0.08,
    isSoft: true,
    drift: 0.006 + 0.01 * random(),
    svg:
      noise('clouds', {
        colour,
        across: (isStorm ? 3 : 2.2) / width,
        down: (isStorm ? 6 : 9) / height,
        octaves: 5,
        seed: random(),
        from: cover,
        hard: isStorm ? 4 : 3.2,
      }) +
      '<defs><linearGradient id="thin" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#fff" stop-opacity=".2"/>' +
      '<stop offset=".62" stop-color="#fff" stop-opacity=".9"/><stop offset="1" stop-color="#fff" stop-opacity=".05"/></linearGradient>' +
      `<mask id="sky-only"><rect width="${n(width)}" height="${n(horizon)}" fill="url(#thin)"/></mask></defs>` +
      `<g mask="url(#sky-only)"><rect width="${n(width)}" height="${n(height)}" filter="url(#clouds)"/></g>`,
  };
}

export function mist({ width, height, horizon, random, palette }: Canvas, strength: number): Layer {
  const colour = mixed(palette.haze, palette.light, 0.25);
  const top = horizon - height * 0.26;
  return {
    depth: 0.5,
    isSoft: true,
    drift: 0.02 + 0.015 * random(),
    svg:
      noise('mist', {
        colour,
        across: 1.6 / width,
        down: 7 / height,
        octaves: 4,
        seed: random(),
        from: 0.2,
        hard: 1.7,
      }) +
      `<defs><linearGradient id="band" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#fff" stop-opacity="0"/>` +
      `<stop offset=".45" stop-color="#fff" stop-opacity="${n(strength)}"/><stop offset="1" stop-color="#fff" stop-opacity="0"/></linearGradient>` +
      `<mask id="low"><rect y="${n(top)}" width="${n(width)}" height="${n(height * 0.56)}" fill="url(#band)"/></mask></defs>` +
      `<g mask="url(#low)"><rect width="${n(width)}" height="${n(height)}" fill="${colour}" opacity=".35"/>` +
      `<rect width="${n(width)}" height="${n(height)}" filter="url(#mist)"/></g>`,
  };
}
