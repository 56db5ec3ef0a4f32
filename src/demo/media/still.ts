import sharp from 'sharp';
import { paintParticles } from './scene/particles.ts';
import { Planes } from './scene/planes.ts';
import { sceneOf } from './scene/scene.ts';
import { drawAs } from './scene/technique.ts';
import { slateSvg, type Slate } from './slate.ts';

/** A PNG of the scene that a slate's headline describes, with the slate at its edge. */
export async function stillOf(slate: Slate): Promise<Buffer> {
  const { width, height, headline, seed } = slate;
  const data = await paintStill({ width, height, prompt: headline, seed });
  return sharp(data, { raw: { width, height, channels: 4 } })
    .composite([{ input: Buffer.from(slateSvg(slate)) }])
    .removeAlpha()
    .png({ compressionLevel: 6 })
    .toBuffer();
}

/** The pixels (RGBA) of the scene that a prompt describes. */
export async function paintStill(still: { width: number; height: number; prompt: string; seed: string }) {
  const { width, height, prompt, seed } = still;
  const scene = sceneOf(prompt, seed);
  const planes = await Planes.of(scene, { seed, width, height, seconds: 0, front: NOTHING });
  const picture = { width, height, data: new Uint8Array(width * height * 4) };
  planes.paint(picture, 0.5);
  paintParticles(picture, scene, seed, 2);
  drawAs(scene.technique, picture);
  return picture.data;
}

const NOTHING = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';
