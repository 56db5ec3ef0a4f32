import type { FrameNote } from './frame-notes.ts';
import type { MediaFacts } from './media-facts.ts';
import type { Rate } from './rate.ts';
import type { OutputFormat } from './formats.ts';
import type { Verdict } from './verdict.ts';

/**
 * A cut laid out in time, for the player, the writers of a kit and the reel: where each clip begins, and which part of
 * which file it shows. `start` and `length` are frames of the cut.
 */
export interface Timeline {
  readonly name: string;
  readonly rate: Rate;
  readonly width: number;
  readonly height: number;
  readonly length: number;
  readonly clips: readonly TimelineClip[];
  readonly music: readonly TimelineMusic[];
}

export interface TimelineClip {
  readonly id: string;
  readonly start: number;
  readonly length: number;
  readonly shot: { readonly batchId: string; readonly batch: string; readonly key: string; readonly text: string };
  /** Null: a slate. */
  readonly media: TimelineMedia | null;
  readonly alternates: readonly TimelineMedia[];
}

export interface TimelineMusic {
  readonly id: string;
  readonly start: number;
  readonly length: number;
  /** Where in the sound it begins, frames of the cut. */
  readonly in: number;
  readonly gain: number;
  readonly media: SoundFile;
}

interface SourceFile {
  /** File name with extension: what editors find it by. */
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly format: OutputFormat;
  readonly facts: MediaFacts;
}

export type SoundFile = SourceFile &
  ({ readonly takeId: string; readonly output: number } | { readonly music: string });

export interface TimelineMedia extends SourceFile {
  readonly takeId: string;
  /** Its number among the takes of the shot. */
  readonly take: number;
  readonly output: number;
  /** Of the file; of the cut for stills and sound. */
  readonly rate: Rate;
  /** Frames of the file, at `rate`: all of them, and the part that is shown. A still has as many as it is shown for. */
  readonly frames: number;
  readonly in: number;
  readonly out: number;
  readonly verdict: Pick<Verdict, 'rating' | 'flag' | 'note'>;
  readonly notes: readonly FrameNote[];
}
