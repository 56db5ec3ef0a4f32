import { messageFor } from '../../../contract/messages/message.ts';
import { ascii, ContainerProblem, cutOff, type ByteSource } from './source.ts';

const UNKNOWN_FROM = 0x7fff0000;

/** Whether a size is one that a writer to a pipe leaves: zero, or more than any file of its kind has. */
const isUnknown = (size: number, room: number): boolean => size === 0 || (size >= UNKNOWN_FROM && size > room);

interface Chunk {
  readonly id: string;
  readonly start: number;
  readonly length: number;
}

/** The chunks of a RIFF file. `end` is where the file must reach at least, by its own header. */
async function* chunks(source: ByteSource, end: number): AsyncGenerator<Chunk> {
  for (let position = 12; position < end;) {
    source.step();
    const head = await source.bytes(position, 8);
    const chunk = { id: ascii(head, 0, 4), start: position + 8, length: head.readUInt32LE(4) };
    yield chunk;
    // Chunks start at even places; the last one may lack its padding when the header does not count it.
    position = chunk.start + chunk.length + (chunk.length % 2);
  }
}

/**
 * WAV: the size of the header and of every chunk inside the file, a format and samples. A WAV written to a pipe has
 * placeholders for its sizes (0, 0x7FFFFFFF or 0xFFFFFFFF); it is taken when whole samples follow to its end, and only
 * the length check of the download can see that it was cut.
 */
export async function checkWav(source: ByteSource): Promise<void> {
  const declared = (await source.bytes(4, 4)).readUInt32LE(0);
  const streamed = isUnknown(declared, source.size - 8);
  const end = streamed ? source.size : 8 + declared;
  source.requireUpTo(end);
  let frameBytes = 0;
  for await (const chunk of chunks(source, end)) {
    const room = source.size - chunk.start;
    const toEnd = streamed && chunk.id === 'data' && isUnknown(chunk.length, room);
    const length = toEnd ? room : chunk.length;
    if (chunk.start + length > end) throw cutOff();
    if (chunk.id === 'fmt ') frameBytes = (await source.bytes(chunk.start + 12, 2)).readUInt16LE(0);
    if (chunk.id !== 'data') continue;
    if (frameBytes === 0) throw new ContainerProblem(messageFor('failure.fileDamaged', { where: 'WAV fmt' }));
    if (length === 0) throw new ContainerProblem(messageFor('failure.fileNoSound'));
    if (streamed && length % frameBytes !== 0) throw cutOff();
    return;
  }
  throw new ContainerProblem(messageFor('failure.fileNoSound'));
}

/** WebP: the size of the header and of every chunk inside the file, and a picture. */
export async function checkWebp(source: ByteSource): Promise<void> {
  const end = 8 + (await source.bytes(4, 4)).readUInt32LE(0);
  source.requireUpTo(end);
  let pictures = 0;
  for await (const chunk of chunks(source, end)) {
    if (chunk.start + chunk.length > end) throw cutOff();
    if (chunk.id === 'VP8 ' || chunk.id === 'VP8L' || chunk.id === 'ANMF') pictures += 1;
  }
  if (pictures === 0) throw new ContainerProblem(messageFor('failure.fileNoPicture'));
}
