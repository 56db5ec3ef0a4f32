import { type Raster, rasterOf } from '../pixels.ts';
import { layersOf } from './layers.ts';
import { OVERSIZE } from './plane.ts';
import type { Move, Scene } from './scene.ts';

/** A plane in pixels, with the part of each row that has any. */
interface Plane {
  readonly pixels: Uint32Array;
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  /** Widths of the picture in the whole film. */
  readonly drift: number;
  readonly bob: number;
  /** Of the picture's size, and not seen through the camera. */
  readonly isFixed?: boolean;
  /** First column with a pixel in it, and the one after the last, of each row. */
  readonly begin: Int32Array;
  readonly end: Int32Array;
}

export interface Film {
  readonly seed: string;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly front: string;
}

/** What of its oversize a plane may use to drift by itself. */
const MOST_DRIFT = (OVERSIZE - 1) / 3;

/** The planes of a scene, ready to be painted from any moment of the camera's move. */
export class Planes {
  readonly #planes: readonly Plane[];
  readonly #scene: Scene;
  readonly #seconds: number;

  private constructor(planes: readonly Plane[], scene: Scene, seconds: number) {
    this.#planes = planes;
    this.#scene = scene;
    this.#seconds = seconds;
  }

  /**
   * `width` and `height` in pixels; `seconds` of the film, 0 for a still. `front` is SVG of that size, laid over all
   * planes.
   */
  static async of(scene: Scene, { seed, width, height, seconds, front }: Film): Promise<Planes> {
    const planes: Plane[] = [];
    for (const { svg, depth, drift = 0, bob = 0, isSoft } of layersOf(scene, seed, width, height)) {
      const raster = await rasterOf(svg, isSoft ? 2 : 1);
      planes.push({
        ...{ pixels: pixelsOf(raster), width: raster.width, height: raster.height, depth, bob },
        drift: Math.sign(drift) * Math.min(MOST_DRIFT, Math.abs(drift) * seconds),
        ...rowsOf(raster),
      });
    }
    const raster = await rasterOf(front);
    planes.push({
      ...{ pixels: pixelsOf(raster), width: raster.width, height: raster.height, ...rowsOf(raster) },
      ...{ depth: 0, drift: 0, bob: 0, isFixed: true },
    });
    return new Planes(planes, scene, seconds);
  }

  /** Paints all of a picture as it is at a moment of the film, 0 to 1. */
  paint(picture: Raster, moment: number): void {
    const target = pixelsOf(picture);
    for (const plane of this.#planes) this.#paintPlane(plane, target, picture, moment);
  }

  #paintPlane(plane: Plane, target: Uint32Array, { width, height }: Raster, moment: number): void {
    const view = plane.isFixed ? atRest : viewAt(this.#scene.move, moment, plane.depth);
    const bob = plane.bob * Math.sin(moment * this.#seconds * 1.7);
    const middleX = plane.width / 2 + (view.x + plane.drift * (moment - 0.5)) * width;
    const middleY = plane.height / 2 + (view.y + bob) * height;
    const columns = new Int32Array(width);
    for (let x = 0; x < width; x++) columns[x] = Math.round(middleX + (x + 0.5 - width / 2) / view.scale - 0.5);
    for (let y = 0; y < height; y++) {
      const row = Math.round(middleY + (y + 0.5 - height / 2) / view.scale - 0.5);
      if (row < 0 || row >= plane.height) continue;
      const [begin, end] = [plane.begin[row] ?? 0, plane.end[row] ?? 0];
      if (begin < end) paintRow(target, y * width, columns, plane.pixels, { at: row * plane.width, begin, end });
    }
  }
}

/** Lays one row of a plane over one row of a picture. Pixels are 0xAABBGGRR. */
function paintRow(
  target: Uint32Array,
  first: number,
  columns: Int32Array,
  pixels: Uint32Array,
  row: { readonly at: number; readonly begin: number; readonly end: number },
): void {
  for (let x = 0; x < columns.length; x++) {
    const column = columns[x] ?? 0;
    if (column < row.begin || column >= row.end) continue;
    const over = pixels[row.at + column] ?? 0;
    const alpha = over >>> 24;
    if (alpha === 0) continue;
    if (alpha === 255) {
      target[first + x] = over;
      continue;
    }
    const under = target[first + x] ?? 0;
    const rest = 255 - alpha;
    // Two channels at a time; the result is a hair too dark, which no one sees.
    const even = (((over & 0xff00ff) * alpha + (under & 0xff00ff) * rest) >>> 8) & 0xff00ff;
    const odd = (((over >>> 8) & 0xff) * alpha + ((under >>> 8) & 0xff) * rest) & 0xff00;
    target[first + x] = (0xff000000 | even | odd) >>> 0;
  }
}

const pixelsOf = ({ data }: Raster): Uint32Array =>
  new Uint32Array(data.buffer, data.byteOffset, Math.floor(data.byteLength / 4));

function rowsOf({ width, height, data }: Raster): Pick<Plane, 'begin' | 'end'> {
  const begin = new Int32Array(height);
  const end = new Int32Array(height);
  for (let y = 0; y < height; y++) {
    let [from, to] = [0, width];
    const alphaAt = (x: number) => data[(y * width + x) * 4 + 3] ?? 0;
    while (from < to && alphaAt(from) === 0) from += 1;
    while (to > from && alphaAt(to - 1) === 0) to -= 1;
    begin[y] = from;
    end[y] = to;
  }
  return { begin, end };
}

/** Where a plane is seen, in widths and heights of the picture from its middle, and how much nearer than at rest. */
interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const atRest: View = { x: 0, y: 0, scale: 1 };

/** The most a plane can be moved to each side before its edge is seen, as a share of the picture. */
const ROOM = (OVERSIZE - 1) / 2;
const GROWTH = 0.13;

/** How a camera sees a plane of this depth at a moment of its move, 0 to 1. Pure. */
export function viewAt(move: Move, moment: number, depth: number): View {
  const eased = moment * moment * (3 - 2 * moment);
  const near = 0.12 + 0.88 * depth;
  const slide = (eased - 0.5) * 2 * 0.72 * ROOM * near;
  // A hand is never quite still.
  const [swayX, swayY] = [Math.sin(moment * 5.1) * 0.004 * near, Math.cos(moment * 3.7) * 0.004 * near];
  const scale = 1 + GROWTH * near * (move === 'push' ? eased : move === 'pull' ? 1 - eased : 0.3);
  if (move === 'left') return { x: -slide + swayX, y: swayY, scale };
  if (move === 'right') return { x: slide + swayX, y: swayY, scale };
  if (move === 'rise') return { x: swayX, y: -slide + swayY, scale };
  return { x: swayX, y: swayY, scale };
}
