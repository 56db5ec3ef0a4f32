import { fileTypeFromBuffer } from 'file-type';
import PQueue from 'p-queue';
import type SharpLibrary from 'sharp';
import type { Metadata, Sharp, SharpOptions } from 'sharp';

/** Content types that we decode. Other files are kept, but no picture of them is shown. */
export const DECODED: ReadonlySet<string> = new Set([
  ...['image/jpeg', 'image/png', 'image/apng', 'image/webp', 'image/gif'],
]);

/**
 * The decoders for these types. The demo service draws its pictures with the SVG decoder and may share this process. No
 * file reaches that decoder, because we check the content first.
 */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Svg'].map((name) => `VipsForeignLoad${name}`);

/** Far longer than the largest picture takes. */
const MAX_SECONDS = 20;

/** The number of bytes that `file-type` needs to recognize a file. */
const SAMPLE = 4100;

/** Memory for a picture's pixels, bytes: twice 8K with four channels. Decoding an interlaced one takes double. */
const MAX_DECODED_BYTES = 256 * 1000 ** 2;
/** Of these, one is drawn at a time. */
const LARGE_BYTES = 32 * 1000 ** 2;
const large = new PQueue({ concurrency: 1 });

/** Draws from a picture, limited in pixels, memory and time; large ones take turns. Rejects what is not decoded. */
export async function drawPicture<Drawn>(
  bytes: Buffer,
  mostPixels: number,
  draw: (picture: Sharp) => Promise<Drawn>,
  mostSeconds = MAX_SECONDS,
): Promise<Drawn> {
  const type = await fileTypeFromBuffer(bytes.subarray(0, SAMPLE));
  if (!type || !DECODED.has(type.mime))
    throw new Error(`Pictures of this kind are not drawn (${type?.mime ?? 'unknown'}).`);
  const sharp = await decoders();
  const picture = sharp(bytes, bounds(mostPixels)).timeout({ seconds: mostSeconds });
  const decoded = decodedBytes(await picture.metadata());
  if (decoded > MAX_DECODED_BYTES) throw new Error(`The picture takes too much memory (${decoded} bytes).`);
  return decoded > LARGE_BYTES ? large.add(() => draw(picture)) : draw(picture);
}

const BYTES_OF_DEPTH: Readonly<Record<string, number>> = { uchar: 1, char: 1, ushort: 2, short: 2 };

const decodedBytes = ({ width, height, channels, depth }: Metadata): number =>
  width * height * channels * (BYTES_OF_DEPTH[depth] ?? 4);

/** Width and height as shown, of a file that is known to have one of these formats. Reads only its header. */
export async function pictureSize(path: string, mostPixels: number): Promise<{ width: number; height: number }> {
  const sharp = await decoders();
  return (await sharp(path, bounds(mostPixels)).metadata()).autoOrient;
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

/** A PNG of an SVG of ours; no file of others is drawn by it. */
export async function drawSvg(svg: string): Promise<Buffer> {
  const sharp = await decoders();
  return sharp(Buffer.from(svg)).png({ compressionLevel: 9, palette: true }).toBuffer();
}
