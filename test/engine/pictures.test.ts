import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { openPicture } from '../../src/engine/base/pictures.ts';

const MOST = 4096 * 4096;
const square = (side: number) => sharp({ create: { width: side, height: side, channels: 3, background: '#2266aa' } });

describe('a picture from elsewhere', () => {
  it('is decoded when it is JPEG, PNG, WebP or GIF', async () => {
    for (const format of ['jpeg', 'png', 'webp', 'gif'] as const) {
      const picture = await openPicture(await square(64).toFormat(format).toBuffer(), MOST);
      expect((await picture.metadata()).format).toBe(format);
    }
  });

  it('reaches no other decoder, whatever its content', async () => {
    const others = {
      tiff: await square(64).tiff().toBuffer(),
      avif: await square(64).avif().toBuffer(),
      svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      pdf: Buffer.from('%PDF-1.7\n'),
      ppm: Buffer.from('P6 1 1 255\nabc'),
    };
    for (const [name, bytes] of Object.entries(others))
      await expect(openPicture(bytes, MOST), name).rejects.toThrow('not drawn');
    // Even where nobody looks at the content first, the decoder is blocked.
    await expect(sharp(others.tiff).metadata()).rejects.toThrow();
    await expect(sharp(others.avif).metadata()).rejects.toThrow();
  });

  it('is refused when it has more pixels than are allowed', async () => {
    const picture = await openPicture(await square(200).png().toBuffer(), 100 * 100);
    await expect(picture.toBuffer()).rejects.toThrow('exceeds pixel limit');
  });

  it('is given up when it takes too long', async () => {
    const large = await square(9000).png({ compressionLevel: 1 }).toBuffer();
    const picture = await openPicture(large, 16_384 * 16_384, 1);
    await expect(picture.rotate(45).png({ compressionLevel: 9 }).toBuffer()).rejects.toThrow('timeout');
  });
});
