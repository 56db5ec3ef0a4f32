import { open } from 'node:fs/promises';
import type { MediaFacts } from '../db/media-store.ts';
import { isDecoded, pictureSize } from '../base/pictures.ts';
import { readApart } from '../base/reader-process.ts';
import { threadFile } from '../base/thread-file.ts';
import { checkIsoMedia } from '../downloads/containers/iso-media.ts';
import { checkWebm } from '../downloads/containers/webm.ts';
import { inspectFile } from '../downloads/verify.ts';
import { ErrorWithText } from '../base/errors.ts';
import { ByteSource } from '../downloads/containers/source.ts';

/** Bytes that `file-type` reads of a file. */
const SAMPLE = 4100;

/** Far more than any model takes. */
const MAX_PIXELS = 32_768 * 32_768;

const ISO_MEDIA = /^(?:video\/(?:mp4|quicktime|x-m4v)|audio\/(?:mp4|x-m4a))/;

/** Laid out as WebM is. */
const MATROSKA = /matroska/;

/** Far longer than the facts of a film take, ms. */
const TIME_LIMIT_MS = 10_000;

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

async function factsOf(path: string, contentType: string): Promise<MediaFacts> {
  if (contentType.startsWith('image/')) {
    return isDecoded(contentType) ? pictureSize(path, MAX_PIXELS) : {};
  }
  await requireWhole(path, contentType);
  return readApart(threadFile('facts-reader', import.meta.url), path, () => AbortSignal.timeout(TIME_LIMIT_MS));
}

/** What is cut or damaged could keep the reader busy until its time is over, so it is not read at all. */
async function requireWhole(path: string, contentType: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    const file = { handle, bytes: (await handle.stat()).size };
    if (ISO_MEDIA.test(contentType)) await checkIsoMedia(new ByteSource(file));
    else if (MATROSKA.test(contentType)) await checkWebm(new ByteSource(file));
    const found = await inspectFile(file);
    if ('problem' in found) throw new ErrorWithText(found.problem);
  } finally {
    await handle.close();
  }
}
