import { messageFor } from '../../../contract/messages/message.ts';
import { ContainerProblem, cutOff, type ByteSource } from './source.ts';

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const TRACKS = 0x1654ae6b;

interface Element {
  readonly id: number;
  readonly start: number;
  /** Null when the writer did not know (live recordings). */
  readonly end: number | null;
}

/**
 * WebM (EBML, RFC 8794): sizes of the segment and of everything in it inside the file, tracks and at least one
 * cluster. A recording whose writer never knew its sizes shows a cut only inside an element, not between two.
 */
export async function checkWebm(source: ByteSource): Promise<void> {
  const header = await readElement(source, 0);
  if (header.id !== EBML || header.end === null)
    throw new ContainerProblem(messageFor('failure.fileNotStarted', { format: 'WebM' }));
  const segment = await readElement(source, header.end);
  if (segment.id !== SEGMENT) throw new ContainerProblem(messageFor('failure.fileDamaged', { where: 'WebM Segment' }));
  const end = segment.end ?? source.size;
  const found = new Set<number>();
  for (let position = segment.start; position < end;) {
    source.step();
    const element = await readElement(source, position);
    found.add(element.id);
    if (element.end !== null && element.end > end) throw cutOff();
    // The parts of a cluster of unknown size are read like its neighbours: their ids differ from all others.
    position = element.end ?? element.start;
  }
  if (!found.has(TRACKS) || !found.has(CLUSTER))
    throw new ContainerProblem(messageFor('failure.filePartMissing', { part: 'WebM Tracks/Cluster' }));
}

async function readElement(source: ByteSource, position: number): Promise<Element> {
  const id = await readVariable(source, position, 4, true);
  const size = await readVariable(source, position + id.length, 8, false);
  const start = position + id.length + size.length;
  if (size.unknown) return { id: id.value, start, end: null };
  source.requireUpTo(start + size.value);
  return { id: id.value, start, end: start + size.value };
}

/** A variable-length integer: the leading zeros of the first byte say how many bytes follow. */
async function readVariable(
  source: ByteSource,
  position: number,
  maxLength: number,
  keepMarker: boolean,
): Promise<{ value: number; length: number; unknown: boolean }> {
  const first = (await source.bytes(position, 1))[0] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > maxLength) throw new ContainerProblem(messageFor('failure.fileDamaged', { where: 'EBML size' }));
  const bytes = await source.bytes(position, length);
  // Without its marker the first byte adds little: a size in eight bytes stays exact.
  const start = keepMarker ? first : first & (0xff >> length);
  const value = bytes.subarray(1).reduce((sum, byte) => sum * 256 + byte, start);
  return { value, length, unknown: !keepMarker && value === 2 ** (7 * length) - 1 };
}
