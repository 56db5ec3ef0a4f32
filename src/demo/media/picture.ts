import sharp from 'sharp';
import type { OutputKey } from './media-library.ts';
import { slateSvg } from './slate.ts';
import { takeSlate } from './take-slate.ts';

/** A PNG in the size that was asked for. */
export async function renderPicture(key: OutputKey): Promise<Buffer> {
  return sharp(Buffer.from(slateSvg(takeSlate(key))))
    .removeAlpha()
    .png({ compressionLevel: 6 })
    .toBuffer();
}
