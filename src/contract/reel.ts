import type { FrameNote } from './frame-notes.ts';
import type { Rate } from './rate.ts';
import type { Verdict } from './verdict.ts';

/** What the page of a reel shows: one clip after the other. `in` and `out` in frames of the file, the rest of the cut. */
export interface ReelClip {
  readonly shot: string;
  /** Tells shots of one key apart. */
  readonly shotId: string;
  readonly text: string;
  /** Address from the page. */
  readonly file: string;
  readonly type: 'film' | 'still' | 'sound';
  readonly rate: Rate;
  readonly in: number;
  readonly out: number;
  readonly start: number;
  readonly length: number;
  /** Null: a slate. */
  readonly take: ReelTake | null;
}

export interface ReelTake extends Pick<Verdict, 'rating' | 'flag' | 'note'> {
  readonly takeId: string;
  readonly number: number;
  readonly output: number;
  readonly sha256: string;
  readonly notes: readonly Pick<FrameNote, 'from' | 'text' | 'by'>[];
}

interface ReelSound {
  readonly file: string;
  readonly start: number;
  readonly length: number;
  /** Where in the sound it begins, frames of the cut. */
  readonly in: number;
  /** 0 to 1: a page cannot make a sound louder than it is. */
  readonly volume: number;
}

export interface Reel {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly rate: Rate;
  readonly clips: readonly ReelClip[];
  readonly music: readonly ReelSound[];
}

/** Texts of the page, in the language of the person who made it. */
export type ReelText =
  | ('reviewer' | 'reviewerNeeded' | 'save' | 'saved' | 'notKept' | 'previous' | 'next' | 'play' | 'pause' | 'take')
  | ('frameBack' | 'frameForward' | 'position' | 'stars' | 'pick' | 'alternate' | 'reject' | 'note' | 'frameNotes')
  | ('noteHere' | 'add' | 'remove' | 'slate' | 'clips' | 'unplayable' | 'keys');
export type ReelTexts = Readonly<Record<ReelText, string>>;
