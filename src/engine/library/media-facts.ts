import { open } from 'node:fs/promises';
import { MediaFacts } from '../../contract/media-facts.ts';
import { contentTypeFor } from '../api/request-parts.ts';
import { ErrorWithText } from '../base/errors.ts';
import { DECODED, pictureSize } from '../base/pictures.ts';
import { readApart, threadFile } from '../base/reader-process.ts';
import { toPath, type Place } from '../files/place.ts';
import { type OpenFile, pathOfOpen } from '../files/project-files.ts';
import { checkIsoMedia } from '../downloads/containers/iso-media.ts';
import { ByteSource } from '../downloads/containers/source.ts';
import { checkWebm } from '../downloads/containers/webm.ts';
import type { FactsRequest } from './read-facts.ts';
import { inspectFile } from '../downloads/verify.ts';

export interface TypedFacts extends MediaFacts {
  /** By content. */
  readonly contentType?: string;
}

/** Far more than any model takes. */
const MAX_PIXELS = 32_768 * 32_768;

const ISO_MEDIA = /^(?:video\/(?:mp4|quicktime|x-m4v)|audio\/(?:mp4|x-m4a))/;

/** Laid out as WebM is. */
const MATROSKA = /matroska/;

/** Far longer than the facts of a film take, also on a busy machine, ms. */
const TIME_LIMIT_MS = 30_000;

/** The facts of a local file of the person's. Nothing of what cannot be read: it is uploaded all the same. */
export async function factsOfFile(path: string): Promise<TypedFacts> {
  await using handle = await open(path, 'r').catch(() => null);
  return handle ? await readMediaFacts({ handle, bytes: (await handle.stat()).size }, { path }) : {};
}

/** Where an open file is, and a path that leads to nothing but it where the system has one; see `pathOfOpen`. */
interface Paths {
  readonly path: string;
  readonly held?: string;
}

/** The facts of a file of a project. Rejects for nothing but `stopping`. */
export const factsOfOpen = async (place: Place, file: OpenFile, stopping?: AbortSignal): Promise<MediaFacts> =>
  MediaFacts.parse(await readMediaFacts(file, { path: toPath(place), held: pathOfOpen(place, file) }, stopping));

/** What a media file says of itself. What is unreadable is left out; rejects for nothing but `stopping`. */
async function readMediaFacts(file: OpenFile, paths: Paths, stopping?: AbortSignal): Promise<TypedFacts> {
  try {
    const contentType = await contentTypeFor(file.handle);
    if (contentType === null) return {};
    const facts = await factsFor(file, paths, contentType, stopping).catch(() => ({}));
    return { contentType, ...facts };
  } catch {
    return {};
  } finally {
    stopping?.throwIfAborted();
  }
}

async function factsFor(
  file: OpenFile,
  { path, held = path }: Paths,
  contentType: string,
  stopping: AbortSignal | undefined,
): Promise<MediaFacts> {
  if (contentType.startsWith('image/')) return DECODED.has(contentType) ? pictureSize(held, MAX_PIXELS) : {};
  const isIso = ISO_MEDIA.test(contentType);
  await requireWhole(file, isIso, contentType);
  const { dev, ino } = await file.handle.stat({ bigint: true });
  const request: FactsRequest = { path, identity: `${dev}:${ino}`, isIso };
  const limits = stopping ? [stopping] : [];
  const limit = (): AbortSignal => AbortSignal.any([AbortSignal.timeout(TIME_LIMIT_MS), ...limits]);
  return MediaFacts.parse(await readApart(threadFile('facts-reader', import.meta.url), request, limit));
}

/** What is cut or damaged could keep the reader busy until its time is over, so it is not read at all. */
async function requireWhole(file: OpenFile, isIso: boolean, contentType: string): Promise<void> {
  if (isIso) await checkIsoMedia(new ByteSource(file));
  else if (MATROSKA.test(contentType)) await checkWebm(new ByteSource(file));
  const found = await inspectFile(file);
  if ('problem' in found) throw new ErrorWithText(found.problem);
}
