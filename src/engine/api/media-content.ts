import type { FileHandle } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';
import type { MediaType } from '../../contract/kinds/spec.ts';

/** The number of bytes that `file-type` needs to recognize a file. */
const SAMPLE = 4100;

/** Content type of an open file, from its content and not its name; null if unknown. */
export async function contentTypeOf(file: FileHandle): Promise<string | null> {
  const sample = Buffer.alloc(SAMPLE);
  const { bytesRead } = await file.read(sample, 0, SAMPLE, 0);
  return (await fileTypeFromBuffer(sample.subarray(0, bytesRead)))?.mime ?? null;
}

/** Containers for both video and audio. Only their tracks would show which. */
const CONTAINERS = [
  'video/mp4',
  'video/webm',
  'video/ogg',
  'video/matroska',
  'video/quicktime',
  'audio/ogg',
  'application/ogg',
];

/**
 * Whether the content can be the medium that is needed. A list may name any file on the disk, and most are not media.
 */
export function holdsMedium(contentType: string | null, media: MediaType): boolean {
  if (contentType === null) return false;
  if (media === 'any') return (['image', 'video', 'audio'] as const).some((each) => holdsMedium(contentType, each));
  return contentType.startsWith(`${media}/`) || (media !== 'image' && CONTAINERS.includes(contentType));
}
