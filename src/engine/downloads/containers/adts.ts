import { messageFor } from '../../../contract/messages/message.ts';
import { afterTags, isTrailingTag } from './sound-tags.ts';
import { ContainerProblem, cutOff } from './source.ts';
import type { ByteSource } from './source.ts';

/**
 * AAC as a stream (ADTS, ISO 13818-7): tags are skipped, frames follow each other to the end, and the last one is whole.
 * A file cut exactly between two frames is a shorter proper file; only the length check of the download can see that.
 */
export async function checkAdts(source: ByteSource): Promise<void> {
  let position = await afterTags(source);
  let frames = 0;
  while (position < source.size) {
    source.step();
    const length = frameLength(await source.bytesUpTo(position, 7));
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
function frameLength(head: Buffer): number | null {
  if (head.length < 7) return null;
  const [sync = 0, layer = 0, , high = 0, middle = 0, low = 0] = head;
  if (sync !== 0xff || (layer & 0xf6) !== 0xf0) return null;
  const length = ((high & 0x03) << 11) | (middle << 3) | (low >> 5);
  return length >= 7 ? length : null;
}
