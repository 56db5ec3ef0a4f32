import { messageFor } from '../../../contract/messages/message.ts';
import { ascii, ContainerProblem } from './source.ts';
import type { ByteSource } from './source.ts';

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
