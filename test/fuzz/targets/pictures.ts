import { drawPicture } from '../../../src/engine/base/pictures.ts';
import { gif, jpeg, losslessWebp, png, progressiveJpeg, webp } from '../../engine/downloads/samples.ts';
import type { Target } from '../target.ts';

export const targetIn = (): Target => ({
  samples: () => Promise.all([png(), jpeg(), progressiveJpeg(), webp(), losslessWebp(), gif()]),
  async read(input) {
    const drawn = drawPicture(input, 4096 * 4096, (picture) => picture.resize(64, 64).webp().toBuffer());
    // Every error of the decoder is told as that of the picture.
    const bytes = await drawn.catch(() => null);
    if (bytes !== null && bytes.length > 100_000) throw new Error(`A small picture of ${bytes.length} bytes.`);
  },
});
