import sharp, { type Sharp } from 'sharp';
import { seededRandom, prepared } from './output.ts';
import { type Move, type Scene, sceneFor, type Technique } from './scene.ts';
import { type Slate, slateSvg } from './slate.ts';

/** RGBA pixels, row by row. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

type Size = Pick<Raster, 'width' | 'height'>;

/** A scene as one take sees it, ready to be painted from any moment of the camera's move. */
export interface Scenery {
  readonly back: Raster;
  /** What is nearest; several where it moves by itself. */
  readonly fronts: readonly Raster[];
  readonly move: Move;
}

/** How much larger a plane is than the picture, so that a camera that moves never sees its edge. */
export const OVERSIZE = 1.24;

/** Reads the planes of a scene for pictures of a size. `seed` decides their colours. */
export async function loadScenery(scene: Scene, seed: string, size: Size, fronts?: string[]): Promise<Scenery> {
  const random = seededRandom(`${seed} colours`);
  const colours = {
    brightness: 0.94 + 0.12 * random(),
    saturation: 0.85 + 0.25 * random(),
    hue: Math.round(350 + 20 * random()) % 360,
  };
  const load = (name: string): Promise<Raster> =>
    rasterFor(
      sharp(prepared(`${name}.webp`))
        .resize(Math.ceil(size.width * OVERSIZE), Math.ceil(size.height * OVERSIZE), { fit: 'cover' })
        .flop(scene.isMirrored)
        .modulate(colours),
    );
  const name = `${scene.place}-${scene.time}-${String(scene.variant)}`;
  const back = await load(`${name}-back`);
  return { back, fronts: await Promise.all((fronts ?? [`${name}-front`]).map(load)), move: scene.move };
}

export async function rasterFor(image: Sharp): Promise<Raster> {
  const { data, info } = await image.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

/** Paints all of a picture as it is at a moment of the film, 0 to 1. */
export function paintScenery(picture: Raster, { back, fronts, move }: Scenery, moment: number, pose = 0): void {
  const { width, height } = picture;
  const near = fronts[pose % fronts.length];
  for (const [plane, depth] of [[back, 0.25] as const, ...(near ? [[near, 0.85] as const] : [])]) {
    const view = viewAt(move, moment, depth);
    const place = (size: number, whole: number, shift: number) =>
      Int32Array.from({ length: size }, (_, at) =>
        Math.round(whole / 2 + shift * size + (at + 0.5 - size / 2) / view.scale - 0.5),
      );
    layOver(picture, plane, place(width, plane.width, view.x), place(height, plane.height, view.y));
  }
}

/** The most a plane can be moved to each side before its edge is seen, as a share of the picture. */
const ROOM = (OVERSIZE - 1) / 2;
const GROWTH = 0.13;

/**
 * How a camera sees a plane at a moment of its move, 0 to 1: in widths and heights of the picture from its middle, and how
 * much nearer than at rest. The depth is the plane's share of the move: 0 for the sky, 1 for what is nearest.
 */
export function viewAt(move: Move, moment: number, depth: number): { x: number; y: number; scale: number } {
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

const straight = (size: number): Int32Array => Int32Array.from({ length: size }, (_, at) => at);

/** Lays a plane over a whole picture, whose column x and row y show those columns and rows of the plane. */
export function layOver(
  picture: Raster,
  plane: Raster,
  columns = straight(picture.width),
  rows = straight(picture.height),
): void {
  const [target, source] = [pixelsFor(picture), pixelsFor(plane)];
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) {
      const over = source[(rows[y] ?? 0) * plane.width + (columns[x] ?? 0)] ?? 0;
      const at = y * picture.width + x;
      const alpha = over >>> 24;
      if (alpha === 255) target[at] = over;
      else if (alpha > 0) target[at] = blended(over, target[at] ?? 0, alpha);
    }
  }
}

/** Pixels are 0xAABBGGRR. Two channels at a time; the result is a hair too dark, which no one sees. */
function blended(over: number, under: number, alpha: number): number {
  const rest = 255 - alpha;
  const even = (((over & 0xff00ff) * alpha + (under & 0xff00ff) * rest) >>> 8) & 0xff00ff;
  const odd = (((over >>> 8) & 0xff) * alpha + ((under >>> 8) & 0xff) * rest) & 0xff00;
  return (0xff000000 | even | odd) >>> 0;
}

const pixelsFor = ({ data }: Raster): Uint32Array =>
  new Uint32Array(data.buffer, data.byteOffset, Math.floor(data.byteLength / 4));

/** A PNG of the scene that the words of a slate name, in the technique that they name. */
export async function stillOf(slate: Slate): Promise<Buffer> {
  const painted = await paintStill(slate, slate.headline, slate.seed);
  return sharp(painted)
    .composite([{ input: Buffer.from(slateSvg(slate)) }])
    .removeAlpha()
    .png({ compressionLevel: 6 })
    .toBuffer();
}

export async function paintStill({ width, height }: Size, prompt: string, seed: string): Promise<Buffer> {
  const scene = sceneFor(prompt, seed);
  const picture = { width, height, data: new Uint8Array(width * height * 4) };
  paintScenery(picture, await loadScenery(scene, seed, picture), 0.5);
  const painted = sharp(picture.data, { raw: { width, height, channels: 4 } }).removeAlpha();
  return inTechnique[scene.technique](await painted.png(QUICK).toBuffer());
}

const QUICK = { compressionLevel: 1 };

const inTechnique: Readonly<Record<Technique, (painted: Buffer) => Promise<Buffer> | Buffer>> = {
  film: (painted) => painted,
  // Only what differs from its surroundings stays dark, as a pencil draws edges.
  pencil: async (painted) => {
    const surroundings = await sharp(painted).greyscale().negate().blur(6).png(QUICK).toBuffer();
    const lines = sharp(painted)
      .greyscale()
      .composite([{ input: surroundings, blend: 'colour-dodge' }]);
    return sharp(await lines.png(QUICK).toBuffer())
      .linear(2.2, -306)
      .png(QUICK)
      .toBuffer();
  },
  print: async (painted) => {
    const grey = await sharp(painted).greyscale().normalise().median(5).png(QUICK).toBuffer();
    const { channels } = await sharp(grey).stats();
    const plate = await sharp(grey)
      .threshold(Math.round(channels[0]?.mean ?? 128))
      .png(QUICK)
      .toBuffer();
    return sharp(plate).toColourspace('srgb').linear([0.84, 0.82, 0.75], [26, 24, 28]).png(QUICK).toBuffer();
  },
  collage: (painted) => sharp(painted).median(9).png({ palette: true, colours: 8, dither: 0 }).toBuffer(),
};
