import { messageFor } from '../../../contract/messages/message.ts';
import { ascii, type ByteSource, ContainerProblem, cutOff } from './source.ts';

interface Frame {
  /** Whole length with its header; null in the free format, whose frames do not say it. */
  readonly length: number | null;
  /** Version, layer and sample rate: what stays the same in all frames of a file. */
  readonly stream: number;
  readonly infoAt: number;
}

const KBPS = {
  v1l1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  v1l2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  v1l3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  v2l1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  v2l23: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const RATES = [44_100, 48_000, 32_000] as const;

/**
 * MP3 (MPEG audio): tags are skipped, frames follow each other to the end, the last one is whole, and there are as many
 * frames and bytes as a Xing or Info header announces. Without such a header, a file cut exactly between two frames
 * looks like a shorter proper file; only the length check of the download can see that.
 */
export async function checkMp3(source: ByteSource): Promise<void> {
  const first = await afterTags(source);
  let position = first;
  let frames = 0;
  let announced: Announced = { frames: null, bytes: null };
  let stream: number | null = null;
  while (position < source.size) {
    source.step();
    const head = await source.bytesUpTo(position, 4);
    const frame = head.length < 4 ? null : readFrame(head.readUInt32BE(0));
    if (frame === null || (stream !== null && frame.stream !== stream)) {
      if (frames > 0 && (await isTrailingTag(source, position))) break;
      throw head.length < 4 ? cutOff() : new ContainerProblem(messageFor('failure.fileDamaged', { where: 'MP3' }));
    }
    if (frame.length === null) return;
    source.requireUpTo(position + frame.length);
    if (frames === 0) announced = await readAnnounced(source, position, frame);
    stream = frame.stream;
    frames += 1;
    position += frame.length;
  }
  if (frames === 0) throw new ContainerProblem(messageFor('failure.fileNoSound'));
  // Writers differ in whether the header's own frame counts, so it is counted in their favour.
  if (frames < (announced.frames ?? 0) || position - first < (announced.bytes ?? 0)) throw cutOff();
}

interface Announced {
  readonly frames: number | null;
  readonly bytes: number | null;
}

async function readAnnounced(source: ByteSource, position: number, frame: Frame): Promise<Announced> {
  const none = { frames: null, bytes: null };
  if (frame.length === null || frame.infoAt + 16 > frame.length) return none;
  const info = await source.bytes(position + frame.infoAt, 16);
  if (!['Xing', 'Info'].includes(ascii(info, 0, 4))) return none;
  const flags = info.readUInt32BE(4);
  const hasFrames = (flags & 1) !== 0;
  const hasBytes = (flags & 2) !== 0;
  return {
    frames: hasFrames ? info.readUInt32BE(8) : null,
    bytes: hasBytes ? info.readUInt32BE(hasFrames ? 12 : 8) : null,
  };
}

/** Reads the four bytes of a frame header (ISO 11172-3, 2.4.1.3), or null when they are none. */
function readFrame(header: number): Frame | null {
  const version = (header >>> 19) & 3;
  const layer = 4 - ((header >>> 17) & 3);
  const bitrateIndex = (header >>> 12) & 15;
  const rate = RATES[(header >>> 10) & 3];
  if (header >>> 21 !== 0x7ff || version === 1 || layer === 4 || bitrateIndex === 15 || rate === undefined) return null;
  const first = version === 3;
  const mono = ((header >>> 6) & 3) === 3;
  const sampleRate = first ? rate : version === 2 ? rate / 2 : rate / 4;
  const sideInformation = first ? (mono ? 17 : 32) : mono ? 9 : 17;
  return {
    length: bitrateIndex === 0 ? null : frameLength(header, first, layer, bitrateIndex, sampleRate),
    stream: header & 0xfffe0c00,
    infoAt: 4 + sideInformation,
  };
}

function frameLength(header: number, first: boolean, layer: number, bitrateIndex: number, sampleRate: number): number {
  const padding = (header >>> 9) & 1;
  const bitrate = 1000 * (bitratesFor(first, layer)[bitrateIndex] ?? 0);
  if (layer === 1) return (Math.floor((12 * bitrate) / sampleRate) + padding) * 4;
  const samples = layer === 3 && !first ? 72 : 144;
  return Math.floor((samples * bitrate) / sampleRate) + padding;
}

function bitratesFor(first: boolean, layer: number): readonly number[] {
  if (!first) return layer === 1 ? KBPS.v2l1 : KBPS.v2l23;
  if (layer === 1) return KBPS.v1l1;
  return layer === 2 ? KBPS.v1l2 : KBPS.v1l3;
}

/**
 * AAC as a stream (ADTS, ISO 13818-7): tags are skipped, frames follow each other to the end, and the last one is whole.
 * A file cut exactly between two frames is a shorter proper file; only the length check of the download can see that.
 */
export async function checkAdts(source: ByteSource): Promise<void> {
  let position = await afterTags(source);
  let frames = 0;
  while (position < source.size) {
    source.step();
    const length = adtsFrameLength(await source.bytesUpTo(position, 7));
    if (length === null) {
      if (frames > 0 && (await isTrailingTag(source, position))) break;
      throw source.size - position < 7
        ? cutOff()
        : new ContainerProblem(messageFor('failure.fileDamaged', { where: 'ADTS' }));
    }
    source.requireUpTo(position + length);
    frames += 1;
    position += length;
  }
  if (frames === 0) throw new ContainerProblem(messageFor('failure.fileNoSound'));
}

/** The whole length of a frame by its header, or null when the bytes are none. */
function adtsFrameLength(head: Buffer): number | null {
  if (head.length < 7) return null;
  const [sync = 0, layer = 0, , high = 0, middle = 0, low = 0] = head;
  if (sync !== 0xff || (layer & 0xf6) !== 0xf0) return null;
  const length = ((high & 0x03) << 11) | (middle << 3) | (low >> 5);
  return length >= 7 ? length : null;
}

/** Where the sound starts: after any ID3v2 tags and the zeros some writers leave behind them. */
async function afterTags(source: ByteSource): Promise<number> {
  let position = 0;
  for (;;) {
    const head = await source.bytesUpTo(position, 10);
    if (head.length < 10 || ascii(head, 0, 3) !== 'ID3') break;
    source.step();
    const size = head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
    const footer = ((head[5] ?? 0) & 0x10) === 0 ? 0 : 10;
    position += 10 + size + footer;
    source.requireUpTo(position);
  }
  if (position === 0) return 0;
  while (position < source.size && (await source.bytes(position, 1))[0] === 0) {
    source.step();
    position += 1;
  }
  return position;
}

async function isTrailingTag(source: ByteSource, position: number): Promise<boolean> {
  const rest = source.size - position;
  const start = ascii(await source.bytesUpTo(position, 11));
  if (start.startsWith('TAG')) return rest === 128;
  if (start.startsWith('APETAGEX') || start === 'LYRICSBEGIN' || start.startsWith('ID3')) return true;
  for (let at = position; at < source.size; at += 1) {
    source.step();
    if ((await source.bytes(at, 1))[0] !== 0) return false;
  }
  return true;
}

const OGG_FIRST = 0x02;
const OGG_LAST = 0x04;

/** Ogg (RFC 3533): pages that follow each other to the end of the file, every stream with its last page. */
export async function checkOgg(source: ByteSource): Promise<void> {
  const open = new Set<number>();
  let streams = 0;
  for (let position = 0; position < source.size;) {
    source.step();
    const head = await source.bytes(position, 27);
    if (ascii(head, 0, 4) !== 'OggS') throw new ContainerProblem(messageFor('failure.fileDamaged', { where: 'OggS' }));
    const flags = head[5] ?? 0;
    const serial = head.readUInt32LE(14);
    const segments = head[26] ?? 0;
    if ((flags & OGG_FIRST) !== 0) {
      open.add(serial);
      streams += 1;
    }
    if ((flags & OGG_LAST) !== 0) open.delete(serial);
    const lengths = await source.bytes(position + 27, segments);
    position += 27 + segments + lengths.reduce((sum, length) => sum + length, 0);
    source.requireUpTo(position);
  }
  if (streams === 0) throw new ContainerProblem(messageFor('failure.fileNotStarted', { format: 'Ogg' }));
  if (open.size > 0) throw new ContainerProblem(messageFor('failure.filePartMissing', { part: 'Ogg EOS' }));
}
