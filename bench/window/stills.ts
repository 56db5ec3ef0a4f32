import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

/** Different pictures; every take has one of them under an address of its own. */
const PICTURES = 16;
const ORIGINAL = { width: 1536, height: 1024 };
const THUMB_WIDTH = 320;

/** Made-up photographs, and their small pictures as the server makes them. */
export interface Stills {
  /** File and size in bytes of the picture that a take shows. */
  original(take: number): { readonly path: string; readonly bytes: number };
  /** File of the same, 320 pixels wide. */
  thumb(take: number): string;
}

/** Makes the pictures in `folder`: soft shapes under grain, which takes as much decoding as a photograph. */
export async function makeStills(folder: string): Promise<Stills> {
  mkdirSync(folder, { recursive: true });
  const paths = await Promise.all(Array.from({ length: PICTURES }, (_, index) => makeStill(folder, index)));
  const sizes = paths.map(({ original }) => statSync(original).size);
  const of = (take: number): { original: string; thumb: string; bytes: number } => {
    const index = take % PICTURES;
    const path = paths[index];
    if (!path) throw new Error(`There is no picture ${index}.`);
    return { ...path, bytes: sizes[index] ?? 0 };
  };
  return {
    original: (take) => ({ path: of(take).original, bytes: of(take).bytes }),
    thumb: (take) => of(take).thumb,
  };
}

async function makeStill(folder: string, index: number): Promise<{ original: string; thumb: string }> {
  const original = join(folder, `${index}.jpg`);
  const thumb = join(folder, `${index}-320.webp`);
  const shapes = Buffer.from(Array.from({ length: 12 * 8 * 3 }, (_, place) => Math.abs(Math.sin(place * index)) * 255));
  const picture = sharp(shapes, { raw: { width: 12, height: 8, channels: 3 } })
    .resize({ ...ORIGINAL, fit: 'fill', kernel: 'cubic' })
    .composite([{ input: await grain(), blend: 'overlay' }]);
  await picture.jpeg({ quality: 88 }).toFile(original);
  await sharp(original).resize({ width: THUMB_WIDTH }).webp({ quality: 80 }).toFile(thumb);
  return { original, thumb };
}

let grainMade: Promise<Buffer> | null = null;

function grain(): Promise<Buffer> {
  grainMade ??= sharp({
    create: { ...ORIGINAL, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 18 } },
  })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return grainMade;
}
