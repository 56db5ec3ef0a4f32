import { messageFor } from '../../../contract/messages/message.ts';
import { afterTags, isTrailingTag } from './sound-tags.ts';
import { ascii, ContainerProblem, cutOff } from './source.ts';
import type { ByteSource } from './source.ts';

interface Frame {
  /** Whole length with its header; null in the free format, whose frames do not say it. */
  readonly length: number | null;
  /** Version, layer and sample rate: what stays the same in all frames of a file. */
  readonly stream: number;
  /** The offset of a Xing or Info header from the start of the frame. */
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
  const bitrate = 1000 * (bitratesOf(first, layer)[bitrateIndex] ?? 0);
  if (layer === 1) return (Math.floor((12 * bitrate) / sampleRate) + padding) * 4;
  const samples = layer === 3 && !first ? 72 : 144;
  return Math.floor((samples * bitrate) / sampleRate) + padding;
}

function bitratesOf(first: boolean, layer: number): readonly number[] {
  if (!first) return layer === 1 ? KBPS.v2l1 : KBPS.v2l23;
  if (layer === 1) return KBPS.v1l1;
  return layer === 2 ? KBPS.v1l2 : KBPS.v1l3;
}
