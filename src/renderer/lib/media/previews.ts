import PQueue from 'p-queue';
import { callHeaders, mediaUrl, thumbUrl } from '../client.ts';
import { changeStream } from '../state/changes.svelte.ts';
import { computePeaks } from './take-media.ts';
import { t } from '../../../contract/messages/words.ts';

/** Films opened at once for their pictures: decoding must not slow the window. */
const AT_ONCE = 2;
/** Longest side of a picture sent in, pixels: the largest that is shown small. */
const POSTER_WIDTH = 640;
/** A film that gives no picture within this gives none, ms. */
const TIMEOUT_MS = 15_000;
/** The first frame is often black or fading in. */
const SHARE_OF_FILM = 0.1;

const filmTurns = new PQueue({ concurrency: AT_ONCE });
/** Of each film, so that its saving and its thumbnails draw it once. */
const making = new Map<string, Promise<boolean>>();
let requests = 0;
/** Films that cannot be shown, so that they are not tried at every scroll. */
const failed = new Set<string>();
/** Saved while this window was open: each is drawn once. */
const saved = new Set<string>();

/** Draws a frame of a film, or a picture the engine cannot make small, and stores it there. False without a frame. */
export async function makePoster(
  takeId: string,
  output: number,
  medium: 'moving' | 'still',
  signal: AbortSignal,
): Promise<boolean> {
  const key = `${takeId}/${output}`;
  if (failed.has(key)) return false;
  const made = making.get(key) ?? inTurn(() => drawAndSend(takeId, output, medium), key, signal);
  making.set(key, made);
  return made.finally(() => making.delete(key));
}

/** The latest request first, which is for what is in sight. One that was cancelled before its turn is dropped. */
async function inTurn(draw: () => Promise<boolean>, key: string, signal: AbortSignal): Promise<boolean> {
  requests += 1;
  try {
    const made = await filmTurns.add(draw, { priority: requests, signal });
    if (!made) failed.add(key);
    return made;
  } catch {
    return false;
  }
}

/** Draws a frame of each film once it is saved, for the report of the night, until the returned function is called. */
export function drawSavedFilms(): () => void {
  const end = new AbortController();
  const unlisten = changeStream.listen(({ jobs }) => {
    for (const { id, state, medium } of jobs) {
      if (state !== 'saved' || medium !== 'moving' || saved.has(id)) continue;
      saved.add(id);
      void makePoster(id, 1, 'moving', end.signal);
    }
  });
  return () => {
    unlisten();
    end.abort();
  };
}

async function drawAndSend(takeId: string, output: number, medium: 'moving' | 'still'): Promise<boolean> {
  const source = mediaUrl(takeId, output);
  try {
    const picture = await (medium === 'moving' ? drawFilm(source) : drawPicture(source));
    const response = await fetch(thumbUrl(takeId, output, POSTER_WIDTH), {
      method: 'PUT',
      headers: { 'content-type': picture.type, ...(await callHeaders()) },
      body: picture,
    });
    return response.ok;
  } catch {
    return false;
  }
}

async function drawPicture(source: string): Promise<Blob> {
  const image = new Image();
  image.src = source;
  await image.decode();
  return drawSmall(image, image.naturalWidth, image.naturalHeight);
}

async function drawFilm(source: string): Promise<Blob> {
  const video = document.createElement('video');
  const late = AbortSignal.timeout(TIMEOUT_MS);
  video.muted = true;
  video.preload = 'auto';
  try {
    video.src = source;
    await happened(video, 'loadeddata', late);
    const seeked = happened(video, 'seeked', late);
    video.currentTime = Math.min(1, video.duration * SHARE_OF_FILM);
    await seeked;
    return await drawSmall(video, video.videoWidth, video.videoHeight);
  } finally {
    release(video);
  }
}

function drawSmall(source: CanvasImageSource, fullWidth: number, fullHeight: number): Promise<Blob> {
  const width = Math.min(POSTER_WIDTH, fullWidth);
  const height = Math.max(1, Math.round((fullHeight * width) / fullWidth));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('No canvas to draw on.');
  context.drawImage(source, 0, 0, width, height);
  return canvas.convertToBlob({ type: 'image/webp', quality: 0.85 });
}

function happened(video: HTMLVideoElement, event: 'loadeddata' | 'seeked', late: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    video.addEventListener(event, () => resolve(), { once: true });
    video.addEventListener('error', () => reject(new Error('The film cannot be shown.')), { once: true });
    late.addEventListener('abort', () => reject(new Error('The film took too long.')), { once: true });
  });
}

/** Lets go of the file and the decoder at once, instead of whenever memory is tidied. */
export function release(media: HTMLMediaElement): void {
  media.pause();
  media.removeAttribute('src');
  media.load();
}

const POINTS = 2000;
/** Samples decoded for each second: loudness needs no more, and a long piece stays small. */
const SAMPLE_RATE = 8000;

const soundTurns = new PQueue({ concurrency: 1 });
const known = new Map<string, readonly number[]>();

/** The waveform of a piece of music, from 0 to 1: as the engine keeps it, else computed once and given to it. */
export async function peaksFor(takeId: string, output: number, signal: AbortSignal): Promise<readonly number[] | null> {
  const key = `${encodeURIComponent(takeId)}/${output}`;
  const remembered = known.get(key);
  if (remembered) return remembered;
  const read = async () => known.get(key) ?? (await stored(key)) ?? compute(takeId, output, key);
  const peaks = await soundTurns.add(read, { signal }).catch(() => null);
  if (peaks) known.set(key, peaks);
  return peaks;
}

async function stored(key: string): Promise<readonly number[] | null> {
  const response = await fetch(`/peaks/${key}`);
  if (response.status !== 200) return null;
  const peaks: unknown = await response.json();
  return Array.isArray(peaks) ? peaks.map(Number) : null;
}

async function compute(takeId: string, output: number, key: string): Promise<readonly number[]> {
  const response = await fetch(mediaUrl(takeId, output));
  if (!response.ok) throw new Error('The file cannot be read.');
  const context = new OfflineAudioContext(1, 1, SAMPLE_RATE);
  const sound = await context.decodeAudioData(await response.arrayBuffer());
  const channels = Array.from({ length: sound.numberOfChannels }, (_, channel) => sound.getChannelData(channel));
  const peaks = computePeaks(channels, POINTS);
  // Kept for next time; without it the waveform is computed again.
  await store(key, peaks).catch(() => undefined);
  return peaks;
}

async function store(key: string, peaks: readonly number[]): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(await callHeaders()) };
  await fetch(`/peaks/${key}`, { method: 'PUT', headers, body: JSON.stringify(peaks) });
}

export async function readWords(takeId: string, output: number, bytes: number, signal: AbortSignal): Promise<string> {
  const response = await fetch(mediaUrl(takeId, output), { headers: { range: `bytes=0-${bytes - 1}` }, signal });
  if (!response.ok) throw new Error(t('review.fileUnreadable'));
  // As a stream, so that a character that the end cuts is left out.
  return new TextDecoder().decode(await response.arrayBuffer(), { stream: true });
}
