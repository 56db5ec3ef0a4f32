import sharp from 'sharp';

/** RGBA pixels, row by row. */
export interface Raster {
  width: number;
  height: number;
  data: Uint8Array;
}

export type Rgb = readonly [red: number, green: number, blue: number];

/** The pixels of an SVG. */
export async function rasterOf(svg: string): Promise<Raster> {
  const { data, info } = await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

export function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Lays a colour over one pixel; `cover` from 0 to 1. Pixels outside the picture are left alone. */
function blend(picture: Raster, x: number, y: number, colour: Rgb, cover: number): void {
  if (x < 0 || y < 0 || x >= picture.width || y >= picture.height || cover <= 0) return;
  const at = (y * picture.width + x) * 4;
  for (const [channel, level] of colour.entries()) {
    const under = picture.data[at + channel] ?? 0;
    picture.data[at + channel] = Math.round(under + (level - under) * Math.min(cover, 1));
  }
}

/** A disc with a soft edge of one pixel. */
export function drawDisc(picture: Raster, x: number, y: number, radius: number, colour: Rgb): void {
  for (let row = Math.floor(y - radius - 1); row <= y + radius + 1; row++) {
    for (let column = Math.floor(x - radius - 1); column <= x + radius + 1; column++) {
      const distance = Math.hypot(column + 0.5 - x, row + 0.5 - y);
      blend(picture, column, row, colour, radius + 0.5 - distance);
    }
  }
}

/** A line with round ends and soft edges; `cover` from 0 to 1. */
export function drawLine(
  picture: Raster,
  [x0, y0]: readonly [x: number, y: number],
  [x1, y1]: readonly [x: number, y: number],
  { thickness, colour, cover }: { thickness: number; colour: Rgb; cover: number },
): void {
  const half = thickness / 2;
  const long = Math.max(0.001, (x1 - x0) ** 2 + (y1 - y0) ** 2);
  for (let row = Math.floor(Math.min(y0, y1) - half - 1); row <= Math.max(y0, y1) + half + 1; row++) {
    for (let column = Math.floor(Math.min(x0, x1) - half - 1); column <= Math.max(x0, x1) + half + 1; column++) {
      const [x, y] = [column + 0.5, row + 0.5];
      const along = Math.min(1, Math.max(0, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / long));
      const distance = Math.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0));
      blend(picture, column, row, colour, cover * Math.min(1, half + 0.5 - distance));
    }
  }
}

export function drawBar(picture: Raster, x: number, y: number, width: number, height: number, colour: Rgb): void {
  for (let row = Math.round(y); row < Math.round(y + height); row++) {
    for (let column = Math.round(x); column < Math.round(x + width); column++) blend(picture, column, row, colour, 1);
  }
}

/** Lays a sprite on the picture with its top left corner at (x, y). */
export function drawSprite(picture: Raster, sprite: Raster, x: number, y: number): void {
  const from = (size: number, first: number) => Int32Array.from({ length: size }, (_, at) => at - first);
  layOver(picture, sprite, from(picture.width, x), from(picture.height, y));
}

/** Lays a plane over a whole picture, whose column x and row y show those columns and rows of the plane. */
export function layOver(picture: Raster, plane: Raster, columns: Int32Array, rows: Int32Array): void {
  const [target, source] = [pixelsOf(picture), pixelsOf(plane)];
  for (let y = 0; y < picture.height; y++) {
    const row = rows[y] ?? -1;
    if (row < 0 || row >= plane.height) continue;
    for (let x = 0; x < picture.width; x++) {
      const column = columns[x] ?? -1;
      if (column < 0 || column >= plane.width) continue;
      const over = source[row * plane.width + column] ?? 0;
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

const pixelsOf = ({ data }: Raster): Uint32Array =>
  new Uint32Array(data.buffer, data.byteOffset, Math.floor(data.byteLength / 4));
