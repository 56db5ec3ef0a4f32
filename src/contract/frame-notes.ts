import * as z from 'zod';

/** Marks and notes that a person sets on one output of a take, in frames of its film, from 0. */

const Frame = z.int().min(0).max(100_000_000);

/** Which part of an output is meant. `out` is the frame after the last one; absent: from its beginning, to its end. */
export const Marks = z.object({ output: z.int().min(1), in: Frame.optional(), out: Frame.min(1).optional() });
export type Marks = z.infer<typeof Marks>;

/** A change of them; null clears, an absent one stays. */
export const MarksChange = z.object({
  output: z.int().min(1),
  in: Frame.nullable().optional(),
  out: Frame.min(1).nullable().optional(),
});
export type MarksChange = z.infer<typeof MarksChange>;

export const STROKE_COLORS = ['red', 'yellow', 'white', 'black'] as const;

/** A line drawn on the picture: x and y in turn, 0 to 1 of its width and height. */
export const Stroke = z.object({
  color: z.enum(STROKE_COLORS),
  points: z.array(z.number().min(0).max(1)).min(4).max(2000),
});
export type Stroke = z.infer<typeof Stroke>;

export const MAX_FRAME_NOTES = 200;
export const MAX_FRAME_NOTE = 2000;
export const MAX_STROKES = 50;
/** Of all frame notes of a take as JSON, with their drawings: a studio and an event carry them whole. */
export const MAX_NOTES_LENGTH = 250_000;

export const FrameNote = z.object({
  id: z.string().regex(/^[\w-]{1,40}$/),
  output: z.int().min(1),
  from: Frame,
  /** The frame after the last one, for a note on a range. */
  to: Frame.min(1).optional(),
  text: z.string().max(MAX_FRAME_NOTE),
  strokes: z.array(Stroke).max(MAX_STROKES).optional(),
  /** Who wrote it, where that is not the person at this machine: a reviewer of a reel. */
  by: z.string().max(100).optional(),
});
export type FrameNote = z.infer<typeof FrameNote>;
