import { water } from './water.ts';
import { boat, lighthouse, person } from './figures.ts';
import { seededRandom } from '../output.ts';
import { palettes } from './palette.ts';
import type { Scene } from './scene.ts';
import { type Canvas, type Layer, OVERSIZE } from './plane.ts';
import { clouds, mist, sky } from './sky.ts';
import { ridge, rocks } from './land.ts';
import { panes, pier, skyline, street, village } from './town.ts';
import { blurred, edge, sheen } from './near.ts';

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
