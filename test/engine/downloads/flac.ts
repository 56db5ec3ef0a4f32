import { createHash } from 'node:crypto';

const BLOCK_SAMPLES = 4096;

/** A FLAC file of 16-bit mono, uncompressed inside its frames. `note` goes into its comments. */
export function encodeFlac(samplesPerSecond: number, samples: Int16Array, note: string): Buffer {
  const frames: Buffer[] = [];
  for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) {
    frames.push(frame(at, samples.subarray(at, at + BLOCK_SAMPLES)));
  }
  const info = streamInfo(samplesPerSecond, samples);
  return Buffer.concat([Buffer.from('fLaC'), block(0, info), block(0x84, commentBlock(note)), ...frames]);
}

function block(type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(content.length);
  head[0] = type;
  return Buffer.concat([head, content]);
}

function streamInfo(samplesPerSecond: number, samples: Int16Array): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt16BE(BLOCK_SAMPLES, 0);
  info.writeUInt16BE(BLOCK_SAMPLES, 2);
  // 20 bits of rate, 3 of channels less one, 5 of bits less one, 36 of samples.
  info.writeBigUInt64BE((BigInt(samplesPerSecond) << 44n) | (15n << 36n) | BigInt(samples.length), 10);
  createHash('md5').update(littleEndian(samples)).digest().copy(info, 18);
  return info;
}

function littleEndian(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  samples.forEach((sample, place) => bytes.writeInt16LE(sample, place * 2));
  return bytes;
}

/** The comments of FLAC and of Opus: who wrote it, then a list. */
function commentBlock(note: string): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(1);
  return Buffer.concat([sized('dailies demo'), count, sized(`COMMENT=${note}`)]);
}

function sized(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function frame(firstSample: number, samples: Int16Array): Buffer {
  const sizes = Buffer.alloc(2);
  sizes.writeUInt16BE(samples.length - 1);
  // Its first sample is named, without which browsers do not know when the last frame is to be played; its length in 16
  // bits further on; rate of the stream, mono, 16 bits.
  const start = Buffer.concat([Buffer.from([0xff, 0xf9, 0x70, 0x08]), codedNumber(firstSample), sizes]);
  const head = Buffer.concat([start, Buffer.from([crc8(start)]), Buffer.from([0x02])]);
  const sound = Buffer.from(littleEndian(samples)).swap16();
  const whole = Buffer.concat([head, sound]);
  const check = Buffer.alloc(2);
  check.writeUInt16BE(crc16(whole));
  return Buffer.concat([whole, check]);
}

/** As UTF-8 writes characters, for larger numbers too. */
function codedNumber(number: number): Buffer {
  if (number < 0x80) return Buffer.from([number]);
  const rest: number[] = [];
  let left = number;
  // The first byte has room for one bit less with each byte that follows.
  for (; left >= 0x40 >> rest.length; left = Math.floor(left / 64)) rest.unshift(0x80 | (left % 64));
  return Buffer.from([((0xff00 >> (rest.length + 1)) & 0xff) | left, ...rest]);
}

const crc8 = (bytes: Buffer): number => crc(bytes, 8, 0x07);
const crc16 = (bytes: Buffer): number => crc(bytes, 16, 0x8005);

function crc(bytes: Buffer, bits: number, polynomial: number): number {
  const top = 1 << (bits - 1);
  const mask = (1 << bits) - 1;
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1) value = ((value & top) === 0 ? value << 1 : (value << 1) ^ polynomial) & mask;
  }
  return value;
}
