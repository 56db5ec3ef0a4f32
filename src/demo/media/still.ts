import sharp from 'sharp';
import { paintParticles } from './scene/particles.ts';
import { Planes } from './scene/planes.ts';
import { sceneOf } from './scene/scene.ts';
import { drawAs } from './scene/technique.ts';
import { slateSvg, type Slate } from './slate.ts';

/** A PNG of the scene that a slate's headline describes, with the slate at its edge. */
export async function stillOf(slate: Slate): Promise<Buffer> {
  const { width, height, headline, seed } = slate;
  const scene = sceneOf(headline, seed);
  const planes = await Planes.of(scene, { seed, width, height, seconds: 0, front: NOTHING });
  const picture = { width, height, data: new Uint8Array(width * height * 4) };
  planes.paint(picture, 0.5);
  paintParticles(picture, scene, seed, 2);
  drawAs(scene.technique, picture);
  return sharp(picture.data, { raw: { width, height, channels: 4 } })
    .composite([{ input: Buffer.from(slateSvg(slate)) }])
    .removeAlpha()
    .png({ compressionLevel: 6 })
    .toBuffer();
}

const NOTHING = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';
