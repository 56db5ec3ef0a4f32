import { mixed } from './palette.ts';
import type { Scene } from './scene.ts';
import { type Canvas, type Layer, n } from './plane.ts';

export function village({ width, height, horizon, random, palette }: Canvas, depth: number): Layer {
  const colour = mixed(palette.ground, palette.haze, 0.45);
  let x = width * 0.04;
  const houses: string[] = [];
  while (x < width * 0.62) {
    const wide = width * (0.018 + 0.03 * random());
    const tall = height * (0.035 + 0.05 * random());
    const body = mixed(colour, palette.haze, 0.3 * random());
    houses.push(
      `<path d="M${n(x)} ${n(horizon + 2)} V${n(horizon - tall)} L${n(x + wide / 2)} ${n(horizon - tall * 1.45)} L${n(x + wide)} ${n(horizon - tall)} V${n(horizon + 2)} Z" fill="${body}"/>`,
    );
    if (random() < 0.6) {
      houses.push(
        `<rect x="${n(x + wide * 0.35)}" y="${n(horizon - tall * 0.7)}" width="${n(wide * 0.22)}" height="${n(tall * 0.25)}" fill="#ffd48a" opacity="${n(0.35 + 0.6 * random())}"/>`,
      );
    }
    x += wide * (0.85 + 0.6 * random());
  }
  return { depth, svg: houses.join('') };
}

export function skyline(
  { width, height, horizon, random, palette }: Canvas,
  { time }: Scene,
  { depth, tall, from }: { depth: number; tall: number; from: number },
): Layer {
  const colour = mixed(palette.ground, palette.haze, from);
  const isLit = time !== 'day';
  const towers: string[] = [];
  const base = horizon + height * 0.12 * depth;
  for (let x = -width * 0.02; x < width;) {
    const wide = width * (0.025 + 0.05 * random()) * (0.7 + depth);
    const high = height * tall * (0.3 + 0.7 * random() ** 1.6);
    towers.push(`<rect x="${n(x)}" y="${n(base - high)}" width="${n(wide)}" height="${n(height)}" fill="${colour}"/>`);
    if (random() < 0.25)
      towers.push(
        `<rect x="${n(x + wide / 2)}" y="${n(base - high * 1.16)}" width="${n(wide * 0.04)}" height="${n(high * 0.2)}" fill="${colour}"/>`,
      );
    towers.push(...windows({ x, top: base - high, wide, high, isLit, from, random }));
    x += wide * (1 + 0.25 * random());
  }
  return { depth, svg: towers.join('') };
}

interface Facade {
  readonly x: number;
  readonly top: number;
  readonly wide: number;
  readonly high: number;
  readonly isLit: boolean;
  readonly from: number;
  readonly random: () => number;
}

function windows({ x, top, wide, high, isLit, from, random }: Facade): string[] {
  const step = Math.max(3, wide / 6);
  const shown: string[] = [];
  const share = isLit ? 0.34 : 0.12;
  for (let row = top + step; row < top + high; row += step * 1.3) {
    for (let column = x + step * 0.5; column < x + wide - step * 0.6; column += step) {
      if (random() > share) continue;
      const colour = isLit ? (random() < 0.8 ? '#ffcf7d' : '#bfe2ff') : '#ffffff';
      shown.push(
        `<rect x="${n(column)}" y="${n(row)}" width="${n(step * 0.48)}" height="${n(step * 0.62)}" fill="${colour}" opacity="${n((isLit ? 0.9 : 0.25) * (1 - from) * (0.4 + 0.6 * random()))}"/>`,
      );
    }
  }
  return shown;
}

/** A wet street: the lights of the city in long reflections. */
export function street({ width, height, horizon, palette, random }: Canvas): Layer {
  const top = horizon + height * 0.1;
  const lights = Array.from({ length: 34 }, () => {
    const colour = ['#ff6b5b', '#ffd48a', '#7cc7ff', '#ff9ad5'][Math.floor(4 * random())] ?? '#ffd48a';
    const y = top + height * 0.015 + height * 0.1 * random();
    return `<ellipse cx="${n(width * random())}" cy="${n(y)}" rx="${n(height * (0.006 + 0.008 * random()))}" ry="${n(height * (0.03 + 0.07 * random()))}" fill="${colour}" opacity="${n(0.1 + 0.3 * random())}"/>`;
  }).join('');
  return {
    depth: 0.7,
    svg:
      `<defs><linearGradient id="wet" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${mixed(palette.ground, palette.accent, 0.26)}"/><stop offset=".5" stop-color="${palette.ground}"/></linearGradient>` +
      `<filter id="run" x="-1" width="3"><feGaussianBlur stdDeviation="${n(height * 0.004)} ${n(height * 0.018)}"/></filter></defs>` +
      `<rect y="${n(top)}" width="${n(width)}" height="${n(height - top)}" fill="url(#wet)"/><g filter="url(#run)">${lights}</g>`,
  };
}

export function pier({ width, height, random, palette }: Canvas, depth: number): Layer {
  const dark = mixed(palette.ground, '#000000', 0.2);
  const top = height * 0.86;
  const end = width * (0.42 + 0.2 * random());
  const posts = Array.from({ length: 7 }, (_, post) => {
    const x = (end * (post + 0.5)) / 7;
    return `<rect x="${n(x)}" y="${n(top - height * 0.05)}" width="${n(width * 0.008)}" height="${n(height * 0.3)}" fill="${dark}"/>`;
  }).join('');
  return { depth, svg: `<path d="M0 ${n(top)} H${n(end)} V${n(top + height * 0.022)} H0 Z" fill="${dark}"/>${posts}` };
}

/** The bars of a window, and the warm light of the room behind the camera on them. */
export function panes({ width, height, random }: Canvas): Layer {
  const dark = '#14100d';
  const columns = 3 + Math.floor(2 * random());
  const bars = Array.from({ length: columns + 1 }, (_, bar) => {
    const x = (width * bar) / columns;
    return `<rect x="${n(x - width * 0.011)}" width="${n(width * 0.022)}" height="${n(height)}" fill="url(#bar)"/>`;
  }).join('');
  return {
    depth: 0.9,
    svg:
      `<defs><linearGradient id="bar"><stop offset="0" stop-color="${dark}"/><stop offset=".3" stop-color="#5b3d22"/><stop offset=".5" stop-color="${dark}"/><stop offset="1" stop-color="#080605"/></linearGradient>` +
      '<radialGradient id="lamp" cx=".5" cy="1.05" r=".8"><stop offset="0" stop-color="#ffb45e" stop-opacity=".3"/><stop offset="1" stop-color="#ffb45e" stop-opacity="0"/></radialGradient></defs>' +
      `${bars}<rect y="${n(height * 0.3)}" width="${n(width)}" height="${n(height * 0.016)}" fill="${dark}"/>` +
      `<path d="M0 ${n(height * 0.82)} H${n(width)} V${n(height)} H0 Z" fill="#0d0a08"/><rect y="${n(height * 0.815)}" width="${n(width)}" height="${n(height * 0.012)}" fill="#6b4826"/>` +
      `<rect width="${n(width)}" height="${n(height)}" fill="url(#lamp)"/>`,
  };
}
