import sharp from 'sharp';

/** RGBA pixels, row by row. */
export interface Raster {
  width: number;
  height: number;
  data: Uint8Array;
}

export type Rgb = readonly [red: number, green: number, blue: number];

/** The pixels of an SVG, `times` as many in each direction as it says. */
export async function rasterOf(svg: string, times = 1): Promise<Raster> {
  const drawn = await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  if (times === 1) return { width: drawn.info.width, height: drawn.info.height, data: drawn.data };
  const { data, info } = await sharp(drawn.data, { raw: drawn.info })
    .resize(drawn.info.width * times, drawn.info.height * times, { kernel: 'linear' })
    .raw()
    .toBuffer({ resolveWithObject: true });
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
  for (let row = 0; row < sprite.height; row++) {
    for (let column = 0; column < sprite.width; column++) {
      const at = (row * sprite.width + column) * 4;
      const [red = 0, green = 0, blue = 0, alpha = 0] = sprite.data.subarray(at, at + 4);
      blend(picture, x + column, y + row, [red, green, blue], alpha / 255);
    }
  }
}
