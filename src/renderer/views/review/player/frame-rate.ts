import { release } from '../../../lib/media/previews.ts';
import { toRate } from './timecode.ts';

/** Frames to compare: a dropped one makes a pause longer, never shorter. */
const FRAMES = 8;
const TIMEOUT_MS = 2500;
/** Slower than life, so that a busy machine drops none. */
const SLOWLY = 0.5;
/** For films that will not say. */
const USUAL = 24;

const measured = new Map<string, Promise<number>>();

/** Frames a second of a film, watched in an element of its own so that the one on screen is left in peace. */
export function frameRateFor(source: string): Promise<number> {
  const known = measured.get(source) ?? measure(source);
  measured.set(source, known);
  return known;
}

async function measure(source: string): Promise<number> {
  const video = document.createElement('video');
  video.muted = true;
  video.src = source;
  video.playbackRate = SLOWLY;
  try {
    return toRate(await shortestPause(video));
  } catch {
    measured.delete(source);
    return USUAL;
  } finally {
    release(video);
  }
}

/** Seconds between the two frames that follow each other closest. */
function shortestPause(video: HTMLVideoElement): Promise<number> {
  return new Promise((resolve, reject) => {
    let before: number | null = null;
    let shortest = Number.POSITIVE_INFINITY;
    let seen = 0;
    const finish = (): void => {
      clearTimeout(timer);
      if (Number.isFinite(shortest)) resolve(shortest);
      else reject(new Error('No two frames were shown.'));
    };
    const timer = setTimeout(finish, TIMEOUT_MS);
    const onframe = (_now: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
      if (before !== null && mediaTime > before) shortest = Math.min(shortest, mediaTime - before);
      before = mediaTime;
      seen += 1;
      if (seen > FRAMES) finish();
      else video.requestVideoFrameCallback(onframe);
    };
    video.requestVideoFrameCallback(onframe);
    video.addEventListener('ended', finish, { once: true });
    video.addEventListener('error', finish, { once: true });
    video.play().catch(finish);
  });
}
