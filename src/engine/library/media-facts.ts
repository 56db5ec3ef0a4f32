import { open } from 'node:fs/promises';
import type { MediaFacts } from '../db/media-store.ts';
import { isDecoded, pictureSize } from '../base/pictures.ts';

/** Bytes that `file-type` reads of a file. */
const SAMPLE = 4100;

/** Far more than any model takes. */
const MOST_PIXELS = 32_768 * 32_768;

/**
 * Facts of a media file: its type by content, size in pixels, length in seconds. A file that nothing can read yet is
 * uploaded all the same, so facts that fail are left out.
 */
export async function readMediaFacts(path: string): Promise<MediaFacts> {
  const contentType = await typeOf(path).catch(() => undefined);
  if (contentType === undefined) return {};
  const more = await factsOf(path, contentType).catch(() => ({}));
  return { contentType, ...more };
}

async function typeOf(path: string): Promise<string | undefined> {
  const file = await open(path, 'r');
  try {
    const sample = Buffer.alloc(SAMPLE);
    const { bytesRead } = await file.read(sample, 0, SAMPLE, 0);
    const { fileTypeFromBuffer } = await import('file-type');
    return (await fileTypeFromBuffer(sample.subarray(0, bytesRead)))?.mime;
  } finally {
    await file.close();
  }
}

// The library is large and only needed for a file that is seen for the first time.
async function factsOf(path: string, contentType: string): Promise<MediaFacts> {
  if (contentType.startsWith('image/')) {
    return isDecoded(contentType) ? pictureSize(path, MOST_PIXELS) : {};
  }
  const { ALL_FORMATS, FilePathSource, Input } = await import('mediabunny');
  using input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
  const duration = await input.computeDuration();
  const video = await input.getPrimaryVideoTrack();
  return { duration, ...(video && { width: video.displayWidth, height: video.displayHeight }) };
}
