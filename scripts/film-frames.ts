import { join } from 'node:path';
import sharp, { type OverlayOptions } from 'sharp';
import { loadScenery, paintScenery } from '../src/demo/media/scenery.ts';
import { sceneFor } from '../src/demo/media/scene.ts';

/** Three frames of three films of the demo service, side by side: `node scripts/film-frames.ts`. */
const FILE = join(import.meta.dirname, '../docs/images/films.webp');
const size = { width: 640, height: 360 };
const SHOWN = { width: 400, height: 225, gap: 8 };
const films = [
  { prompt: 'A lighthouse over the sea at dusk, wide, golden light, the camera pushes in', seed: 'b' },
  { prompt: 'City rooftops at night, neon, the camera pans right', seed: 'c' },
  { prompt: 'Mountain peaks in the morning, a valley with pines, the camera rises', seed: 'd' },
];
const moments = [0.05, 0.5, 0.95];

const frames: OverlayOptions[] = [];
for (const [row, { prompt, seed }] of films.entries()) {
  const scene = sceneFor(prompt, seed);
  const scenery = await loadScenery(scene, seed, size);
  for (const [column, moment] of moments.entries()) {
    const frame = { ...size, data: new Uint8Array(size.width * size.height * 4) };
    paintScenery(frame, scenery, moment);
    const input = await sharp(frame.data, { raw: { ...size, channels: 4 } })
      .removeAlpha()
      .resize(SHOWN.width)
      .png()
      .toBuffer();
    frames.push({ input, left: column * (SHOWN.width + SHOWN.gap), top: row * (SHOWN.height + SHOWN.gap) });
  }
}
const across = (length: number, count: number): number => count * length + (count - 1) * SHOWN.gap;
await sharp({
  create: {
    width: across(SHOWN.width, moments.length),
    height: across(SHOWN.height, films.length),
    channels: 3,
    background: '#101012',
  },
})
  .composite(frames)
  .webp({ quality: 78 })
  .toFile(FILE);
