import sharp from 'sharp';
import { paintParticles } from './particles.ts';
import { Planes } from './planes.ts';
import { sceneOf, type Technique } from './scene.ts';
import { slateSvg, type Slate } from './slate.ts';

export async function stillOf(slate: Slate): Promise<Buffer> {
  const { width, height, headline, seed } = slate;
  const picture = await paintStill({ width, height, prompt: headline, seed });
  return sharp(picture)
    .composite([{ input: Buffer.from(slateSvg(slate)) }])
    .removeAlpha()
    .png({ compressionLevel: 6 })
    .toBuffer();
}

export async function paintStill(still: { width: number; height: number; prompt: string; seed: string }) {
  const { width, height, prompt, seed } = still;
  const scene = sceneOf(prompt, seed);
  const picture = { width, height, data: new Uint8Array(width * height * 4) };
  (await Planes.of(scene, seed, picture)).paint(picture, 0.5);
  paintParticles(picture, scene, seed, 2);
  const painted = await sharp(picture.data, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .png(QUICK)
    .toBuffer();
  return drawn[scene.technique](painted);
}

const QUICK = { compressionLevel: 1 };

const drawn: Readonly<Record<Technique, (painted: Buffer) => Promise<Buffer> | Buffer>> = {
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
