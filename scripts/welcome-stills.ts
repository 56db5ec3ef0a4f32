import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { paintStill } from '../src/demo/media/scenery.ts';

/** Makes the pictures of the welcome page from the demo's scenes: `node scripts/welcome-stills.ts`. */
const FOLDER = join(import.meta.dirname, '../src/renderer/views/projects/stills');
const size = { width: 640, height: 360 };

const stills = {
  lighthouse: { prompt: 'A lighthouse over the sea at dusk, wide, golden light', seed: 'b' },
  rower: { prompt: 'A woman rows a boat through fog at dawn, calm water', seed: 'a' },
  city: { prompt: 'City rooftops at night, neon, rain', seed: 'c' },
  mountains: { prompt: 'Snow on mountain peaks in the morning, a valley with pines', seed: 'd' },
};

mkdirSync(FOLDER, { recursive: true });
for (const [name, { prompt, seed }] of Object.entries(stills)) {
  await sharp(await paintStill(size, prompt, seed))
    .resize(400)
    .webp({ quality: 72 })
    .toFile(join(FOLDER, `${name}.webp`));
}
