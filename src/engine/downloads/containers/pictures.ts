import { messageFor } from '../../../contract/messages/message.ts';
import { crc32 } from 'node:zlib';
import { ascii, ContainerProblem, type ByteSource } from './source.ts';

/** PNG (RFC 2083): every chunk with its checksum up to IEND. Bytes after IEND are allowed. */
export async function checkPng(source: ByteSource): Promise<void> {
  let data = false;
  for (let position = 8, first = true; ; first = false) {
    source.step();
    const head = await source.bytes(position, 8);
    const length = head.readUInt32BE(0);
    const type = ascii(head, 4, 8);
    if (first && type !== 'IHDR') throw new ContainerProblem(messageFor('failure.filePartMissing', { part: 'IHDR' }));
    source.requireUpTo(position + 12 + length);
    const sum = await checksum(source, position + 4, 4 + length);
    if ((await source.bytes(position + 8 + length, 4)).readUInt32BE(0) !== sum)
      throw new ContainerProblem(messageFor('failure.fileDamaged', { where: `CRC ${type}` }));
    data ||= type === 'IDAT';
    if (type === 'IEND') break;
    position += 12 + length;
  }
  if (!data) throw new ContainerProblem(messageFor('failure.fileNoPicture'));
}

async function checksum(source: ByteSource, from: number, length: number): Promise<number> {
  let sum = 0;
  for (let done = 0; done < length;) {
    const piece = await source.bytes(from + done, Math.min(length - done, 32 * 1024));
    sum = crc32(piece, sum);
    done += piece.length;
  }
  return sum;
}

const JPEG_END = 0xd9;
const JPEG_SCAN = 0xda;

/** JPEG (T.81): segments by their lengths, scans by their markers, up to the end marker of the picture itself. */
export async function checkJpeg(source: ByteSource): Promise<void> {
  let position = 2;
  let scanned = false;
  for (;;) {
    source.step();
    const marker = await source.bytes(position, 2);
    const code = marker[1];
    if (marker[0] !== 0xff || code === undefined)
      throw new ContainerProblem(messageFor('failure.fileDamaged', { where: 'JPEG segment' }));
    if (code === 0xff) {
      position += 1;
      continue;
    }
    if (code === JPEG_END) break;
    position += 2 + (await source.bytes(position + 2, 2)).readUInt16BE(0);
    if (code !== JPEG_SCAN) continue;
    scanned = true;
    position = await endOfScan(source, position);
  }
  if (!scanned) throw new ContainerProblem(messageFor('failure.fileNoPicture'));
}

/** The position of the first marker after the coded data of a scan; stuffed bytes and restart markers belong to it. */
async function endOfScan(source: ByteSource, from: number): Promise<number> {
  for (let position = from; ;) {
    const piece = await source.bytesUpTo(position, 32 * 1024);
    const at = piece.indexOf(0xff);
    if (at === -1) {
      position += piece.length;
      source.requireUpTo(position + 1);
      continue;
    }
    const next = (await source.bytes(position + at + 1, 1))[0] ?? 0;
    if (next !== 0x00 && !(next >= 0xd0 && next <= 0xd7)) return position + at;
    position += at + 2;
    source.requireUpTo(position);
  }
}

const GIF_EXTENSION = 0x21;
const GIF_PICTURE = 0x2c;
const GIF_TRAILER = 0x3b;

/** GIF (89a): blocks up to the trailer. */
export async function checkGif(source: ByteSource): Promise<void> {
  let position = 13 + colourTable((await source.bytes(10, 1))[0] ?? 0);
  let pictures = 0;
  for (;;) {
    source.step();
    const kind = (await source.bytes(position, 1))[0];
    if (kind === GIF_TRAILER) break;
    if (kind === GIF_EXTENSION) position = await afterSubBlocks(source, position + 2);
    else if (kind === GIF_PICTURE) {
      const flags = (await source.bytes(position + 9, 1))[0] ?? 0;
      position = await afterSubBlocks(source, position + 11 + colourTable(flags));
      pictures += 1;
    } else throw new ContainerProblem(messageFor('failure.fileDamaged', { where: 'GIF block' }));
  }
  if (pictures === 0) throw new ContainerProblem(messageFor('failure.fileNoPicture'));
}

function colourTable(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

async function afterSubBlocks(source: ByteSource, from: number): Promise<number> {
  for (let position = from; ;) {
    source.step();
    const length = (await source.bytes(position, 1))[0] ?? 0;
    position += 1 + length;
    if (length === 0) return position;
  }
}
