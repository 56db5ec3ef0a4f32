import { fileTypeFromBuffer } from 'file-type';
import type SharpLibrary from 'sharp';
import type { Sharp, SharpOptions } from 'sharp';

/** Content types of the pictures that are decoded. Everything else is a file that is kept and not drawn. */
const DECODED: readonly string[] = ['image/jpeg', 'image/png', 'image/apng', 'image/webp', 'image/gif'];

/**
 * The decoders for them. The one for SVG is the demo service's, which draws its pictures by it and may share this
 * process; no file gets there, since its content is looked at first.
 */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Svg'].map((name) => `VipsForeignLoad${name}`);

/** Far longer than the largest picture takes. */
const MOST_SECONDS = 20;

/** What `file-type` wants to see of a file. */
const SAMPLE = 4100;

export function isDecoded(contentType: string): boolean {
  return DECODED.includes(contentType);
}

/** A picture to be read or drawn, with bounds on its pixels and its time. Rejects for what is none of those formats. */
export async function openPicture(bytes: Buffer, mostPixels: number, mostSeconds = MOST_SECONDS): Promise<Sharp> {
  const type = await fileTypeFromBuffer(bytes.subarray(0, SAMPLE));
  if (!type || !isDecoded(type.mime))
    throw new Error(`Pictures of this kind are not drawn (${type?.mime ?? 'unknown'}).`);
  const sharp = await decoders();
  return sharp(bytes, bounds(mostPixels)).timeout({ seconds: mostSeconds });
}

/** Width and height of a file whose content is known to be one of those formats; only its head is read. */
export async function pictureSize(path: string, mostPixels: number): Promise<{ width: number; height: number }> {
  const sharp = await decoders();
  const { width, height } = await sharp(path, bounds(mostPixels)).metadata();
  return { width, height };
}

const bounds = (limitInputPixels: number): SharpOptions => ({ limitInputPixels, failOn: 'warning' });

let loaded: Promise<typeof SharpLibrary> | null = null;

/** Loaded at the first picture: it takes a moment, which no start has to wait for. */
function decoders(): Promise<typeof SharpLibrary> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: DECODERS });
    return sharp;
  });
  return loaded;
}
