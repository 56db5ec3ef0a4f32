import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { drawIcons } from '../../scripts/icons.ts';
import { lettersFile, outlineLetters } from '../../scripts/letters.ts';

const root = resolve(import.meta.dirname, '../..');
const icons = join(root, 'resources/icons');

const pixelsOf = (png: Buffer): Promise<Buffer> => sharp(png).ensureAlpha().raw().toBuffer();

describe('the icons', () => {
  it('are those that their drawing gives @night', async () => {
    for (const { file, bytes } of await drawIcons()) {
      const kept = readFileSync(join(icons, file));
      if (!file.endsWith('.png')) {
        expect(kept.byteLength, file).toBeGreaterThan(10_000);
        continue;
      }
      const [now, before] = await Promise.all([pixelsOf(bytes), pixelsOf(kept)]);
      expect(now.length, file).toBe(before.length);
      // Another version of the library may round an edge another way.
      const off = now.reduce((sum, value, at) => sum + Math.abs(value - (before[at] ?? 0)), 0) / now.length;
      expect(off, `${file}: draw the icons again with npm run icons`).toBeLessThan(1);
    }
  });

  it('show the window under the same one as the app', () => {
    const shown = readFileSync(join(root, 'src/renderer/public/icon.svg'), 'utf8');
    expect(shown).toBe(readFileSync(join(icons, 'icon.svg'), 'utf8'));
  });

  it('hold every size that the systems ask for', async () => {
    const icns = readFileSync(join(icons, 'icon.icns'));
    expect(icns.toString('latin1', 0, 4)).toBe('icns');
    for (const size of ['ic07', 'ic08', 'ic09', 'ic10', 'ic11', 'ic13']) expect(icns.includes(size), size).toBe(true);
    const ico = readFileSync(join(icons, 'icon.ico'));
    expect(ico.readUInt16LE(2)).toBe(1);
    const widths = Array.from({ length: ico.readUInt16LE(4) }, (_none, index) => ico.readUInt8(6 + 16 * index) || 256);
    expect(widths).toEqual(expect.arrayContaining([16, 24, 32, 48, 256]));
    for (const [name, width] of [
      ['trayTemplate.png', 16],
      ['trayTemplate@2x.png', 32],
    ] as const) {
      const { data, info } = await sharp(join(icons, 'tray', name))
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect(info.width).toBe(width);
      const colours = data.filter((_value, at) => info.channels === 4 && at % 4 !== 3);
      expect(
        colours.every((value) => value === 0),
        `${name} has colours of its own`,
      ).toBe(true);
    }
  });
});

it('the letters of the demo are those that their font gives', () => {
  expect(readFileSync(lettersFile, 'utf8')).toBe(outlineLetters());
});
