import { seededRandom } from '../output.ts';
import { mixed, palettes } from './palette.ts';
import type { Scene } from './scene.ts';
import { type Canvas, type Layer, n, OVERSIZE } from './plane.ts';
import { clouds, mist, sky } from './sky.ts';
import { panes, pier, skyline, street, village } from './town.ts';
import { noise } from './noise.ts';
import { beamSvg, boatSvg, lighthouseSvg, personSvg, treesSvg } from './subjects.ts';

type Draw = (canvas: Canvas, scene: Scene) => Layer[];

/** The planes of a scene for a picture of `width` x `height` pixels. `seed` names the take. Pure. */
export function layersOf(scene: Scene, seed: string, width: number, height: number): Layer[] {
  const random = seededRandom(`${seed} planes`);
  const canvas: Canvas = {
    width: Math.round(width * OVERSIZE),
    height: Math.round(height * OVERSIZE),
    horizon: Math.round(height * OVERSIZE * (HORIZONS[scene.place] + 0.06 * (random() - 0.5))),
    random,
    palette: palettes[scene.time],
  };
  const fog = scene.weather === 'fog' ? [mist(canvas, 0.75)] : [];
  return [...PLACES[scene.place](canvas, scene), ...fog].map((layer) => ({ ...layer, svg: inSvg(canvas, layer) }));
}

const HORIZONS: Readonly<Record<Scene['place'], number>> = {
  sea: 0.56,
  harbour: 0.55,
  city: 0.7,
  mountains: 0.66,
  forest: 0.68,
  desert: 0.6,
  window: 0.56,
  close: 0.5,
};

const PLACES: Readonly<Record<Scene['place'], Draw>> = {
  sea: (canvas, scene) => [
    sky(canvas, scene),
    clouds(canvas, scene),
    ...(canvas.random() < 0.6 ? [ridge(canvas, { depth: 0.12, rise: 0.1, from: 0.8, at: canvas.horizon })] : []),
    ...water(canvas, 0.3),
    ...lighthouse(canvas, scene, 0.42),
    ...boat(canvas, scene, 0.6),
    rocks(canvas, 0.95),
  ],
  harbour: (canvas, scene) => [
    sky(canvas, scene),
    clouds(canvas, scene),
    ridge(canvas, { depth: 0.12, rise: 0.18, from: 0.72, at: canvas.horizon }),
    village(canvas, 0.24),
    ...water(canvas, 0.32),
    ...lighthouse(canvas, scene, 0.4),
    ...boat(canvas, { ...scene, subjects: new Set(['boat']) }, 0.6),
    pier(canvas, 0.95),
  ],
  city: (canvas, scene) => [
    sky(canvas, scene),
    clouds(canvas, scene),
    skyline(canvas, scene, { depth: 0.15, tall: 0.34, from: 0.62 }),
    skyline(canvas, scene, { depth: 0.32, tall: 0.46, from: 0.34 }),
    skyline(canvas, scene, { depth: 0.62, tall: 0.62, from: 0.08 }),
    street(canvas),
    ...person(canvas, scene, 0.7),
  ],
  mountains: (canvas, scene) => [
    sky(canvas, scene),
    clouds(canvas, scene),
    ridge(canvas, { depth: 0.1, rise: 0.42, from: 0.86, at: canvas.horizon, jagged: true, snow: true }),
    ridge(canvas, { depth: 0.22, rise: 0.26, from: 0.6, at: canvas.horizon * 1.06, jagged: true }),
    ridge(canvas, { depth: 0.42, rise: 0.16, from: 0.34, at: canvas.horizon * 1.2 }),
    ridge(canvas, { depth: 0.7, rise: 0.1, from: 0.1, at: canvas.horizon * 1.36, trees: true }),
    ...person(canvas, scene, 0.9),
  ],
  forest: (canvas, scene) => [
    sky(canvas, scene),
    clouds(canvas, scene),
    ridge(canvas, { depth: 0.14, rise: 0.2, from: 0.8, at: canvas.horizon, trees: true }),
    ridge(canvas, { depth: 0.3, rise: 0.14, from: 0.52, at: canvas.horizon * 1.1, trees: true }),
    mist(canvas, 0.35),
    ridge(canvas, { depth: 0.55, rise: 0.1, from: 0.24, at: canvas.horizon * 1.24, trees: true, large: 2 }),
    ...person(canvas, scene, 0.75),
    ridge(canvas, { depth: 1, rise: 0.05, from: 0, at: canvas.horizon * 1.4, trees: true, large: 4 }),
  ],
  desert: (canvas, scene) => [
    sky(canvas, scene),
    clouds(canvas, scene),
    ridge(canvas, { depth: 0.14, rise: 0.1, from: 0.82, at: canvas.horizon, sand: true }),
    ridge(canvas, { depth: 0.3, rise: 0.15, from: 0.6, at: canvas.horizon * 1.12, sand: true }),
    ridge(canvas, { depth: 0.55, rise: 0.16, from: 0.34, at: canvas.horizon * 1.32, sand: true }),
    ...person(canvas, scene, 0.6),
    ridge(canvas, { depth: 0.9, rise: 0.12, from: 0.1, at: canvas.horizon * 1.52, sand: true }),
  ],
  window: (canvas, scene) => [
    sky(canvas, scene),
    clouds(canvas, scene),
    ...water(canvas, 0.18),
    ...boat(canvas, scene, 0.3),
    panes(canvas),
  ],
  close: (canvas, scene) => [blurred(canvas), sheen(canvas, 0.35), ...person(canvas, scene, 0.6), edge(canvas)],
};

function inSvg({ width, height }: Canvas, { svg, isSoft }: Layer): string {
  const share = isSoft ? 0.5 : 1;
  const size = `width="${String(Math.ceil(width * share))}" height="${String(Math.ceil(height * share))}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${String(width)} ${String(height)}" preserveAspectRatio="none">${svg}</svg>`;
}

/** Lights far out of focus. */
function blurred({ width, height, random, palette }: Canvas): Layer {
  const [top, middle, low] = palette.sky;
  const discs = Array.from({ length: 42 }, () => {
    const radius = height * (0.02 + 0.1 * random() ** 2);
    const colour = random() < 0.55 ? palette.accent : palette.light;
    return `<circle cx="${n(width * random())}" cy="${n(height * (0.08 + 0.75 * random()))}" r="${n(radius)}" fill="${colour}" opacity="${n(0.06 + 0.24 * random())}"/>`;
  }).join('');
  return {
    depth: 0.1,
    svg:
      `<defs><linearGradient id="back" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${mixed(top, '#000000', 0.35)}"/><stop offset=".6" stop-color="${mixed(middle, '#000000', 0.2)}"/><stop offset="1" stop-color="${mixed(low, '#000000', 0.35)}"/></linearGradient>` +
      `<filter id="far"><feGaussianBlur stdDeviation="${n(height * 0.004)}"/></filter></defs>` +
      `<rect width="${n(width)}" height="${n(height)}" fill="url(#back)"/><g filter="url(#far)">${discs}</g>`,
  };
}

/** A curved surface of metal or glass that the light slides over. */
function sheen({ width, height, random, palette }: Canvas, depth: number): Layer {
  const [x, y] = [width * (0.3 + 0.4 * random()), height * 0.62];
  const rings = Array.from({ length: 9 }, (_, ring) => {
    const radius = height * (0.1 + 0.055 * ring);
    const colour = ring % 3 === 0 ? palette.light : ring % 3 === 1 ? palette.accent : palette.ground;
    return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="none" stroke="${colour}" stroke-opacity="${n(0.5 - 0.04 * ring)}" stroke-width="${n(height * (0.008 + 0.02 * random()))}"/>`;
  }).join('');
  return {
    depth,
    svg:
      `<defs><radialGradient id="ball" cx=".36" cy=".3" r=".9"><stop offset="0" stop-color="${palette.light}"/><stop offset=".25" stop-color="${palette.accent}"/><stop offset=".8" stop-color="${mixed(palette.ground, palette.accent, 0.2)}"/><stop offset="1" stop-color="${palette.ground}"/></radialGradient>` +
      `<filter id="near"><feGaussianBlur stdDeviation="${n(height * 0.003)}"/></filter></defs>` +
      `<g filter="url(#near)"><circle cx="${n(x)}" cy="${n(y)}" r="${n(height * 0.36)}" fill="url(#ball)" opacity=".75"/>${rings}</g>`,
  };
}

/** Something dark, near the camera and out of focus. */
function edge({ width, height, random }: Canvas): Layer {
  const x = random() < 0.5 ? -0.06 : 0.86;
  return {
    depth: 1,
    svg:
      `<defs><filter id="edge"><feGaussianBlur stdDeviation="${n(height * 0.02)}"/></filter></defs>` +
      `<ellipse cx="${n(width * (x + 0.1))}" cy="${n(height * 0.9)}" rx="${n(width * 0.24)}" ry="${n(height * 0.34)}" fill="#000" opacity=".72" filter="url(#edge)"/>`,
  };
}

function water(canvas: Canvas, depth: number): Layer[] {
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

function lighthouse(canvas: Canvas, { subjects, time }: Scene, depth: number): Layer[] {
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

function boat({ width, height, horizon, random, palette }: Canvas, { subjects }: Scene, depth: number): Layer[] {
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

function person({ width, height, random, palette }: Canvas, { subjects }: Scene, depth: number): Layer[] {
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

interface Ridge {
  readonly depth: number;
  /** Heights of the picture that it rises over its foot. */
  readonly rise: number;
  /** Share of haze in its colour. */
  readonly from: number;
  /** Height of its foot, pixels. */
  readonly at: number;
  readonly jagged?: boolean;
  readonly snow?: boolean;
  readonly sand?: boolean;
  readonly trees?: boolean;
  /** Of its trees. */
  readonly large?: number;
}

function ridge(canvas: Canvas, { depth, rise, from, at, jagged, snow, sand, trees, large = 1 }: Ridge): Layer {
  const { width, height, random, palette } = canvas;
  const near = sand ? mixed(palette.ground, '#b5713f', 0.62) : palette.ground;
  const colour = mixed(near, palette.haze, from);
  const line = outline(canvas, { at, rise: rise * height, jagged: jagged ?? false });
  const shape = `M0 ${n(height)} ${line.map(([x, y]) => `L${n(x)} ${n(y)}`).join(' ')} L${n(width)} ${n(height)} Z`;
  const name = `ridge${String(Math.round(from * 100))}`;
  const lit = mixed(colour, palette.light, sand ? 0.4 : snow ? 0.55 : 0.12);
  const foot = mixed(colour, palette.haze, 0.35 + 0.3 * from);
  return {
    depth,
    svg:
      `<defs><linearGradient id="${name}" x1="0" y1="${n(at - rise * height)}" x2="0" y2="${n(at + height * 0.12)}" gradientUnits="userSpaceOnUse">` +
      `<stop offset="0" stop-color="${lit}"/><stop offset="${snow ? '.4' : '.55'}" stop-color="${colour}"/><stop offset="1" stop-color="${foot}"/></linearGradient></defs>` +
      `<path d="${shape}" fill="url(#${name})"/>` +
      (trees
        ? treesSvg(line, { colour: mixed(colour, palette.ground, 0.3), height: height * 0.028 * large, random })
        : ''),
  };
}

/** A line of hills or of mountains, by five waves of chance. */
function outline(
  { width, random }: Canvas,
  { at, rise, jagged }: { at: number; rise: number; jagged: boolean },
): (readonly [x: number, y: number])[] {
  const waves = Array.from({ length: 6 }, (_, octave) => ({
    size: 0.5 ** octave,
    length: (1.1 + 0.7 * random()) * 2 ** octave,
    phase: 2 * Math.PI * random(),
  }));
  const steps = 160;
  return Array.from({ length: steps + 1 }, (_, step) => {
    const share = step / steps;
    const sum = waves.reduce((height, { size, length, phase }) => {
      const wave = Math.sin(2 * Math.PI * length * share + phase);
      return height + size * (jagged ? 1 - 2 * Math.abs(wave) : wave * 0.8);
    }, 0);
    return [width * share, at - rise * (0.5 + sum / 3)] as const;
  });
}

function rocks(canvas: Canvas, depth: number): Layer {
  const { width, height, random, palette } = canvas;
  const isLeft = random() < 0.5;
  const line = outline(canvas, { at: 0, rise: height * 0.05, jagged: true }).map(([x, y]) => {
    const toEdge = isLeft ? 1 - x / width : x / width;
    return `L${n(x)} ${n(height * (1.02 - 0.24 * Math.max(0, toEdge - 0.35) ** 1.4) + y)}`;
  });
  return {
    depth,
    svg: `<path d="M0 ${n(height)} ${line.join(' ')} L${n(width)} ${n(height)} Z" fill="${mixed(palette.ground, '#000000', 0.25)}"/>`,
  };
}
