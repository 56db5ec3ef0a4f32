import { commentBlock } from './flac.ts';

/** Samples at 48 kHz in one packet of 20 ms, and those that a player leaves out at the start. */
const [PACKET_SAMPLES, PRE_SKIP] = [960, 312];
const PACKETS_A_PAGE = 50;
const FIRST = 0x02;
const LAST = 0x04;

/** An Ogg file of Opus packets of 20 ms each, mono (RFC 7845). */
export function oggOpus(packets: readonly Buffer[], note: string): Buffer {
  const head = Buffer.from('OpusHead\x01\x01\0\0\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt16LE(PRE_SKIP, 10);
  head.writeUInt32LE(24_000, 12);
  const pages = [
    page({ packets: [head], number: 0, flags: FIRST, position: 0 }),
    page({ packets: [Buffer.concat([Buffer.from('OpusTags'), commentBlock(note)])], number: 1, flags: 0, position: 0 }),
  ];
  for (let at = 0; at < packets.length; at += PACKETS_A_PAGE) {
    const some = packets.slice(at, at + PACKETS_A_PAGE);
    const end = at + some.length;
    const flags = end === packets.length ? LAST : 0;
    pages.push(page({ packets: some, number: pages.length, flags, position: end * PACKET_SAMPLES }));
  }
  return Buffer.concat(pages);
}

function page(facts: { packets: readonly Buffer[]; number: number; flags: number; position: number }): Buffer {
  const segments = facts.packets.flatMap(({ length }) => [
    ...Array.from({ length: Math.floor(length / 255) }, () => 255),
    length % 255,
  ]);
  const head = Buffer.alloc(27);
  head.write('OggS', 0, 'latin1');
  head[5] = facts.flags;
  head.writeBigUInt64LE(BigInt(facts.position), 6);
  head.writeUInt32LE(1, 14);
  head.writeUInt32LE(facts.number, 18);
  head[26] = segments.length;
  const whole = Buffer.concat([head, Buffer.from(segments), ...facts.packets]);
  whole.writeUInt32LE(checksum(whole), 22);
  return whole;
}

/** CRC-32 as Ogg has it: not reflected, begun at zero. */
function checksum(bytes: Buffer): number {
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1;
  }
  return value >>> 0;
}
