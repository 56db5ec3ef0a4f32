import type { FileHandle } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';
import type { MediaType } from '../../contract/kinds/spec.ts';

/** What `file-type` wants to see of a file. */
const SAMPLE = 4100;

/** Content type of an open file, by its content and not its name; null when it is none that is known. */
export async function contentTypeOf(file: FileHandle): Promise<string | null> {
  const sample = Buffer.alloc(SAMPLE);
  const { bytesRead } = await file.read(sample, 0, SAMPLE, 0);
  return (await fileTypeFromBuffer(sample.subarray(0, bytesRead)))?.mime ?? null;
}

/** Containers that hold films and sounds alike; only a look at their tracks would tell. */
const CONTAINERS = [
  'video/mp4',
  'video/webm',
  'video/ogg',
  'video/matroska',
  'video/quicktime',
  'audio/ogg',
  'application/ogg',
];

/** Whether a content can be the medium that is asked for. A list may name any file of its reader, and most are none. */
export function holdsMedium(contentType: string | null, media: MediaType): boolean {
  if (contentType === null) return false;
  if (media === 'any') return (['image', 'video', 'audio'] as const).some((each) => holdsMedium(contentType, each));
  return contentType.startsWith(`${media}/`) || (media !== 'image' && CONTAINERS.includes(contentType));
}
