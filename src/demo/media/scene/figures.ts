import { mixed } from './palette.ts';
import { beamSvg, boatSvg, lighthouseSvg, personSvg } from './subjects.ts';
import type { Scene } from './scene.ts';
import { type Canvas, type Layer } from './plane.ts';

export function lighthouse(canvas: Canvas, { subjects, time }: Scene, depth: number): Layer[] {
  if (!subjects.has('lighthouse')) return [];
  const { width, height, horizon, random, palette } = canvas;
  const x = width * (0.3 + 0.36 * random());
  const tall = height * 0.3;
  const isLit = time !== 'day';
  return [
    {
      depth,
      svg:
        (isLit ? beamSvg({ x, y: horizon - tall * 0.93, long: width * 0.7, colour: palette.light }) : '') +
        lighthouseSvg({
          x,
          foot: horizon + height * 0.03,
          tall,
          dark: palette.ground,
          light: mixed('#e8e4da', palette.haze, 0.35),
          isLit,
        }),
    },
  ];
}

export function boat({ width, height, horizon, random, palette }: Canvas, { subjects }: Scene, depth: number): Layer[] {
  if (!subjects.has('boat') && !subjects.has('rower')) return [];
  const x = width * (0.28 + 0.4 * random());
  const away = 0.3 + 0.35 * random();
  const y = horizon + (height - horizon) * away * 0.6;
  return [
    {
      depth,
      bob: 0.004,
      svg: boatSvg({
        x,
        y,
        long: width * (0.07 + 0.12 * away),
        colour: palette.ground,
        isRowed: subjects.has('rower') || random() < 0.3,
      }),
    },
  ];
}

export function person({ width, height, random, palette }: Canvas, { subjects }: Scene, depth: number): Layer[] {
  if (!subjects.has('person')) return [];
  const tall = height * (0.14 + 0.3 * depth ** 2);
  const foot = height * (0.7 + 0.17 * depth);
  return [
    {
      depth,
      svg: personSvg({
        x: width * (0.36 + 0.28 * random()),
        foot,
        tall,
        colour: mixed(palette.ground, palette.haze, 0.22),
        rim: palette.accent,
      }),
    },
  ];
}
