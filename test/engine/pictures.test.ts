import { setImmediate } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { drawPicture } from '../../src/engine/base/pictures.ts';

const MOST = 4096 * 4096;
const drawn = (picture: Sharp) => picture.toBuffer();
const square = (side: number) => sharp({ create: { width: side, height: side, channels: 3, background: '#2266aa' } });

describe('a picture from elsewhere', () => {
  it('is decoded when it is JPEG, PNG, WebP or GIF', async () => {
    for (const format of ['jpeg', 'png', 'webp', 'gif'] as const) {
      const bytes = await square(64).toFormat(format).toBuffer();
      expect((await drawPicture(bytes, MOST, (picture) => picture.metadata())).format).toBe(format);
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
      await expect(drawPicture(bytes, MOST, drawn), name).rejects.toThrow('not drawn');
    // Even where nobody looks at the content first, the decoder is blocked.
    await expect(sharp(others.tiff).metadata()).rejects.toThrow();
    await expect(sharp(others.avif).metadata()).rejects.toThrow();
  });

  it('is refused when it has more pixels than are allowed', async () => {
    const bytes = await square(200).png().toBuffer();
    await expect(drawPicture(bytes, 100 * 100, drawn)).rejects.toThrow('exceeds pixel limit');
  });

  it('is given up when it takes too long @night', async () => {
    const large = await square(9000).png({ compressionLevel: 1 }).toBuffer();
    const turned = (picture: Sharp) => picture.rotate(45).png({ compressionLevel: 9 }).toBuffer();
    await expect(drawPicture(large, 16_384 * 16_384, turned, 1)).rejects.toThrow('timeout');
  });

  it('is refused before it is decoded when its pixels take too much memory', async () => {
    const header = pngHeader(17_000, 17_000);
    await expect(drawPicture(header, 32_768 ** 2, drawn)).rejects.toThrow('too much memory');
  });

  it('is drawn alone when it is large', async () => {
    const bytes = await square(4000).png({ compressionLevel: 1 }).toBuffer();
    let atOnce = 0;
    let most = 0;
    const draw = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await setImmediate();
      atOnce -= 1;
    };
    await Promise.all(Array.from({ length: 6 }, () => drawPicture(bytes, MOST, draw)));
    expect(most).toBe(1);
  });
});

/** The beginning of an interlaced PNG with 16 bits a channel, of a few dozen bytes. */
function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([16, 6, 0, 0, 1], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, pngChunk('IHDR', header), pngChunk('IDAT', deflateSync(Buffer.alloc(64)))]);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
