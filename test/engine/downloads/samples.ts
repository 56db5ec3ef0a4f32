import h264 from 'h264-mp4-encoder';
import sharp from 'sharp';

/** Small, whole, real files of every family, made on the spot. */

const picture = () => sharp({ create: { width: 8, height: 6, channels: 3, background: '#4a7' } });

export const png = (): Promise<Buffer> => picture().png().toBuffer();
export const jpeg = (): Promise<Buffer> => picture().jpeg().withMetadata().toBuffer();
export const progressiveJpeg = (): Promise<Buffer> => picture().jpeg({ progressive: true }).toBuffer();
export const webp = (): Promise<Buffer> => picture().webp().toBuffer();
export const losslessWebp = (): Promise<Buffer> => picture().webp({ lossless: true }).toBuffer();
export const gif = (): Promise<Buffer> => picture().gif().toBuffer();

export const avif = (): Promise<Buffer> => picture().avif({ effort: 0 }).toBuffer();

export async function mp4(): Promise<Buffer> {
  const encoder = await h264.createH264MP4Encoder();
  encoder.width = 32;
  encoder.height = 32;
  encoder.initialize();
  for (const grey of [40, 200]) encoder.addFrameRgba(new Uint8Array(32 * 32 * 4).fill(grey));
  encoder.finalize();
  const bytes = Buffer.from(encoder.FS.readFile(encoder.outputFilename));
  encoder.delete();
  // The encoder ends with padding (`free`); a file without it has lost nothing.
  return bytes.subarray(0, bytes.lastIndexOf('free') - 4);
}

export function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** An MP4-family file by hand. `chunkOffset`: where its one chunk is said to be. */
export function isoMedia(
  options: { brand?: string; handler?: string; chunkOffset?: number; large?: boolean } = {},
): Buffer {
  const { brand = 'M4A ', handler = 'soun', chunkOffset = 40, large = false } = options;
  const ftyp = box('ftyp', Buffer.from(`${brand}\0\0\0\0isom`, 'latin1'));
  const samples = Buffer.alloc(24, 7);
  const mdat = large ? largeBox('mdat', samples) : box('mdat', samples);
  const stco = box('stco', words(0, 1, chunkOffset));
  const hdlr = box('hdlr', words(0, 0), Buffer.from(handler), words(0, 0, 0), Buffer.from('\0'));
  const moov = box('moov', box('trak', box('mdia', hdlr, box('minf', box('stbl', stco)))));
  return Buffer.concat([ftyp, mdat, moov]);
}

function largeBox(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1, 0);
  head.write(type, 4, 'latin1');
  head.writeBigUInt64BE(BigInt(16 + content.length), 8);
  return Buffer.concat([head, content]);
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
}

export function wav(options: { streamed?: boolean; samples?: number } = {}): Buffer {
  const { streamed = false, samples = 40 } = options;
  const data = Buffer.alloc(samples * 2, 3);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(streamed ? 0xffffffff : 36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(streamed ? 0xffffffff : data.length, 40);
  return Buffer.concat([head, data]);
}

/** MPEG 1 layer III, 32 kbit/s, 44.1 kHz, mono: frames of 104 bytes. */
export const MP3_FRAME = 104;

function mp3Frame(): Buffer {
  const frame = Buffer.alloc(MP3_FRAME);
  frame.writeUInt32BE(0xfffb10c0, 0);
  return frame;
}

/** `counts`: how the Xing header counts its frames and bytes, with or without its own frame; null for no header. */
export function mp3(
  options: { frames?: number; counts?: 'with itself' | 'without itself' | null; tag?: Buffer } = {},
): Buffer {
  const { frames = 3, counts = 'with itself', tag = Buffer.alloc(0) } = options;
  const sound = Array.from({ length: frames }, mp3Frame);
  if (counts === null) return Buffer.concat([tag, ...sound]);
  const first = mp3Frame();
  const total = counts === 'with itself' ? frames + 1 : frames;
  first.write('Xing', 4 + 17);
  first.writeUInt32BE(3, 4 + 17 + 4);
  first.writeUInt32BE(total, 4 + 17 + 8);
  first.writeUInt32BE(total * MP3_FRAME, 4 + 17 + 12);
  return Buffer.concat([tag, first, ...sound]);
}

/** AAC LC, 44.1 kHz, stereo, in frames of 100 bytes. */
export const AAC_FRAME = 100;

export function aac(frames: number): Buffer {
  const frame = Buffer.alloc(AAC_FRAME, 0x21);
  Buffer.from([0xff, 0xf1, 0x50, 0x80, AAC_FRAME >> 3, ((AAC_FRAME & 7) << 5) | 0x1f, 0xfc]).copy(frame);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

export function id3(content = 150): Buffer {
  const tag = Buffer.alloc(10 + content);
  tag.write('ID3', 0);
  tag[3] = 4;
  tag[8] = content >> 7;
  tag[9] = content & 0x7f;
  return tag;
}

function oggPage(flags: number, sequence: number, content: Buffer): Buffer {
  const head = Buffer.alloc(28);
  head.write('OggS', 0);
  head[5] = flags;
  head.writeUInt32LE(77, 14);
  head.writeUInt32LE(sequence, 18);
  head[26] = 1;
  head[27] = content.length;
  return Buffer.concat([head, content]);
}

export const opus = (): Buffer => ogg('OpusHead\x01\x01\0\0\0\0\0\0\0\0\0');

/** `begins`: the first bytes of its codec's packet. */
export function ogg(begins = '\x01vorbis\0\0\0\0\x01\0\0\0\0\0\0\0'): Buffer {
  return Buffer.concat([
    oggPage(2, 0, Buffer.from(begins, 'latin1')),
    oggPage(0, 1, Buffer.alloc(40, 9)),
    oggPage(4, 2, Buffer.alloc(30, 8)),
  ]);
}

type Width = 'short' | 'wide' | 'unknown';

/** An EBML element whose size takes two bytes, eight, or is not known. */
function element(id: number[], content: Buffer, width: Width = 'short'): Buffer {
  const [high, low] = [content.length >> 8, content.length & 0xff];
  const size = {
    short: [0x40 | high, low],
    wide: [1, 0, 0, 0, 0, 0, high, low],
    unknown: [1, ...Array<number>(7).fill(0xff)],
  };
  return Buffer.concat([Buffer.from(id), Buffer.from(size[width]), content]);
}

/** `width`: how the sizes of the segment and of its cluster are written. */
export function webm(width: Width = 'short'): Buffer {
  const header = element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], Buffer.from('webm')));
  const tracks = element([0x16, 0x54, 0xae, 0x6b], Buffer.alloc(20));
  const block = element([0xa3], Buffer.alloc(61, 4));
  const cluster = element([0x1f, 0x43, 0xb6, 0x75], Buffer.concat([element([0xe7], Buffer.alloc(1)), block]), width);
  return Buffer.concat([header, element([0x18, 0x53, 0x80, 0x67], Buffer.concat([tracks, cluster]), width)]);
}
