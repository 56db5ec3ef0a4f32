import type { Trim } from '../../../../contract/cut.ts';
import { convertFrames, type Rate } from '../../../../contract/rate.ts';
import type { TimelineClip } from '../../../../contract/timeline.ts';
import { mediumOf, sourceFrame } from './string-out-clock.ts';

export type Edge = 'in' | 'out';

/** A slate, a still, or a file that no window opens: it is shown for some time, and has no part of its own. Pure. */
const isHeld = (clip: TimelineClip): boolean => !clip.media || mediumOf(clip) === 'still';

/** Films of a varying rate are shown whole: their frames cannot be counted. Pure. */
export const canTrim = ({ media }: TimelineClip): boolean => media?.facts.isVariable !== true;

/** Lets a clip begin, or end, with the frame that it shows `offset` frames of the cut after its beginning. Pure. */
export function trimAt(clip: TimelineClip, edge: Edge, offset: number, rate: Rate): Trim {
  const { media } = clip;
  if (isHeld(clip) || !media) return { length: edge === 'in' ? clip.length - offset : offset + 1 };
  if (edge === 'in') return { in: sourceFrame(clip, offset, rate) };
  // As many frames of the file as fill those of the cut.
  const shown = Math.ceil(((offset + 1) * rate.den * media.rate.num) / (rate.num * media.rate.den));
  return { out: Math.min(media.frames, media.in + shown) };
}

/** Moves where a clip begins, or ends, by frames of the cut, as far as its file goes. Pure. */
export function trimBy(clip: TimelineClip, edge: Edge, by: number, rate: Rate): Trim {
  const { media } = clip;
  if (isHeld(clip) || !media) return { length: Math.max(1, clip.length + (edge === 'in' ? -by : by)) };
  const moved = Math.sign(by) * Math.max(1, convertFrames(Math.abs(by), rate, media.rate));
  return edge === 'in'
    ? { in: Math.max(0, Math.min(media.in + moved, media.out - 1)) }
    : { out: Math.max(media.in + 1, Math.min(media.out + moved, media.frames)) };
}
