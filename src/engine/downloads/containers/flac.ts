import { messageFor } from '../../../contract/messages/message.ts';
import { ascii, ContainerProblem, cutOff, type ByteSource } from './source.ts';

interface StreamInfo {
  readonly blockSamples: number;
  /** 0 where the writer did not know. */
  readonly longestFrame: number;
  /** 0 where the writer did not know. */
  readonly samples: number;
}

/** How much of the end is looked at. Frames of usual sounds have a quarter of it. */
const END_BYTES = 64 * 1024;

/**
 * FLAC (RFC 9639): whole metadata blocks, sound after them, and at the end of the file a frame whose own check holds and
 * which brings the last of the samples that are announced. Frames do not say how long they are, so those before it are not
 * looked at.
 */
export async function checkFlac(source: ByteSource): Promise<void> {
  const { info, soundAt } = await readDescription(source);
  if (soundAt === source.size) throw new ContainerProblem(messageFor('failure.fileNoSound'));
  const sync = (await source.bytes(soundAt, 2)).readUInt16BE(0);
  if ((sync & 0xfffc) !== 0xfff8) throw new ContainerProblem(messageFor('failure.fileDamaged', { where: 'FLAC' }));
  if (info === null || info.longestFrame > END_BYTES) return;
  const end = await endOfSound(source);
  const from = Math.max(soundAt, end - END_BYTES);
  const lastFrame = samplesUpTo(Buffer.from(await source.bytes(from, end - from)), info);
  if (lastFrame === null || lastFrame < info.samples) throw cutOff();
}

async function readDescription(source: ByteSource): Promise<{ info: StreamInfo | null; soundAt: number }> {
  let position = 4;
  let info: StreamInfo | null = null;
  for (let last = false; !last;) {
    source.step();
    const head = (await source.bytes(position, 4)).readUInt32BE(0);
    last = head >>> 31 === 1;
    const length = head & 0xffffff;
    source.requireUpTo(position + 4 + length);
    if (((head >>> 24) & 0x7f) === 0 && length >= 18) info = readStreamInfo(await source.bytes(position + 4, 18));
    position += 4 + length;
  }
  return { info, soundAt: position };
}

const readStreamInfo = (bytes: Buffer): StreamInfo => ({
  blockSamples: bytes.readUInt16BE(0),
  longestFrame: bytes.readUIntBE(7, 3),
  samples: ((bytes[13] ?? 0) & 0x0f) * 2 ** 32 + bytes.readUInt32BE(14),
});

/** Some writers put a tag of 128 bytes behind the sound. */
async function endOfSound(source: ByteSource): Promise<number> {
  const at = source.size - 128;
  return at > 0 && ascii(await source.bytes(at, 3)) === 'TAG' ? at : source.size;
}

/** How many samples there are up to the end of the frame that ends these bytes; null where none does. */
function samplesUpTo(bytes: Buffer, info: StreamInfo): number | null {
  for (let at = bytes.length - 8; at >= 0; at -= 1) {
    const samples = readFrameHead(bytes.subarray(at), info);
    if (samples !== null && crc(bytes.subarray(at), 16, 0x8005) === 0) return samples;
  }
  return null;
}

/** How many samples there are up to the end of a frame, or null when no frame begins here. */
function readFrameHead(bytes: Buffer, { blockSamples }: StreamInfo): number | null {
  const [first = 0, second = 0, sizes = 0] = bytes;
  if (first !== 0xff || (second & 0xfe) !== 0xf8) return null;
  const number = readNumber(bytes.subarray(4));
  const sizeCode = sizes >>> 4;
  const rateCode = sizes & 15;
  if (number === null || sizeCode === 0 || rateCode === 15) return null;
  const sizeAt = 4 + number.length;
  const sizeBytes = sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  const rateBytes = rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0;
  const headBytes = sizeAt + sizeBytes + rateBytes;
  // A checksum over bytes that end with their own checksum is zero.
  if (headBytes + 3 > bytes.length || crc(bytes.subarray(0, headBytes + 1), 8, 0x07) !== 0) return null;
  const samples = sizeBytes > 0 ? bytes.readUIntBE(sizeAt, sizeBytes) + 1 : usualBlock(sizeCode);
  const namesSample = (second & 1) === 1;
  return (namesSample ? number.value : number.value * blockSamples) + samples;
}

function usualBlock(code: number): number {
  if (code === 1) return 192;
  return code < 6 ? 576 << (code - 2) : 256 << (code - 8);
}

/** A number as UTF-8 writes characters, for larger numbers too; null when it is none. */
function readNumber(bytes: Buffer): { value: number; length: number } | null {
  const [first = 0] = bytes;
  const ones = Math.clz32(~(first << 24));
  if (ones === 0) return { value: first, length: 1 };
  if (ones === 1 || ones > 7 || bytes.length < ones) return null;
  let value = first & (0x7f >> ones);
  for (const byte of bytes.subarray(1, ones)) {
    if ((byte & 0xc0) !== 0x80) return null;
    value = value * 64 + (byte & 0x3f);
  }
  return { value, length: ones };
}

function crc(bytes: Buffer, bits: 8 | 16, polynomial: number): number {
  const top = 1 << (bits - 1);
  const mask = 2 ** bits - 1;
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1) value = ((value & top) === 0 ? value << 1 : (value << 1) ^ polynomial) & mask;
  }
  return value;
}
