/** Seconds from the MP4 epoch (1904) to the Unix epoch. */
const MP4_EPOCH_OFFSET = 2_082_844_800;

const CONTAINERS = new Set(['moov', 'trak', 'mdia']);
const DATED = new Set(['mvhd', 'tkhd', 'mdhd']);
const HEADER_BYTES = 8;

/**
 * Writes one creation and modification time into every header of a movie, in place. The encoder puts the time
 * of encoding there, which would make two renders of the same take differ.
 */
export function stampMovie(movie: Buffer, unixSeconds: number): void {
  stampBoxes(movie, unixSeconds + MP4_EPOCH_OFFSET);
}

function stampBoxes(boxes: Buffer, mp4Seconds: number): void {
  let at = 0;
  while (at + HEADER_BYTES <= boxes.length) {
    const size = boxes.readUInt32BE(at);
    const type = boxes.toString('latin1', at + 4, at + HEADER_BYTES);
    if (size < HEADER_BYTES) return;
    const content = boxes.subarray(at + HEADER_BYTES, at + size);
    if (CONTAINERS.has(type)) stampBoxes(content, mp4Seconds);
    if (DATED.has(type)) stampHeader(content, mp4Seconds);
    at += size;
  }
}

function stampHeader(content: Buffer, mp4Seconds: number): void {
  const isShort = content[0] === 0; // version 0: two 32-bit times after version and flags
  if (!isShort) return;
  content.writeUInt32BE(mp4Seconds, 4);
  content.writeUInt32BE(mp4Seconds, 8);
}

/** A box that players skip; it may stand at the end of any movie. */
export function freeBox(content: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(HEADER_BYTES + content.length, 0);
  header.write('free', 4, 'latin1');
  return Buffer.concat([header, content]);
}
