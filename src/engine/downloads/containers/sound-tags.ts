import { ascii } from './source.ts';
import type { ByteSource } from './source.ts';

/** Where the sound starts: after any ID3v2 tags and the zeros some writers leave behind them. */
export async function afterTags(source: ByteSource): Promise<number> {
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

export async function isTrailingTag(source: ByteSource, position: number): Promise<boolean> {
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
