import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { layOver, type Raster } from './pixels.ts';
import { seededRandom } from './output.ts';
import type { Move, Scene } from './scene.ts';

/** How much larger a plane is than the picture, so that a camera that moves never sees its edge. */
export const OVERSIZE = 1.24;

/** The two planes of a scene and their share of the camera's move: 0 for the sky, 1 for what is nearest. */
const DEPTHS = { back: 0.25, front: 0.85 };

type Plane = Raster & { readonly depth: number };

/** A scene as one take sees it, ready to be painted from any moment of the camera's move. */
export class Planes {
  readonly #planes: readonly Plane[];
  readonly #move: Move;

  private constructor(planes: readonly Plane[], move: Move) {
    this.#planes = planes;
    this.#move = move;
  }

  /** Reads the planes of a scene for a picture of `width` x `height` pixels. `seed` decides their colours. */
  static async of(scene: Scene, seed: string, { width, height }: { width: number; height: number }): Promise<Planes> {
    const random = seededRandom(`${seed} colours`);
    const colours = {
      brightness: 0.94 + 0.12 * random(),
      saturation: 0.85 + 0.25 * random(),
      hue: Math.round(350 + 20 * random()) % 360,
    };
    const planes: Plane[] = [];
    for (const [part, depth] of Object.entries(DEPTHS)) {
      const file = join(preparedFolder(), `${scene.place}-${scene.time}-${String(scene.variant)}-${part}.webp`);
      const { data, info } = await sharp(await readFile(file))
        .ensureAlpha()
        .resize(Math.ceil(width * OVERSIZE), Math.ceil(height * OVERSIZE), { fit: 'cover' })
        .flop(scene.isMirrored)
        .modulate(colours)
        .raw()
        .toBuffer({ resolveWithObject: true });
      planes.push({ data, width: info.width, height: info.height, depth });
    }
    return new Planes(planes, scene.move);
  }

  /** Paints all of a picture as it is at a moment of the film, 0 to 1. */
  paint(picture: Raster, moment: number): void {
    const { width, height } = picture;
    for (const plane of this.#planes) {
      const view = viewAt(this.#move, moment, plane.depth);
      const place = (size: number, whole: number, shift: number) =>
        Int32Array.from({ length: size }, (_, at) =>
          Math.round(whole / 2 + shift * size + (at + 0.5 - size / 2) / view.scale - 0.5),
        );
      layOver(picture, plane, place(width, plane.width, view.x), place(height, plane.height, view.y));
    }
  }
}

/** `resources/demo` of our own folder, wherever that is. */
function preparedFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const prepared = join(folder, 'resources', 'demo');
    if (existsSync(prepared)) return prepared;
    if (dirname(folder) === folder) throw new Error('The pictures of the demo are missing: install Dailies again.');
  }
}

/** Where a plane is seen, in widths and heights of the picture from its middle, and how much nearer than at rest. */
interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

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
