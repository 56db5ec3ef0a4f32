import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import png2icons from 'png2icons';
import sharp from 'sharp';

/**
 * Draws every icon from `resources/icons/icon.svg` and `tray.svg`. They are kept with the sources, because the app shows
 * some of them from a checkout too; a test draws them again and compares.
 */
const folder = resolve(import.meta.dirname, '../resources/icons');
const SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024];
/** macOS wants room around a tile, the others show what they are given. */
const WITHOUT_MARGIN = 'viewBox="80 80 864 864"';

export interface Drawing {
  /** Relative to `resources/icons`. */
  readonly file: string;
  readonly bytes: Buffer;
}

export async function drawIcons(): Promise<Drawing[]> {
  const icon = readFileSync(join(folder, 'icon.svg'), 'utf8');
  const full = icon.replace(/viewBox="[^"]+"/, WITHOUT_MARGIN);
  const tray = readFileSync(join(folder, 'tray.svg'), 'utf8');
  const largest = await drawn(full, 1024);
  return [
    { file: 'icon.icns', bytes: png2icons.createICNS(await drawn(icon, 1024), png2icons.BICUBIC, 0) ?? none('icns') },
    { file: 'icon.ico', bytes: png2icons.createICO(largest, png2icons.BICUBIC, 0, false, true) ?? none('ico') },
    ...(await Promise.all(
      SIZES.map(async (size) => ({ file: `png/${size}x${size}.png`, bytes: await drawn(full, size) })),
    )),
    { file: 'tray/tray.png', bytes: await drawn(full, 16) },
    { file: 'tray/tray@2x.png', bytes: await drawn(full, 32) },
    // macOS knows by this name that it is to colour them.
    { file: 'tray/trayTemplate.png', bytes: await drawn(tray, 16) },
    { file: 'tray/trayTemplate@2x.png', bytes: await drawn(tray, 32) },
  ];
}

async function drawn(svg: string, size: number): Promise<Buffer> {
  const width = Number(/viewBox="\S+ \S+ (\S+)/.exec(svg)?.[1]);
  // Drawn at the size it is shown in, not drawn small and made larger.
  const density = Math.max(1, (72 * size) / width);
  return sharp(Buffer.from(svg), { density }).resize(size, size).png({ compressionLevel: 9 }).toBuffer();
}

function none(format: string): never {
  throw new Error(`The ${format} file could not be made.`);
}

if (import.meta.main) {
  for (const { file, bytes } of await drawIcons()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), bytes);
  }
}
