import { formats, type Medium } from '../../../../contract/formats.ts';
import { perSecond, toSeconds, type Rate } from '../../../../contract/rate.ts';
import type { Timeline, TimelineClip, TimelineMusic } from '../../../../contract/timeline.ts';
import { frameAt } from '../player/timecode.ts';

/** One clock for a string-out: the frame of the cut. It says which clip, which frame of its file, and which music. */

/** What is laid out in time. */
interface Laid {
  readonly start: number;
  readonly length: number;
}

/** The last that begins at or before a frame; -1 where none does. Pure. */
function lastBefore(laid: readonly Laid[], frame: number): number {
  let [low, high] = [0, laid.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((laid[middle]?.start ?? 0) <= frame) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The place of the clip that a frame of the cut is in; that of the nearest one outside of them, -1 without clips. Pure. */
export const clipIndexAt = ({ clips }: Pick<Timeline, 'clips'>, frame: number): number =>
  clips.length === 0 ? -1 : Math.max(0, lastBefore(clips, frame));

/** The frame after the last clip: music may be longer. Pure. */
export function endOfClips({ clips }: Pick<Timeline, 'clips'>): number {
  const last = clips.at(-1);
  return last ? last.start + last.length : 0;
}

/** Of a file that a window may open; null for every other, whose slate is shown. Pure. */
export const mediumOf = ({ media }: Pick<TimelineClip, 'media'>): Medium | null =>
  media && formats[media.format].isShown ? formats[media.format].medium : null;

/** It has a time of its own, which the clock follows while it plays. Pure. */
export const isPlayed = (clip: Pick<TimelineClip, 'media'>): boolean =>
  mediumOf(clip) === 'moving' || mediumOf(clip) === 'sound';

/** The frame of its file that a clip shows `offset` frames of the cut after its beginning. Pure. */
export function sourceFrame({ media }: Pick<TimelineClip, 'media'>, offset: number, rate: Rate): number {
  if (!media) return 0;
  const passed = Math.floor((Math.max(0, offset) * rate.den * media.rate.num) / (rate.num * media.rate.den));
  return Math.min(media.in + passed, media.out - 1);
}

/** Where its file is played from to show that frame, s: in the middle of what both frames have in common. Pure. */
export function sourceTime(clip: Pick<TimelineClip, 'media'>, offset: number, rate: Rate): number {
  if (!clip.media) return 0;
  const { in: from, rate: own } = clip.media;
  const begin = toSeconds(Math.max(0, offset), rate);
  const ends = [toSeconds(sourceFrame(clip, offset, rate) + 1 - from, own), begin + toSeconds(1, rate)];
  return toSeconds(from, own) + (begin + Math.min(...ends)) / 2;
}

/** How far a clip has been played, frames of the cut, by the time of its file; its length or more: it is over. Pure. */
export function offsetAt({ media }: Pick<TimelineClip, 'media'>, time: number, rate: Rate): number {
  if (!media) return 0;
  const from = toSeconds(media.in, media.rate);
  return time < from ? 0 : frameAt(time - from, rate);
}

/** The music under a frame of the cut, and where in its file that is, s. Null without. Pure. */
export function musicAt(
  { music, rate }: Pick<Timeline, 'music' | 'rate'>,
  frame: number,
): { readonly music: TimelineMusic; readonly time: number } | null {
  const found = music[lastBefore(music, frame)];
  if (!found || frame >= found.start + found.length) return null;
  return { music: found, time: (found.in + frame - found.start) / perSecond(rate) };
}

/** A clip with the one before and the one after it, as a timeline of its own, with the music under them. Pure. */
export function excerptAround(timeline: Timeline, clipId: string): Timeline | null {
  const at = timeline.clips.findIndex(({ id }) => id === clipId);
  if (at < 0) return null;
  const chosen = timeline.clips.slice(Math.max(0, at - 1), at + 2);
  const from = chosen[0]?.start ?? 0;
  const length = endOfClips({ clips: chosen }) - from;
  const music = timeline.music.flatMap((each) => {
    const start = Math.max(0, each.start - from);
    const end = Math.min(length, each.start + each.length - from);
    return end > start ? [{ ...each, start, length: end - start, in: each.in + Math.max(0, from - each.start) }] : [];
  });
  return { ...timeline, length, clips: chosen.map((clip) => ({ ...clip, start: clip.start - from })), music };
}
