import { fileTypeFromBuffer } from 'file-type';
import type SharpLibrary from 'sharp';
import type { Sharp, SharpOptions } from 'sharp';

/** Content types that we decode. Other files are kept, but no picture of them is shown. */
const DECODED: readonly string[] = ['image/jpeg', 'image/png', 'image/apng', 'image/webp', 'image/gif'];

/**
 * The decoders for these types. The demo service draws its pictures with the SVG decoder and may share this process. No
 * file reaches that decoder, because we check the content first.
 */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Svg'].map((name) => `VipsForeignLoad${name}`);

/** Far longer than the largest picture takes. */
const MOST_SECONDS = 20;

/** The number of bytes that `file-type` needs to recognize a file. */
const SAMPLE = 4100;

export function isDecoded(contentType: string): boolean {
  return DECODED.includes(contentType);
}

/** Opens a picture with limits on its pixels and decoding time. Rejects for any other format. */
export async function openPicture(bytes: Buffer, mostPixels: number, mostSeconds = MOST_SECONDS): Promise<Sharp> {
  const type = await fileTypeFromBuffer(bytes.subarray(0, SAMPLE));
  if (!type || !isDecoded(type.mime))
    throw new Error(`Pictures of this kind are not drawn (${type?.mime ?? 'unknown'}).`);
  const sharp = await decoders();
  return sharp(bytes, bounds(mostPixels)).timeout({ seconds: mostSeconds });
}

/** Width and height of a file that is known to have one of these formats. Reads only its header. */
export async function pictureSize(path: string, mostPixels: number): Promise<{ width: number; height: number }> {
  const sharp = await decoders();
  const { width, height } = await sharp(path, bounds(mostPixels)).metadata();
  return { width, height };
}

const bounds = (limitInputPixels: number): SharpOptions => ({ limitInputPixels, failOn: 'warning' });

let loaded: Promise<typeof SharpLibrary> | null = null;

/** Loads sharp with the first picture, because loading delays a start. */
function decoders(): Promise<typeof SharpLibrary> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: DECODERS });
    return sharp;
  });
  return loaded;
}
