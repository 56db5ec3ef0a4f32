import type { Time } from './scene.ts';

/** The colours of a time of day. */
export interface Palette {
  /** From the zenith to the horizon. */
  readonly sky: readonly [top: string, middle: string, low: string];
  readonly light: string;
  /** Colour of the distance. */
  readonly haze: string;
  /** Colour of the dark foreground. */
  readonly ground: string;
  readonly water: readonly [far: string, near: string];
  /** Height of the sun or the moon over the horizon, as a share of the sky; null when neither is seen. */
  readonly sun: number | null;
  readonly accent: string;
}

export const palettes: Readonly<Record<Time, Palette>> = {
  dawn: {
    sky: ['#33486f', '#a88198', '#f7c9a2'],
    light: '#fff0d2',
    haze: '#d3a79d',
    ground: '#23283a',
    water: ['#d9ac9a', '#3a4664'],
    sun: 0.16,
    accent: '#f0b27a',
  },
  day: {
    sky: ['#2d6cab', '#77aed9', '#d8eaf1'],
    light: '#ffffff',
    haze: '#a9c8da',
    ground: '#1f3a3a',
    water: ['#8fbcd3', '#1d4f70'],
    sun: 0.78,
    accent: '#8fd0ff',
  },
  dusk: {
    sky: ['#1b2950', '#8a4468', '#fdae5c'],
    light: '#ffe2a3',
    haze: '#b1605a',
    ground: '#15131f',
    water: ['#d67e56', '#231f3d'],
    sun: 0.12,
    accent: '#ff9d57',
  },
  night: {
    sky: ['#040713', '#0c1a38', '#2a4a75'],
    light: '#f2efdf',
    haze: '#1d335a',
    ground: '#04060d',
    water: ['#28466f', '#050a18'],
    sun: 0.7,
    accent: '#9db9e8',
  },
  storm: {
    sky: ['#20262d', '#4b5761', '#93a0a7'],
    light: '#dfe6e8',
    haze: '#76858c',
    ground: '#171c21',
    water: ['#7b8a90', '#1e2a31'],
    sun: null,
    accent: '#b8c6cc',
  },
};

/** Between two colours, `#rrggbb`; `share` of the second, 0 to 1. Pure. */
export function mixed(one: string, other: string, share: number): string {
  const channels = [1, 3, 5].map((at) => {
    const [a, b] = [one, other].map((colour) => Number.parseInt(colour.slice(at, at + 2), 16));
    return Math.round((a ?? 0) + ((b ?? 0) - (a ?? 0)) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${channels.join('')}`;
}
